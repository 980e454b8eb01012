"""Speech over the running turn, while Sori thinks or speaks: what is reported of it, and where it began."""

from collections.abc import Callable

from assistant.audio.level import level_db
from assistant.audio.speech_segments import PreRoll
from assistant.core import events as ev
from assistant.core.events import Event
from assistant.core.states import TurnId
from assistant.voice.overlap import OverlapJudge, Verdict
from assistant.voice.trace import Trace

OVERLAP_PREROLL_MS = 900
"""Kept while Sori thinks or speaks: a barge-in is confirmed up to half a second after its first syllable."""
GOES_ON_WITHIN_MS = 3_000
"""Whoever speaks again so soon after the end of a request may be going on with it; of the answer hardly anything has
been heard."""


class OverlapHearing:
    """Listens over the running turn.

    Args:
        report: takes each event.
        trace: notes what happens.
        ended_within: whether the user's last utterance ended no longer than so many milliseconds ago.
    """

    def __init__(self, *, report: Callable[[Event], None], trace: Trace, ended_within: Callable[[int], bool]) -> None:
        self._report = report
        self._ended_within = ended_within
        self._trace = trace
        self._judge = OverlapJudge()
        self._preroll = PreRoll(OVERLAP_PREROLL_MS)

    @property
    def suspected(self) -> bool:
        """Whether it is unclear at the moment if the user speaks."""
        return self._judge.suspected

    def begin(self) -> None:
        """A turn runs: forget the sound before it."""
        self._preroll.clear()

    def reset(self) -> None:
        """Suspect nothing; the sound is kept."""
        self._judge.reset()

    def take_onset(self) -> bytes:
        """The sound in which the speech began, which is then forgotten."""
        return self._preroll.take()

    def hear(self, turn: TurnId, pcm: bytes, played: bytes, *, speech: bool, echo: bool) -> None:
        """Take the next 10 ms of what is heard and played while ``turn`` runs; ``echo``: whether it may come back."""
        self._preroll.push(pcm)
        verdict = self._judge.feed(speech=speech, heard_db=level_db(pcm), played_db=level_db(played), echo=echo)
        if verdict is Verdict.SUSPECTED:
            self._report(ev.OverlapSuspected(turn=turn))
        elif verdict is Verdict.DISMISSED:
            self._trace.note("resumed")
            self._report(ev.OverlapDismissed(turn=turn))
        elif verdict is Verdict.CONFIRMED:
            self._report(ev.OverlapConfirmed(turn=turn, soon=self._ended_within(GOES_ON_WITHIN_MS)))
