import numpy as np
import pytest

from assistant.audio.level import FLOOR_DB, LevelMeter, level_db
from assistant.audio.room_level import RoomLevel
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


def pink(level_db_: float, seconds: int) -> list[float]:
    """Levels of 50 ms of pink noise, which is what a fan or a street sounds like."""
    rng = np.random.default_rng(5)
    spectrum = np.fft.rfft(rng.standard_normal(16_000 * seconds))
    noise = np.fft.irfft(spectrum / np.sqrt(np.maximum(np.arange(len(spectrum)), 1)))
    loud = noise / np.sqrt(np.mean(noise**2)) * 10 ** (level_db_ / 20) * 32_768
    return [level_db(part.astype(np.int16).tobytes()) for part in np.array_split(loud, 20 * seconds)]


@pytest.mark.parametrize("level", [-70, -60, -50, -40, -30])
def test_a_steady_room_is_hardly_told(level: int) -> None:
    room = RoomLevel()
    news = [room.is_news(each) for each in pink(level, 30)]
    assert news[0]
    assert sum(news[40:]) <= 28 * 2  # Of twenty levels a second.


@pytest.mark.parametrize("loud_by", [10, 12, 20, 30])
def test_a_voice_in_a_room_is_told_with_every_level_and_its_end_too(loud_by: int) -> None:
    room, quiet = RoomLevel(), pink(-55, 10)
    for each in quiet:
        room.is_news(each)
    syllables = [-55.0 + loud_by, -55.0 + loud_by + 4] * 8
    assert all(room.is_news(each) for each in syllables)
    assert room.is_news(-57)
    assert not room.is_news(-57)
