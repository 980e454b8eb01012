"""Utterances that are longer than one transcript: they are cut where nobody speaks, and their parts become one text."""

import asyncio
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Final

import numpy as np

from assistant.core.audio import FRAME_BYTES, FRAME_MS, FRAME_SAMPLES, to_seconds
from assistant.speech.stt.recognizer import Transcript

LONGEST_S: Final = 120.0
"""Length at which an utterance ends although its speaker goes on: as in a room where a television is never silent."""
_CUT_WITHIN_S: Final = 3.0
"""Sound at the end in which a pause is looked for. People seldom speak for longer without one."""
_PAUSE_FRAMES: Final = 150 // FRAME_MS


@dataclass(eq=False, slots=True)
class Part:
    """A part of an utterance, while it is being read.

    Attributes:
        pcm: its sound.
        shown: its words on the screen until it has been read.
        transcript: its transcript; ``None`` before it has been read, and if nothing was understood.
        read: whether it has been read.
    """

    pcm: bytes
    shown: str
    transcript: Transcript | None = None
    read: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def text(self) -> str:
        """Its words, as far as they are known."""
        if self.transcript is not None:
            return self.transcript.text
        return "" if self.read.is_set() else self.shown


@dataclass(eq=False, slots=True)
class Parts:
    """The parts of an utterance before the one that is being captured."""

    _parts: list[Part] = field(default_factory=list)

    def __bool__(self) -> bool:
        """Whether there are any."""
        return bool(self._parts)

    def add(self, part: Part) -> None:
        """Add the next part."""
        self._parts.append(part)

    async def all_read(self) -> None:
        """Wait until all parts have been read."""
        for part in self._parts:
            await part.read.wait()

    def with_rest(self, text: str) -> str:
        """The words of all parts, as far as they are known, and those of the rest."""
        texts = [each for each in (*(part.text for part in self._parts), text) if each]
        # The recogniser ends each part as if it were a sentence.
        ends = [each.rstrip(".…") if after[0].islower() else each for each, after in pairwise(texts)]
        return " ".join([*ends, *texts[-1:]])

    @property
    def language(self) -> str:
        """The language of the newest part that was understood; empty if there is none."""
        return next((part.transcript.language for part in reversed(self._parts) if part.transcript is not None), "")

    @property
    def pcm(self) -> bytes:
        """The sound of all parts."""
        return b"".join(part.pcm for part in self._parts)

    @property
    def length_s(self) -> float:
        """Their length in seconds."""
        return to_seconds(sum(len(part.pcm) for part in self._parts) // 2)


def quietest(pcm: bytes) -> int:
    """The place, in bytes, at which an utterance is cut: in the quietest moment of its end, so that no word is."""
    frames = np.frombuffer(pcm, "<i2")[: len(pcm) // FRAME_BYTES * FRAME_SAMPLES].reshape(-1, FRAME_SAMPLES)
    within = min(round(_CUT_WITHIN_S * 1000) // FRAME_MS, len(frames) // 2)
    powers = np.mean(np.square(frames[-within:].astype(np.float32)), axis=1)
    moments = np.convolve(powers, np.ones(_PAUSE_FRAMES), "valid")
    return (len(frames) - within + int(np.argmin(moments)) + _PAUSE_FRAMES // 2) * FRAME_BYTES
