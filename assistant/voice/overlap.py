"""Whether the user speaks over Sori: suspected, dismissed or confirmed (V-15, V-16).

Pure, counted in frames of 10 ms. A suspicion needs little speech, so that the voice is ducked at once. A confirmation
needs enough speech that a cough, a click or residual echo does not end an answer.
"""

from collections import deque
from dataclasses import dataclass
from enum import Enum, auto

from assistant.core.audio import FRAME_MS

SUSPECT_MS = 30
"""Speech that raises a suspicion: one decision of the voice detector, which ignores clicks."""
CONFIRM_MS = 260
"""Speech that confirms a barge-in: longer than a cough's voiced part (about 200 ms), shorter than a two-syllable
word."""
CONFIRM_WITHIN_MS = 500
"""The span that must contain this amount of speech."""
DISMISS_MS = 300
"""Silence that ends a suspicion."""
ECHO_MARGIN_DB = 30.0
"""Speech must not be weaker than the played sound by more than this; the residue of echo cancellation is weaker."""


class Overlap(Enum):
    """The change that a frame caused."""

    SUSPECTED = auto()
    DISMISSED = auto()
    CONFIRMED = auto()


class OverlapJudge:
    """Judges frame by frame while Sori thinks or speaks.

    Each frame is judged twice: with an echo and without one. The newest belief about the echo selects the result, so no
    speech is lost that was heard before the belief changed.

    Attributes:
        began_ms_ago: after a confirmation, the time since the start of the speech as far as it is known, including
            speech that did not count.
    """

    def __init__(self) -> None:
        self._recent: deque[_Counts] = deque(maxlen=CONFIRM_WITHIN_MS // FRAME_MS)
        self._suspected = False
        self.began_ms_ago = 0

    @property
    def suspected(self) -> bool:
        """Whether a suspicion is open."""
        return self._suspected

    def reset(self) -> None:
        """Forget all sound."""
        self._recent.clear()
        self._suspected = False

    def feed(
        self,
        *,
        speech: bool,
        heard_db: float,
        played_db: float,
        echo: bool = True,
        unprocessed_speech: bool = False,
        separated_speech: bool | None = None,
    ) -> Overlap | None:
        """Take the next 10 ms.

        Args:
            speech: whether voice activity detection finds speech after echo cancellation.
            heard_db: level in dBFS after echo cancellation.
            played_db: level in dBFS of the sound played at the same time.
            echo: whether the microphone may pick up the played sound. If it does not, the played level is ignored.
            unprocessed_speech: whether voice activity detection finds speech in the microphone signal.
            separated_speech: whether voice activity detection finds speech in what is heard beside the echo. If it is
                known, it counts in place of ``speech`` while there is an echo.
        """
        cleaned = speech and heard_db > played_db - ECHO_MARGIN_DB
        with_echo = cleaned if separated_speech is None else separated_speech
        self._recent.append(_Counts(with_echo=with_echo, without_echo=speech or unprocessed_speech or with_echo))
        counts = [each.with_echo if echo else each.without_echo for each in self._recent]
        if sum(counts) * FRAME_MS >= CONFIRM_MS:
            spoken = [each.without_echo for each in self._recent]
            self.began_ms_ago = (len(spoken) - spoken.index(True)) * FRAME_MS
            self.reset()
            return Overlap.CONFIRMED
        if not self._suspected and sum(counts) * FRAME_MS >= SUSPECT_MS:
            self._suspected = True
            return Overlap.SUSPECTED
        if self._suspected and not any(counts[-DISMISS_MS // FRAME_MS :]):
            self.reset()
            return Overlap.DISMISSED
        return None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Counts:
    """Whether a frame counts as the user's speech, with an echo and without one."""

    with_echo: bool
    without_echo: bool
