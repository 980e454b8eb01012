from collections.abc import Iterator

import numpy as np
import pytest
from numpy.typing import NDArray

from assistant.speech.tts.pace import MOST_FIRST_S, MOST_REAL_TIME_FACTOR, Pace, Stopwatch, measure
from assistant.speech.tts.synthesizer import Voice

RATE = 1_000


class Machine:
    """A synthesiser with one second of sound per text, on a machine whose load a test controls, with its two clocks."""

    def __init__(self, *, needs_s: float, waits_s: list[float]) -> None:
        self.wall, self.processor = 0.0, 0.0
        self._needs_s, self._waits_s = needs_s, waits_s
        self.spoken = 0

    @property
    def sample_rate(self) -> int:
        return RATE

    def synthesize(self, text: str, voice: Voice) -> Iterator[NDArray[np.int16]]:
        waited = self._waits_s[min(self.spoken, len(self._waits_s) - 1)]
        self.wall += self._needs_s + waited
        self.processor += self._needs_s
        self.spoken += 1
        yield np.zeros(RATE, np.int16)

    def close(self) -> None:
        pass

    def measured(self) -> Pace:
        watch = Stopwatch(wall=lambda: self.wall, processor=lambda: self.processor)
        return measure(self, "ko", threads=1, stopwatch=watch)


def test_an_idle_machine_is_measured_once_by_the_clock() -> None:
    machine = Machine(needs_s=0.25, waits_s=[0.0])
    assert machine.measured() == Pace(real_time_factor=0.25, first_s=0.25)
    assert machine.spoken == 2


def test_a_machine_that_is_busy_for_a_moment_is_judged_by_its_better_rounds() -> None:
    pace = Machine(needs_s=0.5, waits_s=[3.0, 3.0, 0.0]).measured()
    assert pace == Pace(real_time_factor=0.5, first_s=0.5)


def test_on_a_machine_that_stays_busy_the_pace_is_a_guess_by_the_processors_time() -> None:
    pace = Machine(needs_s=0.2, waits_s=[3.0]).measured()
    assert pace.guessed
    assert pace.fast_enough
    assert pace.real_time_factor == pytest.approx(0.25)


def test_a_slow_machine_is_slow_by_either_clock() -> None:
    pace = Machine(needs_s=2.0, waits_s=[0.0]).measured()
    assert not pace.fast_enough
    assert not pace.guessed


@pytest.mark.parametrize(
    ("real_time_factor", "first_s", "fast"),
    [
        (MOST_REAL_TIME_FACTOR, MOST_FIRST_S, True),
        (MOST_REAL_TIME_FACTOR + 0.01, 0.1, False),
        (0.1, MOST_FIRST_S + 0.01, False),
    ],
)
def test_both_the_factor_and_the_first_words_count(real_time_factor: float, first_s: float, fast: bool) -> None:
    assert Pace(real_time_factor=real_time_factor, first_s=first_s).fast_enough is fast
