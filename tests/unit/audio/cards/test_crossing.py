"""When captured sound wakes the event loop, in blocks of 10 ms."""

import numpy as np
import pytest

from assistant.audio.cards.crossing import Crossing
from tests.unit.audio.sounds import Samples

BLOCK = 160
LENGTH_S = 0.01


def noise(level_db: float, seconds: float, *, channels: int = 1) -> list[Samples]:
    """Blocks of white noise."""
    count = round(seconds / LENGTH_S)
    level = 32_768 * 10 ** (level_db / 20)
    samples = np.random.default_rng(seed=1).normal(0, level, count * BLOCK * channels)
    return list(np.clip(np.rint(samples), -32_768, 32_767).astype(np.int16).reshape(count, -1))


def wakes(crossing: Crossing, blocks: list[Samples]) -> list[int]:
    """The blocks that cross at once or take others along."""
    return [at for at, block in enumerate(blocks) if crossing.crosses(block, LENGTH_S)]


def resting(room: list[Samples]) -> Crossing:
    """While nobody speaks, and used to the room."""
    crossing = Crossing()
    crossing.attentive = False
    wakes(crossing, room)
    return crossing


@pytest.mark.parametrize("room_db", [-200.0, -80.0, -64.0, -50.0, -30.0])
def test_a_steady_room_wakes_the_loop_four_times_a_second(room_db: float) -> None:
    room = noise(room_db, 7)
    crossing = resting(room[:500])

    assert set(np.diff(wakes(crossing, room[500:]))) == {24}


def test_in_blocks_of_20_ms_a_room_waits_and_a_voice_crosses_with_the_block_in_which_it_begins() -> None:
    crossing = Crossing()
    crossing.attentive = False
    room, voice = np.concatenate(noise(-50, 6)), np.concatenate(noise(-35, 0.2))
    blocks = np.concatenate((room, room[:BLOCK], voice[:-BLOCK])).reshape(-1, 2 * BLOCK)

    crossed = [at for at, block in enumerate(blocks) if crossing.crosses(block, 2 * LENGTH_S)]

    assert np.diff([at for at in crossed if 250 <= at < 300]).min() == 12
    assert [at for at in crossed if at >= 300] == list(range(300, 310))


def test_a_constant_part_of_the_signal_hides_no_voice() -> None:
    crossing = resting([each + np.int16(1_700) for each in noise(-60, 5.03)])

    assert wakes(crossing, [each + np.int16(1_700) for each in noise(-45, 0.2)]) == list(range(20))


def test_while_a_conversation_runs_each_block_crosses_at_once() -> None:
    crossing = Crossing()

    assert wakes(crossing, noise(-200, 0.5)) == list(range(50))


@pytest.mark.parametrize(("room_db", "voice_db"), [(-200.0, -60.0), (-70.0, -55.0), (-50.0, -35.0)])
def test_the_first_sound_above_the_room_crosses_at_once(room_db: float, voice_db: float) -> None:
    crossing = resting(noise(room_db, 5.03))
    voice = noise(voice_db, 0.2)

    assert wakes(crossing, voice) == list(range(20))


def test_a_voice_as_soft_as_the_room_waits_no_longer_than_a_quarter_of_a_second() -> None:
    crossing = resting(noise(-50, 5))

    assert np.diff([0, *wakes(crossing, noise(-48, 1))]).max() <= 24


def test_a_room_that_gets_louder_for_good_is_the_room_after_four_seconds() -> None:
    crossing = resting(noise(-70, 5))
    louder = noise(-50, 5.5)

    assert wakes(crossing, louder[:100]) == list(range(100))
    wakes(crossing, louder[100:450])
    assert len(wakes(crossing, louder[450:])) in {4, 5}
