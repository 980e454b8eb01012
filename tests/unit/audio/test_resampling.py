from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assistant.audio.resampling import RATIO, Resampler, TwinResampler, resample
from tests.unit.audio.sounds import recording, tone


@settings(max_examples=30)
@given(
    sizes=st.lists(st.integers(0, 3_000), max_size=20),
    source=st.sampled_from([8_000, 16_000, 22_050, 24_000, 44_100, 48_000]),
    target=st.sampled_from([16_000, 44_100, 48_000]),
)
def test_how_a_stream_is_cut_into_pieces_makes_no_difference(sizes: list[int], source: int, target: int) -> None:
    sound = recording("en_read_sentence")[: sum(sizes)]
    stream = Resampler(source, target)
    borders = np.cumsum([0, *sizes])
    pieces = [stream.push(sound[start:end]) for start, end in pairwise(borders.tolist())]
    pieces.append(stream.push(sound[:0], last=True))

    assert np.array_equal(np.concatenate(pieces), resample(sound, source, target))


def test_silence_stays_digital_silence() -> None:
    assert not resample(np.zeros(22_050, np.int16), 22_050, 48_000).any()


def test_a_tone_keeps_its_pitch_level_and_position() -> None:
    played = resample(tone(1_000, 0.5, 22_050), 22_050, 48_000)

    assert len(played) == 24_000
    difference = played[2_000:-2_000].astype(float) - tone(1_000, 0.5, 48_000)[2_000:-2_000]
    assert np.abs(difference).max() < 60


def test_what_a_filter_overshoots_is_cut_and_does_not_wrap_around() -> None:
    square = np.where(np.arange(4_000) // 40 % 2 == 0, 32_767, -32_768).astype(np.int16)

    wide = resample(square, 16_000, 48_000).astype(float)

    assert np.abs(np.diff(wide)).max() < 40_000


@settings(max_examples=30)
@given(
    sizes=st.lists(st.integers(0, 2_000), min_size=1, max_size=12),
    source=st.sampled_from([16_000, 22_050, 24_000, 44_100, 48_000]),
)
def test_both_rates_stay_in_step_at_every_moment(sizes: list[int], source: int) -> None:
    sound = tone(300, 3, source)
    twin = TwinResampler(source)
    total = 0
    for number, size in enumerate(sizes):
        played, reference = twin.push(sound[:size], last=number == len(sizes) - 1)
        assert len(played) == RATIO * len(reference)
        total += len(reference)

    assert abs(total - sum(sizes) * 16_000 / source) <= 1


def test_both_rates_hold_the_same_sound() -> None:
    played, reference = TwinResampler(22_050).push(tone(440, 1, 22_050), last=True)

    assert np.abs(resample(played, 48_000, 16_000)[500:-500].astype(int) - reference[500:-500]).max() < 40


@pytest.mark.parametrize(("source", "target"), [(0, 16_000), (16_000, -1)])
def test_a_rate_that_cannot_be_is_refused(source: int, target: int) -> None:
    with pytest.raises(ValueError, match="positive"):
        Resampler(source, target)
