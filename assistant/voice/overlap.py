"""Whether the user speaks over Sori: suspected, dismissed or confirmed (V-15, V-16).

Pure, and counted in frames of 10 ms. A suspicion needs little speech, so that the voice is lowered at once; a
confirmation needs enough of it that a cough, a click or a scrap of echo does not end an answer.
"""

from collections import deque
from dataclasses import dataclass
from enum import Enum, auto

from assistant.core.audio import FRAME_MS

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
    """Judges frame after frame while Sori thinks or speaks.

    Each frame is judged twice: as if what is played came back, and as if it did not. What counts is what fits the
    newest belief, so that speech is not lost that was heard before the belief changed.

    Attributes:
        began_ms_ago: at a confirmation: when the speech began, as far as it is known, whether it counted or not.
    """

    def __init__(self) -> None:
        self._recent: deque[_Counts] = deque(maxlen=CONFIRM_WITHIN_MS // FRAME_MS)
        self._suspected = False
        self.began_ms_ago = 0

    @property
    def suspected(self) -> bool:
        """Whether it is unclear at the moment if the user speaks."""
        return self._suspected

    def reset(self) -> None:
        """Forget everything heard."""
        self._recent.clear()
        self._suspected = False

    def feed(
        self, *, speech: bool, heard_db: float, played_db: float, echo: bool = True, unprocessed_speech: bool = False
    ) -> Verdict | None:
        """Take the next 10 ms.

        Args:
            speech: whether voice activity detection calls it speech, after echo cancellation.
            heard_db: its level in dBFS, after echo cancellation.
            played_db: level in dBFS of what the speaker plays meanwhile.
            echo: whether what is played may come back. Where it does not, its level says nothing.
            unprocessed_speech: whether voice activity detection calls what the microphone heard speech.
        """
        cleaned = speech and heard_db > played_db - ECHO_MARGIN_DB
        self._recent.append(_Counts(with_echo=cleaned, without_echo=speech or unprocessed_speech))
        counts = [each.with_echo if echo else each.without_echo for each in self._recent]
        if sum(counts) * FRAME_MS >= CONFIRM_MS:
            spoken = [each.without_echo for each in self._recent]
            self.began_ms_ago = (len(spoken) - spoken.index(True)) * FRAME_MS
            self.reset()
            return Verdict.CONFIRMED
        if not self._suspected and sum(counts) * FRAME_MS >= SUSPECT_MS:
            self._suspected = True
            return Verdict.SUSPECTED
        if self._suspected and not any(counts[-DISMISS_MS // FRAME_MS :]):
            self.reset()
            return Verdict.DISMISSED
        return None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Counts:
    """Whether a frame counts as the user's speech, if what is played comes back and if it does not."""

    with_echo: bool
    without_echo: bool
