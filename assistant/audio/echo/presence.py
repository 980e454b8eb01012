"""Whether the microphone picks up the speaker at all.

With headphones or a low speaker volume there is no echo. WebRTC's canceller then has nothing to learn from, takes the
user's own voice for echo and removes it, so a barge-in is not heard. This module therefore first decides whether the
heard signal ever follows the played signal. Pure, counted in frames of 10 ms.

Levels prove the absence of an echo when nothing is heard. Only the waveforms (``echo.correlation``) tell an echo from a
user who speaks at the same time.
"""

from collections import deque
from enum import StrEnum

from assistant.audio.echo.correlation import FOLLOWS, SPAN_MS, UNRELATED
from assistant.core.audio import FRAME_MS

LOUD_DB = -30.0
"""Level in dBFS from which a played frame would cause an audible echo: the middle of a vowel of the assistant's
voice."""
DELAY_MS = 500
"""Longest delay of an echo, equal to the longest that the canceller searches."""
EVIDENCE_MS = 1_000
"""Amount of loud playback that is judged. A change of loudspeaker during an answer is noticed in about this time."""
ENOUGH_MS = 200
"""Least loud playback for a judgement. The two cues before a first answer (awake, heard) hold 230 ms."""
QUIET_SHARE = 0.2
"""Share of the evidence that must be free of echo; the user may be speaking during the rest."""
FLOOR_MS = 4_000
"""Span whose quietest 100 ms give the room's noise level."""
QUIETEST_DB = -65.0
"""Lowest noise level assumed for a room. Voice activity detection finds no speech at this level even in silence."""
COMPARISONS = 3
"""Number of consecutive comparisons that must agree."""
COMPARED_MS = 200
"""Least loud playback in the span of a waveform comparison."""
CUE_MS = 50
"""Least loud playback in the span of a comparison with a cue, which is shorter than ``COMPARED_MS``. Such comparisons
only prove an echo."""
CUE_FOLLOWS = 18.0
"""Peak from which the heard signal counts as the echo of a cue.

Measured with the cues awake and heard. The first three comparisons with an echo of 0 to -20 dB: 45 and more; through a
reverberant room 22 and more. Without an echo, 114 voices over the cues reach it in single comparisons, but never in
three consecutive ones.
"""
LOUD_FOR_MS = 3_000
"""Time after which heard sound as loud as an echo, with waveforms that do not resemble the playback, counts as an echo.
A barge-in would have stopped the answer long before, so the sound must be an echo that is distorted beyond
recognition."""
INAUDIBLE_DB = 8.0
"""An echo less than this above the room's noise holds no words for voice activity detection. Noise alone varies by
about half of it."""


class Echo(StrEnum):
    """Whether the microphone picks up the played sound."""

    ABSENT = "absent"
    EXPECTED = "expected"
    """Not known yet."""
    RECOGNISED = "recognised"


class EchoPresence:
    """Judges frame by frame; an echo is assumed until its absence was observed.

    Attributes:
        state: the current belief.
    """

    def __init__(self) -> None:
        self.state = Echo.EXPECTED
        self._played: deque[float] = deque(maxlen=DELAY_MS // FRAME_MS)
        self._heard: deque[float] = deque(maxlen=DELAY_MS // FRAME_MS)
        self._evidence: deque[tuple[float, float]] = deque(maxlen=EVIDENCE_MS // FRAME_MS)
        self._tenth: list[float] = []
        self._floors: deque[float] = deque(maxlen=FLOOR_MS // 100)
        self._newest_played: deque[float] = deque(maxlen=SPAN_MS // FRAME_MS)
        self._peaks: deque[float] = deque(maxlen=COMPARISONS)
        self._cue_peaks: deque[float] = deque(maxlen=COMPARISONS)
        self._loud_ms = 0

    @property
    def audible(self) -> bool:
        """Whether an echo must be expected."""
        return self.state is not Echo.ABSENT

    def feed(self, heard_db: float, played_db: float) -> None:
        """Take the levels of the next 10 ms in dBFS."""
        self._measure_floor(heard_db)
        self._heard.append(heard_db)
        self._played.append(played_db)
        self._newest_played.append(played_db)
        if len(self._played) == self._played.maxlen and self._played[0] >= LOUD_DB:
            # Whatever the echo's delay, it is no louder than the loudest sound heard since the frame was played.
            self._evidence.append((max(self._heard) - self._played[0], self._played[0]))
            self._judge_levels()

    def compare(self, peak: float) -> None:
        """Take the correlation of the newest heard and played sound (``EchoCorrelation.peak``)."""
        loud_ms = sum(played_db >= LOUD_DB for played_db in self._newest_played) * FRAME_MS
        if loud_ms < COMPARED_MS:
            self._compare_cue(peak, loud_ms)
            return
        self._cue_peaks.clear()
        self._peaks.append(peak)
        if len(self._peaks) < COMPARISONS:
            return
        if min(self._peaks) >= FOLLOWS:
            self._observe(echo=True)
        elif max(self._peaks) < UNRELATED and self.state is not Echo.RECOGNISED:
            self.state = Echo.ABSENT

    def _compare_cue(self, peak: float, loud_ms: int) -> None:
        """Take a comparison with little loud playback."""
        if loud_ms < CUE_MS:
            self._cue_peaks.clear()
            return
        self._cue_peaks.append(peak)
        if len(self._cue_peaks) == COMPARISONS and min(self._cue_peaks) >= CUE_FOLLOWS:
            self._observe(echo=True)

    def _observe(self, *, echo: bool) -> None:
        self.state = Echo.RECOGNISED if echo else Echo.ABSENT
        self._loud_ms = 0

    def _measure_floor(self, heard_db: float) -> None:
        self._tenth.append(heard_db)
        if len(self._tenth) * FRAME_MS == 100:
            self._floors.append(sum(self._tenth) / len(self._tenth))
            self._tenth.clear()

    def _judge_levels(self) -> None:
        if len(self._evidence) * FRAME_MS < ENOUGH_MS:
            return
        gain_db, _ = sorted(self._evidence)[int(len(self._evidence) * QUIET_SHARE)]
        # The same share as for the gain: in noise, the maximum would turn the noise itself into an echo.
        loud_db = sorted(played_db for _, played_db in self._evidence)[-1 - int(len(self._evidence) * QUIET_SHARE)]
        if loud_db + gain_db <= max(min(self._floors), QUIETEST_DB) + INAUDIBLE_DB:
            self._observe(echo=False)
            return
        self._loud_ms += FRAME_MS
        resembles = bool(self._peaks) and max(self._peaks) >= UNRELATED
        if self._loud_ms >= (EVIDENCE_MS if resembles else LOUD_FOR_MS):
            self.state = Echo.RECOGNISED
