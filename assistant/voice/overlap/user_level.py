"""How loud the user and other voices in the room are, to tell the user from a television or from others. Pure.

Loudness alone does not tell: people turn away, and speak more softly towards the end of what they say.
"""

from collections import deque
from collections.abc import Sequence
from typing import Final

import numpy as np

from assistant.audio.level import level_db
from assistant.core.audio import FRAME_BYTES
from assistant.speech.endpoint.continuation import Relation

ELSEWHERE_DB: Final = 8.0
"""Speech that is weaker than the user's by this comes from elsewhere. Two and a half times the distance makes 8 dB; the
words of one person are up to 6 dB weaker than the person's sentences."""
ELSEWHERE_BESIDE_ECHO_DB: Final = 10.0
"""The same for sound out of which an echo was taken, because some of the voice goes with it."""
REMEMBERED: Final = 5
"""Number of the user's last utterances that count."""
OTHERS_DB: Final = 4.0
"""Speech that is louder than the other voices by more than this is not theirs."""
OTHERS_MS: Final = 120_000
"""How long other voices are remembered. A television plays for longer; somebody who talks in passing does not."""
_PART_FRAMES: Final = 50
"""Voiced frames of which one level is known: about two syllables."""
_PARTS: Final = 2
"""Parts that make a voice. One may be a cough or a door."""
_LOUD_PERCENTILE: Final = 80.0
_SPEECH_DB: Final = 30.0
"""What is weaker than the loudest moment by this is no voice. The pauses of an utterance must not make it weaker."""


class UserLevel:
    """Learns the level of the user's voice from the utterances that were understood.

    The weakest of the last ones counts, so that a user who turns away is not ignored.
    """

    def __init__(self) -> None:
        self._levels_db: deque[float] = deque(maxlen=REMEMBERED)

    def learn(self, pcm: bytes) -> None:
        """Take an utterance of the user's."""
        self._levels_db.append(loud_level_db(pcm))

    def least_db(self, *, beside_echo: bool) -> float | None:
        """The level in dBFS below which speech comes from elsewhere; ``None`` before the user has spoken."""
        if not self._levels_db:
            return None
        return min(self._levels_db) - (ELSEWHERE_BESIDE_ECHO_DB if beside_echo else ELSEWHERE_DB)

    def is_elsewhere(self, pcm: bytes) -> bool:
        """Whether speech that was heard without an echo comes from elsewhere."""
        least_db = self.least_db(beside_echo=False)
        return least_db is not None and loud_level_db(pcm) < least_db


class RoomVoices:
    """Remembers how loud the voices were that did not speak to Sori."""

    def __init__(self) -> None:
        self._part: list[float] = []
        self._levels_db: deque[tuple[int, float]] = deque()

    def hear(self, pcm: bytes, now_ms: int) -> None:
        """Take a frame in which somebody speaks, and not to Sori."""
        self._part.append(level_db(pcm))
        if len(self._part) == _PART_FRAMES:
            self._learn(loud_of(self._part), now_ms)
            self._part.clear()

    def learn(self, pcm: bytes, now_ms: int) -> None:
        """Take speech that turned out not to be the user's."""
        for _ in range(_PARTS):
            self._learn(loud_level_db(pcm), now_ms)

    def speak_at(self, level: float, user_db: float, now_ms: int) -> bool:
        """Whether speech of a level in dBFS is probably theirs, and not that of a user who speaks at ``user_db``."""
        self._forget(now_ms)
        known = [each for _, each in self._levels_db if each < user_db]
        return len(known) >= _PARTS and level <= max(known) + OTHERS_DB

    def _learn(self, level: float, now_ms: int) -> None:
        self._levels_db.append((now_ms, level))
        self._forget(now_ms)

    def _forget(self, now_ms: int) -> None:
        while self._levels_db and now_ms - self._levels_db[0][0] > OTHERS_MS:
            self._levels_db.popleft()


def may_be_rest(related: Relation, *, unfinished: bool, at_once: bool, over: bool, others: bool) -> bool:
    """Whether speech that is weaker than the user's, soon after a request, may be the rest of the request.

    Args:
        related: how its words relate to the request.
        unfinished: whether the words of the request lack something.
        at_once: whether the pause was as short as one inside a sentence.
        over: whether the speech has ended. A television talks on.
        others: whether other voices of this level are known.
    """
    if others:
        return unfinished and at_once
    return related is not Relation.APART or (at_once and over)


def loud_level_db(pcm: bytes) -> float:
    """The level in dBFS of the louder part of a sound: of its vowels."""
    frames = [pcm[at : at + FRAME_BYTES] for at in range(0, len(pcm) - FRAME_BYTES + 1, FRAME_BYTES)]
    return loud_of([level_db(frame) for frame in frames or [b""]])


def loud_of(levels_db: Sequence[float]) -> float:
    """The level of the louder part of a voice, by the levels of its frames."""
    least_db = max(levels_db) - _SPEECH_DB
    return float(np.percentile([each for each in levels_db if each >= least_db], _LOUD_PERCENTILE))
