"""How loud the user speaks, to tell the user from a television or from somebody in another part of the room. Pure."""

from collections import deque
from collections.abc import Sequence
from typing import Final

import numpy as np

from assistant.audio.level import level_db
from assistant.core.audio import FRAME_BYTES

ELSEWHERE_DB: Final = 8.0
"""Speech that is weaker than the user's by this comes from elsewhere. Two and a half times the distance makes 8 dB; the
words of one person are up to 6 dB weaker than the person's sentences."""
ELSEWHERE_BESIDE_ECHO_DB: Final = 10.0
"""The same for sound out of which an echo was taken, because some of the voice goes with it."""
REMEMBERED: Final = 5
"""Number of the user's last utterances that count."""
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


def loud_level_db(pcm: bytes) -> float:
    """The level in dBFS of the louder part of a sound: of its vowels."""
    frames = [pcm[at : at + FRAME_BYTES] for at in range(0, len(pcm) - FRAME_BYTES + 1, FRAME_BYTES)]
    return loud_of([level_db(frame) for frame in frames or [b""]])


def loud_of(levels_db: Sequence[float]) -> float:
    """The level of the louder part of a voice, by the levels of its frames."""
    least_db = max(levels_db) - _SPEECH_DB
    return float(np.percentile([each for each in levels_db if each >= least_db], _LOUD_PERCENTILE))
