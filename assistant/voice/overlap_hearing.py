"""Speech over the running turn, while Sori thinks or speaks: its events and its onset."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum, auto
from typing import assert_never

from assistant.audio.echo.presence import Echo
from assistant.audio.level import level_db
from assistant.audio.speech_segments import PreRoll
from assistant.core.machine import events as ev
from assistant.core.machine.events import Event
from assistant.core.machine.states import TurnId
from assistant.voice.ears import VoiceDetector
from assistant.voice.heard_sound import HeardSound
from assistant.voice.overlap import Overlap, OverlapJudge
from assistant.voice.trace import Trace

OVERLAP_PREROLL_MS = 900
"""Sound kept while Sori thinks or speaks. A barge-in is confirmed up to half a second after its first syllable."""
GOES_ON_WITHIN_MS = 3_000
"""Speech within this time after the end of a request may continue the request, because the user has heard hardly
anything of the answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Onset:
    """The sound in which the user began to speak.

    Attributes:
        pcm: the best version of this sound.
        began_ms_ago: time since the start of the speech.
        unprocessed: the same sound without echo cancellation, while the presence of an echo is unknown.
    """

    pcm: bytes
    began_ms_ago: int
    unprocessed: bytes | None = None


class OverlapHearing:
    """Listens over the running turn.

    Without an echo, echo cancellation removes the user's voice, and the absence of an echo is known only after half a
    second of the answer. The microphone signal is therefore kept and judged as well, and is used once the absence is
    known.

    With a recognised echo, echo cancellation weakens the user's voice. What is heard beside the echo is then judged, as
    soon as it is known.

    Args:
        voice: voice activity detection for the microphone signal, and for what is heard beside an echo.
        report: takes each event.
        trace: records what happens.
        ended_within: whether the user's last utterance ended at most this many milliseconds ago.
    """

    def __init__(
        self,
        voice: VoiceDetector,
        *,
        report: Callable[[Event], None],
        trace: Trace,
        ended_within: Callable[[int], bool],
    ) -> None:
        self._voice = voice
        self._report = report
        self._ended_within = ended_within
        self._trace = trace
        self._judge = OverlapJudge()
        self._cleaned = PreRoll(OVERLAP_PREROLL_MS)
        self._heard = PreRoll(OVERLAP_PREROLL_MS)
        self._echo = Echo.EXPECTED
        self._judged = _Judged.CLEANED

    @property
    def suspected(self) -> bool:
        """Whether a suspicion is open."""
        return self._judge.suspected

    def begin(self) -> None:
        """Forget the sound before the turn."""
        self._cleaned.clear()
        self._heard.clear()
        self._judged = _Judged.CLEANED

    def reset(self) -> None:
        """Forget the suspicion; the sound is kept."""
        self._judge.reset()

    def take_onset(self) -> Onset:
        """Return the sound in which the speech began, and forget it."""
        cleaned, heard = self._cleaned.take(), self._heard.take()
        began_ms_ago = self._judge.began_ms_ago
        match self._echo:
            case Echo.ABSENT:
                return Onset(pcm=heard, began_ms_ago=began_ms_ago)
            case Echo.EXPECTED:
                return Onset(pcm=cleaned, began_ms_ago=began_ms_ago, unprocessed=heard)
            case Echo.RECOGNISED:
                return Onset(pcm=cleaned, began_ms_ago=began_ms_ago)
            case _:
                assert_never(self._echo)

    def hear(self, turn: TurnId, sound: HeardSound) -> None:
        """Take the next 10 ms while ``turn`` runs."""
        self._cleaned.push(sound.cleaned)
        self._heard.push(sound.heard)
        self._echo = sound.echo
        verdict = self._judge.feed(
            speech=sound.speech,
            heard_db=level_db(sound.cleaned),
            played_db=level_db(sound.played),
            echo=sound.echo is not Echo.ABSENT,
            unprocessed_speech=self._heard_speech(sound),
            separated_speech=self._separated_speech(sound),
        )
        if verdict is Overlap.SUSPECTED:
            self._report(ev.OverlapSuspected(turn=turn))
        elif verdict is Overlap.DISMISSED:
            self._trace.note("resumed")
            self._report(ev.OverlapDismissed(turn=turn))
        elif verdict is Overlap.CONFIRMED:
            self._report(ev.OverlapConfirmed(turn=turn, soon=self._ended_within(GOES_ON_WITHIN_MS)))

    def _heard_speech(self, sound: HeardSound) -> bool:
        """Whether the microphone signal contains speech. False without a check while an echo is known to be present."""
        if sound.echo is Echo.RECOGNISED:
            return False
        if self._judged is not _Judged.HEARD and sound.cleaned == sound.heard:
            return sound.speech
        return self._speech(_Judged.HEARD, sound.heard)

    def _separated_speech(self, sound: HeardSound) -> bool | None:
        """Whether there is speech beside a recognised echo; ``None`` while that cannot be known."""
        if sound.echo is not Echo.RECOGNISED or sound.separated is None:
            return None
        return self._speech(_Judged.SEPARATED, sound.separated)

    def _speech(self, judged: "_Judged", pcm: bytes) -> bool:
        """Whether there is speech in a sound that is judged besides the cleaned one."""
        if self._judged is not judged:
            self._voice.reset()
            self._judged = judged
        return self._voice.feed(pcm).speech


class _Judged(Enum):
    """The last sound that was judged besides the cleaned one."""

    CLEANED = auto()
    """None besides it."""
    HEARD = auto()
    SEPARATED = auto()
