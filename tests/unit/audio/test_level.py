import numpy as np
import pytest

from assistant.audio.level import FLOOR_DB, LevelMeter, level_db
from tests.unit.audio.sounds import frames, tone


@pytest.mark.parametrize("pcm", [b"", bytes(320)])
def test_silence_is_at_the_floor(pcm: bytes) -> None:
    assert level_db(pcm) == FLOOR_DB


def test_a_sine_of_full_scale_is_three_decibels_below_it() -> None:
    assert level_db(tone(1_000, 0.1, 16_000, 1.0).tobytes()) == pytest.approx(-3.01, abs=0.01)


def test_half_the_amplitude_is_six_decibels_less() -> None:
    loud, soft = tone(1_000, 0.1, 16_000, 0.5), tone(1_000, 0.1, 16_000, 0.25)

    assert level_db(loud.tobytes()) - level_db(soft.tobytes()) == pytest.approx(6.02, abs=0.01)


def test_the_loudest_square_is_at_zero() -> None:
    assert level_db(np.full(160, -32_768, np.int16).tobytes()) == 0


def test_the_meter_speaks_once_every_fifty_milliseconds() -> None:
    meter = LevelMeter()

    levels = [meter.feed(frame) for frame in frames(tone(1_000, 0.2, 16_000, 1.0))]

    assert [level is not None for level in levels] == 4 * [False, False, False, False, True]
    assert levels[4] == pytest.approx(-3.01, abs=0.05)
