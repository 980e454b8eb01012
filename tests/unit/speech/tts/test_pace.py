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


@pytest.mark.parametrize(
    ("needs_s", "waits_s", "taken_s", "rounds"),
    [
        (0.25, [0.0], 0.25, 1),
        (0.4, [0.0], 0.4, 1),
        (0.8, [0.0], 0.8, 1),
        (2.0, [0.0], 2.0, 1),
        (0.2, [3.0], 0.25, 1),
        (0.56, [3.0], 0.7, 1),
        (4.0, [3.0], 5.0, 1),
        (0.5, [0.0], 0.5, 3),
        (1.0, [0.0], 1.0, 3),
        (0.38, [0.1, 0.1, 0.0], 0.38, 2),
        (0.45, [3.0, 3.0, 0.0], 0.45, 3),
    ],
    ids=[
        "fast",
        "just fast",
        "slow to start but bearable",
        "slow",
        "fast and busy",
        "slow to start and busy",
        "slow and busy",
        "a little too slow",
        "a little slower than bearable",
        "fast and busy for a moment",
        "busy for a moment",
    ],
)
def test_a_machine_speaks_again_only_while_a_quieter_moment_could_change_what_is_done(
    needs_s: float, waits_s: list[float], taken_s: float, rounds: int
) -> None:
    machine = Machine(needs_s=needs_s, waits_s=waits_s)
    pace = machine.measured()
    assert (pace.real_time_factor, pace.first_s) == pytest.approx((taken_s, taken_s))
    assert machine.spoken == 2 * rounds


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
