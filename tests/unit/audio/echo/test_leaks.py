"""Whether the played sound is still recognisable in what the echo canceller leaves."""

from collections.abc import Iterator

import numpy as np
import pytest

from assistant.audio.echo.canceller import TAIL_MS, EchoCanceller
from assistant.audio.echo.correlation import SPAN_MS
from assistant.audio.echo.presence import Echo
from assistant.core.audio import FRAME_BYTES, FRAME_MS
from tests.unit.audio.sounds import Samples, frames, in_room, noise, recording, whole

pytestmark = pytest.mark.long

PLAYED = recording("en_read_sentence")[: 5 * 16_000]
ECHO = whole(in_room(PLAYED, delay_ms=60, gain_db=-12))
VOICE = np.resize(recording("ko_lights_blue"), len(PLAYED))
ROOM = noise(-65, len(PLAYED) / 16_000)
SILENCE = np.zeros_like(PLAYED)


class ScriptedProcessing:
    """Stands for WebRTC's processing: what is left of each frame is told beforehand."""

    def __init__(self, left: Samples) -> None:
        self._left: Iterator[bytes] = iter(frames(left))

    def process_reverse_stream(self, frame: object) -> None:
        """Take a played frame."""

    def process_stream(self, frame: object) -> None:
        """Replace a heard frame with what is left of it."""
        data = frame.data  # type: ignore[attr-defined]
        data[:] = memoryview(next(self._left)).cast("h")


def canceller_that_leaves(left: Samples) -> EchoCanceller:
    canceller = EchoCanceller()
    vars(canceller)["_processing"] = ScriptedProcessing(left)
    return canceller


def leaks(canceller: EchoCanceller, heard: Samples, played: Samples = PLAYED) -> list[bool]:
    """Whether the canceller leaks after each frame."""
    told = []
    for one, other in zip(frames(heard), frames(played), strict=True):
        canceller.process(one, other)
        told.append(canceller.leaks)
    return told


def test_residue_that_follows_the_played_sound_leaks_as_soon_as_it_can_be_compared() -> None:
    told = leaks(canceller_that_leaves(ECHO), ECHO)
    assert not any(told[: SPAN_MS // FRAME_MS - 1])
    assert sum(told) > 0.9 * (len(told) - SPAN_MS // FRAME_MS)


def test_a_faint_residue_leaks_as_well() -> None:
    faint = whole(ECHO.astype(np.float64) * 0.1 + ROOM)
    assert sum(leaks(canceller_that_leaves(faint), ECHO)) > 0.5 * len(faint) / 160


@pytest.mark.parametrize("left", [ROOM, SILENCE], ids=["noise", "silence"])
def test_residue_without_a_voice_leaks_nothing(left: Samples) -> None:
    assert not any(leaks(canceller_that_leaves(left), whole(ECHO.astype(float) + left)))


def test_residue_of_another_voice_leaks_nothing_but_for_moments() -> None:
    """Two voices resemble each other now and then, for as long as one comparison or two."""
    told = leaks(canceller_that_leaves(VOICE), whole(ECHO.astype(float) + VOICE))
    assert sum(told) < 0.05 * len(told)


def test_nothing_leaks_where_there_is_no_echo() -> None:
    """With headphones the sounds are not compared: whatever is left cannot be an echo."""
    canceller = canceller_that_leaves(ECHO)
    told = leaks(canceller, ROOM)
    assert canceller.presence is Echo.ABSENT
    assert not any(told[-100:])


def test_a_leak_ends_when_the_canceller_has_adapted() -> None:
    half = len(PLAYED) // 320 * 160
    told = leaks(canceller_that_leaves(np.concatenate([ECHO[:half], ROOM[half:]])), ECHO)
    assert any(told[: half // 160])
    assert not any(told[half // 160 + SPAN_MS // FRAME_MS :])


def test_a_leak_is_forgotten_when_nothing_has_been_played_for_a_while() -> None:
    canceller = canceller_that_leaves(np.concatenate([ECHO, np.resize(ECHO, 2 * TAIL_MS * 16)]))
    leaks(canceller, ECHO)
    assert canceller.leaks
    for _ in range(TAIL_MS // FRAME_MS + 1):
        canceller.process(bytes(FRAME_BYTES), bytes(FRAME_BYTES))
    assert not canceller.leaks


def test_the_real_canceller_leaks_no_more_once_it_has_adapted() -> None:
    played = recording("en_read_sentence")
    told = leaks(EchoCanceller(60), whole(in_room(played, delay_ms=60, gain_db=-12)), played)
    assert not any(told[400:])
