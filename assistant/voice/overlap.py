"""Whether the user speaks over Sori: suspected, dismissed or confirmed (V-15, V-16).

Pure, and counted in frames of 10 ms. A suspicion needs little speech, so that the voice is lowered at once; a
confirmation needs enough of it that a cough, a click or a scrap of echo does not end an answer.
"""

from collections import deque
from enum import Enum, auto

SUSPECT_MS = 60
"""Speech that raises a suspicion: two syllable nuclei's worth of voicing is rarely a click."""
CONFIRM_MS = 260
"""Speech that confirms it: longer than a cough's voiced part (about 200 ms), shorter than a two-syllable word."""
CONFIRM_WITHIN_MS = 500
"""The span in which that much speech must fall."""
DISMISS_MS = 300
"""Silence that ends a suspicion."""
ECHO_MARGIN_DB = 30.0
"""What is heard must be no weaker than this below what is played: what echo cancellation leaves over is weaker."""


class Verdict(Enum):
    """What a frame changed."""

    SUSPECTED = auto()
    DISMISSED = auto()
    CONFIRMED = auto()


class OverlapJudge:
    """Judges frame after frame while Sori thinks or speaks."""

    def __init__(self) -> None:
        self._recent: deque[bool] = deque(maxlen=CONFIRM_WITHIN_MS // 10)
        self._silence_ms = 0
        self._suspected = False

    @property
    def suspected(self) -> bool:
        """Whether it is unclear at the moment if the user speaks."""
        return self._suspected

    def reset(self) -> None:
        """Forget everything heard."""
        self._recent.clear()
        self._silence_ms = 0
        self._suspected = False

    def feed(self, *, speech: bool, heard_db: float, played_db: float, echo: bool = True) -> Verdict | None:
        """Take the next 10 ms.

        Args:
            speech: whether voice activity detection calls it speech, after echo cancellation.
            heard_db: its level in dBFS, after echo cancellation.
            played_db: level in dBFS of what the speaker plays meanwhile.
            echo: whether what is played may come back. Where it does not, its level says nothing.
        """
        counts = speech and (not echo or heard_db > played_db - ECHO_MARGIN_DB)
        self._recent.append(counts)
        self._silence_ms = 0 if counts else self._silence_ms + 10
        spoken_ms = 10 * sum(self._recent)
        if spoken_ms >= CONFIRM_MS:
            self.reset()
            return Verdict.CONFIRMED
        if not self._suspected and spoken_ms >= SUSPECT_MS:
            self._suspected = True
            return Verdict.SUSPECTED
        if self._suspected and self._silence_ms >= DISMISS_MS:
            self.reset()
            return Verdict.DISMISSED
        return None
