"""Whether somebody speaks over the running turn, how long, and whether that alone is an interruption (V-15, V-16).

Pure, counted in frames of 10 ms. A suspicion needs little speech, so that the voice is ducked at once. A little more
pauses the voice, which costs nothing but a gap if it was wrong. Only speech that is longer than a word of agreement or
a cough is an interruption by itself. After shorter speech, its words decide (``voice/overlap/words.py``).
"""

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum, auto

from assistant.core.audio import FRAME_MS

SUSPECT_MS = 10
"""Speech that raises a suspicion: one decision of the voice detector, which judges 32 ms and ignores clicks."""
HEARD_MS = 130
"""Speech that pauses the voice while there may be an echo: five decisions of the voice detector."""
HEARD_SURE_MS = 40
"""The same for a sound that the detector is sure of: two decisions. A voice over an echo reaches this certainty with
its second or third decision, the rest of an echo hardly ever."""
HEARD_ALONE_MS = 40
"""The same without an echo, where nothing but another voice can be heard."""
FALSE_ALARM_MS = 60
"""Further speech that is needed after each pause in the same answer that was caused by Sori's own echo."""
MOST_FALSE_ALARMS = 3
HEARD_WITHIN_MS = 500
"""The span that must contain this amount of speech."""
CONFIRM_MS = 850
"""Speech that is an interruption whatever its words are: longer than a cough (200 ms) or a word of agreement (300 to
800 ms)."""
CONFIRM_WITHIN_MS = 1_100
"""The span that must contain this amount of speech. The voice was paused for most of it, so its echo has died away."""
ENDED_MS = 200
"""Silence that ends short speech. The closure inside a word is shorter than 100 ms."""
LEAST_WORD_MS = 150
"""Shorter speech holds no word, also with the detector's delay of 60 ms at its end."""
DISMISS_MS = 300
"""Silence that ends a suspicion."""
LONGEST_MS = 2_000
"""Longest pause of the voice. Whoever speaks on and off for so long interrupts."""
ECHO_MARGIN_DB = 30.0
"""Speech must not be weaker than the played sound by more than this; the residue of echo cancellation is weaker."""


class Overlap(Enum):
    """The change that a frame caused."""

    SUSPECTED = auto()
    HEARD = auto()
    """Somebody speaks. Whether it is an interruption is not known yet."""
    ENDED = auto()
    """The speech has ended before it was long enough for an interruption. Its words decide."""
    WENT_ON = auto()
    """It has not ended."""
    DISMISSED = auto()
    CONFIRMED = auto()


class _Stage(Enum):
    NOTHING = auto()
    SUSPECTED = auto()
    HEARD = auto()
    ENDED = auto()


