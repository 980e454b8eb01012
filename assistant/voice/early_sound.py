"""The sound of an answer's first sentence, synthesised before it is certain that it will be spoken (V-23)."""

import asyncio
import threading
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from assistant.core.machine.states import TurnId
from assistant.speech.text.sentences import SentenceChunker
from assistant.speech.tts.synthesizer import Voice
from assistant.voice import patience

PutSound = Callable[[NDArray[np.int16], int], None]
"""Takes a piece of sound and its sample rate."""


class EarlySound:
    """The first sentence of a turn's answer and its sound so far.

    The synthesiser's thread adds pieces; the event loop takes them.

    Args:
        turn: the turn that will speak it.
        began_ms: the audio time of its first text.
        markers: whether a discourse marker is a piece of its own.

    Attributes:
        sentence: the sentence, or the beginning of a long one; empty until the answer has one.
        voice: how it is spoken.
        work: the task that synthesises it.
        dropped: whether nobody will hear it.
    """

    def __init__(self, turn: TurnId, began_ms: int, *, markers: bool) -> None:
        self.turn = turn
        self.began_ms = began_ms
        self.sentence = ""
        self.voice: Voice | None = None
        self.work: asyncio.Task[None] | None = None
        self.dropped = False
        self._chunker = SentenceChunker(markers=markers)
        self._pieces: list[tuple[NDArray[np.int16], int]] = []
        self._put: PutSound | None = None
        self._lock = threading.Lock()

    def feed(self, text: str, now_ms: int) -> str:
        """Take the text of an audio time; return the first piece when that is complete, else an empty text."""
        if self.sentence:
            return ""
        pieces = self._chunker.feed(text)
        if not pieces and patience.is_over(now_ms - self.began_ms, self._chunker.waiting_weight, first=True):
            pieces = self._chunker.hurry()
        self.sentence = next(iter(pieces), "")
        return self.sentence

    def add(self, pcm: NDArray[np.int16], rate: int) -> None:
        """Keep a piece, or pass it on if the sound was taken."""
        with self._lock:
            if self._put is None:
                self._pieces.append((pcm, rate))
            else:
                self._put(pcm, rate)

    def take(self, put: PutSound) -> None:
        """Pass all pieces to ``put``: those that exist now, and the others as they come."""
        with self._lock:
            for pcm, rate in self._pieces:
                put(pcm, rate)
            self._put = put
