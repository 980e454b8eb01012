"""Whether the microphone hears the speaker at all.

With headphones, or a speaker that is turned down, there is no echo. WebRTC's canceller takes the user's own voice for
echo then, having nothing to learn from, and removes it: somebody who speaks over the assistant is not heard. So it is
asked first whether what is heard ever follows what is played. Pure, and counted in frames of 10 ms.

Levels prove that there is no echo where nothing is heard; only the waveforms (``echo_correlation``) tell an echo from
somebody who speaks meanwhile.
"""

from collections import deque
from enum import StrEnum

from assistant.audio.echo.correlation import FOLLOWS, SPAN_MS, UNRELATED
from assistant.core.audio import FRAME_MS

LOUD_DB = -30.0
"""Played frames that would be heard if any were, in dBFS: the middle of a vowel of the assistant's voice."""
DELAY_MS = 500
"""An echo begins within this time, the longest delay that the canceller looks for."""
EVIDENCE_MS = 1_000
"""Loud playing that is judged by: a change to a loudspeaker in the middle of an answer is noticed in about as long."""
ENOUGH_MS = 300
"""Least loud playing to judge by."""
QUIET_SHARE = 0.2
"""Share of the evidence that must be free of echo. The user may be speaking during the rest."""
FLOOR_MS = 4_000
"""Span whose quietest tenth of a second is the room's noise."""
QUIETEST_DB = -65.0
"""Rooms count as no quieter than this: what is as weak is no speech to voice activity even in perfect silence."""
COMPARISONS = 3
"""Comparisons in a row that must agree."""
COMPARED_MS = 200
"""Least loud playing in the span that the waveforms are compared over."""
LOUD_FOR_MS = 3_000
"""So long what is heard is as loud as an echo would be, though nothing in it resembles what is played: people who speak
over an answer are heard, and the answer stops, long before. What is left is an echo beyond recognition."""
INAUDIBLE_DB = 8.0
"""An echo less than this above the room's noise has no words in it for voice activity to find; noise alone varies by
about half of it."""


class Echo(StrEnum):
    """Whether what is played is heard again."""

    ABSENT = "absent"
    EXPECTED = "expected"
    """It is unknown yet."""
    RECOGNISED = "recognised"


class EchoPresence:
    """Judges frame after frame; there is an echo until the contrary has been observed.

    Attributes:
        state: an echo is recognised until it is missed.
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
        self._loud_ms = 0

    @property
    def audible(self) -> bool:
        """Whether an echo has to be expected."""
        return self.state is not Echo.ABSENT

    def feed(self, heard_db: float, played_db: float) -> None:
        """Take the levels in dBFS of the next 10 ms."""
        self._measure_floor(heard_db)
        self._heard.append(heard_db)
        self._played.append(played_db)
        self._newest_played.append(played_db)
        if len(self._played) == self._played.maxlen and self._played[0] >= LOUD_DB:
            # However late the echo of that frame was, it is no louder than the loudest that was heard since.
            self._evidence.append((max(self._heard) - self._played[0], self._played[0]))
            self._judge_levels()

    def compare(self, peak: float) -> None:
        """Take how clearly the newest sound that was heard follows what was played (``EchoCorrelation.peak``)."""
        if sum(played_db >= LOUD_DB for played_db in self._newest_played) * FRAME_MS < COMPARED_MS:
            return
        self._peaks.append(peak)
        if len(self._peaks) < COMPARISONS:
            return
        if min(self._peaks) >= FOLLOWS:
            self._observe(echo=True)
        elif max(self._peaks) < UNRELATED and self.state is not Echo.RECOGNISED:
            self.state = Echo.ABSENT

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
        loudest_db = max(played_db for _, played_db in self._evidence)
        if loudest_db + gain_db <= max(min(self._floors), QUIETEST_DB) + INAUDIBLE_DB:
            self._observe(echo=False)
            return
        self._loud_ms += FRAME_MS
        resembles = bool(self._peaks) and max(self._peaks) >= UNRELATED
        if self._loud_ms >= (EVIDENCE_MS if resembles else LOUD_FOR_MS):
            self.state = Echo.RECOGNISED