class OverlapJudge:
    """Judges frame by frame while Sori thinks or speaks.

    Each frame is judged twice: with an echo and without one. The newest belief about the echo selects the result, so no
    speech is lost that was heard before the belief changed.

    Attributes:
        false_alarms: number of pauses in this answer that Sori's own echo has caused.
        began_ms_ago: time since the start of the speech as far as it is known, including speech that did not count.
        speech_ms: duration of the speech, without pauses.
        silence_ms: time since the end of the speech.
    """

    def __init__(self) -> None:
        self._recent: deque[_Counts] = deque(maxlen=CONFIRM_WITHIN_MS // FRAME_MS)
        self._stage = _Stage.NOTHING
        self._heard_for_ms = 0
        self._needed_ms = HEARD_MS
        self._goes_on = False
        self.false_alarms = 0
        self.began_ms_ago = 0
        self.speech_ms = 0
        self.silence_ms = 0

    @property
    def suspected(self) -> bool:
        """Whether somebody may be speaking."""
        return self._stage is not _Stage.NOTHING

    @property
    def speaks(self) -> bool:
        """Whether somebody speaks, for long enough to be heard, and has not ended."""
        return self._stage is _Stage.HEARD

    def reset(self) -> None:
        """Forget all sound. The attributes keep the times of the last speech."""
        self._recent.clear()
        self._stage = _Stage.NOTHING
        self._goes_on = False

    def go_on(self) -> None:
        """Follow speech that was just confirmed, because it is not known whose it is: to its end, or ``LONGEST_MS``."""
        self._stage = _Stage.HEARD
        self._goes_on = True

    def feed(
        self,
        *,
        speech: bool,
        heard_db: float,
        played_db: float,
        echo: bool = True,
        unprocessed_speech: bool = False,
        separated_speech: bool | None = None,
        sure: bool = False,
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
            sure: whether voice activity detection is sure of the speech beside the echo.
        """
        cleaned = speech and heard_db > played_db - ECHO_MARGIN_DB
        with_echo = cleaned if separated_speech is None else separated_speech
        self._recent.append(_Counts(with_echo=with_echo, without_echo=speech or unprocessed_speech or with_echo))
        counts = [each.with_echo if echo else each.without_echo for each in self._recent]
        alarms = min(self.false_alarms, MOST_FALSE_ALARMS)
        needed_ms = HEARD_SURE_MS if sure else HEARD_MS
        self._needed_ms = needed_ms + FALSE_ALARM_MS * alarms if echo else HEARD_ALONE_MS
        if self._stage in (_Stage.HEARD, _Stage.ENDED):
            return self._follow(counts)
        return self._await_speech(counts)

    def _await_speech(self, counts: Sequence[bool]) -> Overlap | None:
        heard_ms = _speech_ms(counts, HEARD_WITHIN_MS)
        if self._stage is _Stage.NOTHING and heard_ms >= SUSPECT_MS:
            spoken = [each.without_echo for each in self._recent][-HEARD_WITHIN_MS // FRAME_MS :]
            self.began_ms_ago = (len(spoken) - spoken.index(True)) * FRAME_MS
            self._stage = _Stage.SUSPECTED
            if heard_ms < self._needed_ms:
                return Overlap.SUSPECTED
        elif self._stage is _Stage.SUSPECTED:
            self.began_ms_ago += FRAME_MS
        if heard_ms >= self._needed_ms:
            self._stage = _Stage.HEARD
            self.speech_ms = heard_ms
            self._heard_for_ms = self.silence_ms = 0
            return Overlap.HEARD
        if self._stage is _Stage.SUSPECTED and _is_silent(counts, DISMISS_MS):
            self.reset()
            return Overlap.DISMISSED
        return None

    def _follow(self, counts: Sequence[bool]) -> Overlap | None:
        """Judge the next 10 ms after speech was heard."""
        self.began_ms_ago += FRAME_MS
        self._heard_for_ms += FRAME_MS
        self.speech_ms += FRAME_MS * counts[-1]
        self.silence_ms = 0 if counts[-1] else self.silence_ms + FRAME_MS
        long = not self._goes_on and _speech_ms(counts, CONFIRM_WITHIN_MS) >= CONFIRM_MS
        if long or self._heard_for_ms >= LONGEST_MS:
            self.reset()
            return Overlap.CONFIRMED
        if self._stage is _Stage.ENDED:
            if counts[-1]:
                self._stage = _Stage.HEARD
                return Overlap.WENT_ON
        elif self.silence_ms >= ENDED_MS:
            if self.speech_ms < LEAST_WORD_MS:
                self.reset()
                return Overlap.DISMISSED
            self._stage = _Stage.ENDED
            return Overlap.ENDED
        return None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Counts:
    """Whether a frame counts as the user's speech, with an echo and without one."""

    with_echo: bool
    without_echo: bool


def _speech_ms(counts: Sequence[bool], within_ms: int) -> int:
    return sum(counts[-within_ms // FRAME_MS :]) * FRAME_MS


def _is_silent(counts: Sequence[bool], for_ms: int) -> bool:
    return not any(counts[-for_ms // FRAME_MS :])
