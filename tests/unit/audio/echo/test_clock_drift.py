"""The drift of two clocks is found from delays of the echo, also if the echo gets another way."""

import numpy as np
import pytest

from assistant.audio.echo.clock_drift import JUMPED_AFTER, MOST_PPM, ClockDrift

INEXACT_MS = 0.005


def measured(drift: ClockDrift, ppm: float, *, begins_s: float, ends_s: float, delay_ms: float = 60.0) -> None:
    """Let the drift be measured in an answer; what each second costs is the same in every answer."""
    inexact = np.random.default_rng(round(begins_s * 10))
    for at_s in np.arange(begins_s, ends_s, 0.05):
        drift.measure(at_s, delay_ms + ppm * 1e-3 * at_s + inexact.normal(0, INEXACT_MS))


@pytest.mark.parametrize("ppm", [-100.0, 0.0, 30.0, 100.0])
def test_two_cues_are_enough(ppm: float) -> None:
    drift = ClockDrift()
    measured(drift, ppm, begins_s=0.5, ends_s=0.8)
    measured(drift, ppm, begins_s=2.0, ends_s=2.3)
    assert drift.ms_a_second * 1e3 == pytest.approx(ppm, abs=15)


def test_a_longer_time_is_more_exact() -> None:
    drift = ClockDrift()
    measured(drift, 100.0, begins_s=0.5, ends_s=10.0)
    assert drift.ms_a_second * 1e3 == pytest.approx(100, abs=2)


def test_before_any_time_has_passed_nothing_drifts() -> None:
    drift = ClockDrift()
    drift.measure(1.0, 60.0)
    drift.measure(1.2, 60.1)
    assert abs(drift.ms_a_second * 1e3) < MOST_PPM


def test_single_measurements_of_another_sound_do_not_count() -> None:
    drift = ClockDrift()
    measured(drift, 50.0, begins_s=0.5, ends_s=5.0)
    for at_s in (5.2, 5.4):
        drift.measure(at_s, 187.0)
    measured(drift, 50.0, begins_s=5.6, ends_s=6.0)
    assert drift.ms_a_second * 1e3 == pytest.approx(50, abs=5)


def test_a_jump_of_the_delay_is_no_drift() -> None:
    drift = ClockDrift()
    measured(drift, 50.0, begins_s=0.5, ends_s=5.0)
    measured(drift, 50.0, begins_s=5.2, ends_s=8.0, delay_ms=70.0)
    assert drift.ms_a_second * 1e3 == pytest.approx(50, abs=10)
    assert JUMPED_AFTER < 5
