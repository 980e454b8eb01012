"""Lulls: moments in which the voice has become inaudible, because a word, or the sentence, is over. Pure.

The voice detector reports the end of speech up to 140 ms after it. A recogniser that reads as soon as the sound has
fallen to the noise of the room has often read the whole utterance when the pause is known.
"""

import math
from collections import deque
from typing import Final

import numpy as np

from assistant.core.audio import FRAME_BYTES, FRAME_MS

BELOW_VOICE_DB: Final = 18.0
"""What is weaker than the voice by this is no syllable. The last syllable of a sentence is weaker by up to 16 dB."""
ABOVE_ROOM_DB: Final = 5.0
"""What is louder than the quietest moment by less than this may be the room."""
ROOM_BELOW_VOICE_DB: Final = 8.0
"""A room that is louder than this below the voice hides the ends of words."""
_STAYS_DB: Final = 4.0
"""By how much a lull may become louder."""
_ROOM_FRAMES: Final = 300
"""Frames in which the quietest moment is looked for."""
_QUIETEST: Final = 5
"""Frames of the quietest moment."""
_SMOOTHED: Final = 3
"""Frames of which the level is the mean. In single frames a low voice seems to stop between two periods."""
_FORGETS_DB: Final = 0.05
"""By how much the level of the voice falls in each frame, so that one loud word does not count for long."""
_SILENT: Final = 1e-3
"""Least power, so that its logarithm exists."""


class Lull:
    """Follows the levels of a voice and of the room.

    Attributes:
        duration_ms: how long the voice has been inaudible; 0 while it is heard.
    """

    def __init__(self) -> None:
        self.duration_ms = 0
        self._powers: deque[float] = deque(maxlen=_QUIETEST)
        self._moments_db: deque[float] = deque(maxlen=_ROOM_FRAMES)
        self._voice_db = -math.inf

    def feed(self, pcm: bytes, *, speech: bool) -> None:
        """Take the next 10 ms, and whether the voice detector hears a voice."""
        samples = np.frombuffer(pcm, "<i2").astype(np.float32)
        self._powers.append(float(np.dot(samples, samples)) / max(1, samples.size))
        self._moments_db.append(_mean_db(list(self._powers)))
        now_db = _mean_db(list(self._powers)[-_SMOOTHED:])
        if speech:
            self._voice_db = max(now_db, self._voice_db - _FORGETS_DB)
        room_db = min(min(self._moments_db) + ABOVE_ROOM_DB, self._voice_db - ROOM_BELOW_VOICE_DB)
        limit_db = max(self._voice_db - BELOW_VOICE_DB, room_db) + (_STAYS_DB if self.duration_ms else 0)
        self.duration_ms = self.duration_ms + FRAME_MS if now_db <= limit_db else 0

    def learn_room(self, pcm: bytes) -> None:
        """Take the sound before the first frame."""
        for start in range(0, len(pcm) - FRAME_BYTES + 1, FRAME_BYTES):
            self.feed(pcm[start : start + FRAME_BYTES], speech=False)


def _mean_db(powers: list[float]) -> float:
    return 10 * math.log10(sum(powers) / len(powers) + _SILENT)
