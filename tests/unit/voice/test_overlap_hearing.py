"""Over a running turn the cleaned sound is judged, and without an echo the microphone signal."""

import numpy as np
import pytest

from assistant.audio.echo.presence import Echo
from assistant.core.audio import FRAME_SAMPLES
from assistant.core.machine import events as ev
from assistant.core.machine.events import Event
from assistant.core.machine.states import TurnId
from assistant.voice.heard_sound import HeardSound
from assistant.voice.overlap import CONFIRM_MS, SUSPECT_MS
from assistant.voice.overlap_hearing import OverlapHearing
from assistant.voice.trace import Trace
from tests.fakes.sound.scene import ToneActivity

SPOKEN = np.full(FRAME_SAMPLES, 6_000, np.int16).tobytes()
REMOVED = bytes(2 * FRAME_SAMPLES)
"""The residue of a voice that echo cancellation takes for an echo."""
PLAYED = np.full(FRAME_SAMPLES, 9_000, np.int16).tobytes()
TURN = TurnId("1")


class Hearing:
    """Feeds frames and keeps the reports."""

    def __init__(self) -> None:
        self.events: list[Event] = []
        self.it = OverlapHearing(
            ToneActivity(),
            report=self.events.append,
            trace=Trace(lambda: 0.0),
            ended_within=lambda _limit_ms: False,
        )
        self.it.begin()

    def hear(self, ms: int, echo: Echo, *, heard: bytes = SPOKEN, cleaned: bytes = REMOVED) -> None:
        sound = HeardSound(heard=heard, cleaned=cleaned, speech=cleaned == SPOKEN, played=PLAYED, echo=echo)
        for _ in range(ms // 10):
            self.it.hear(TURN, sound)

    def confirmed(self) -> bool:
        return any(isinstance(event, ev.OverlapConfirmed) for event in self.events)


def test_a_voice_that_was_removed_as_an_echo_interrupts_as_soon_as_it_is_known_that_there_is_none() -> None:
    hearing = Hearing()
    hearing.hear(CONFIRM_MS, Echo.EXPECTED)
    assert not hearing.events
    hearing.hear(10, Echo.ABSENT, cleaned=SPOKEN)
    assert hearing.confirmed()
    onset = hearing.it.take_onset()
    assert onset.pcm == SPOKEN * (CONFIRM_MS // 10 + 1)
    assert onset.unprocessed is None
    assert onset.began_ms_ago == CONFIRM_MS + 10


@pytest.mark.parametrize("echo", [Echo.EXPECTED, Echo.RECOGNISED])
def test_what_is_removed_never_interrupts_while_it_may_be_an_echo(echo: Echo) -> None:
    hearing = Hearing()
    hearing.hear(2_000, echo)
    assert not hearing.events


def test_a_short_sound_that_was_removed_is_suspected_and_dismissed_only() -> None:
    hearing = Hearing()
    hearing.hear(SUSPECT_MS + 100, Echo.EXPECTED)
    hearing.hear(500, Echo.ABSENT, heard=REMOVED)
    assert [type(event) for event in hearing.events] == [ev.OverlapSuspected, ev.OverlapDismissed]


def test_the_sound_before_echo_cancellation_is_kept_while_it_is_unknown_whether_there_is_an_echo() -> None:
    hearing = Hearing()
    hearing.hear(100, Echo.EXPECTED)
    onset = hearing.it.take_onset()
    assert (onset.pcm, onset.unprocessed) == (REMOVED * 10, SPOKEN * 10)
    hearing.hear(100, Echo.RECOGNISED)
    assert hearing.it.take_onset().unprocessed is None


def test_a_voice_beside_a_recognised_echo_interrupts_though_echo_cancellation_removed_it() -> None:
    hearing = Hearing()
    sound = HeardSound(
        heard=SPOKEN, cleaned=REMOVED, speech=False, played=PLAYED, echo=Echo.RECOGNISED, separated=SPOKEN
    )
    for _ in range(CONFIRM_MS // 10):
        hearing.it.hear(TURN, sound)
    assert hearing.confirmed()
