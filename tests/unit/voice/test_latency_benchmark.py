"""The figures of the latency benchmark."""

from pathlib import Path

import numpy as np
import pytest

from benchmarks.voice.voice_latency import delay_lines
from benchmarks.voice.wav_files import silent_from_s, written


def test_each_arm_is_compared_with_sori() -> None:
    lines = delay_lines({"B0": [("en", 4.0), ("ko", 4.0)], "B1": [("en", 2.0)], "Sori": [("en", 1.0), ("ko", 1.0)]})
    assert lines[-2:] == ["Sori / B0: p50 0.25, p95 0.25", "Sori / B1: p50 0.50, p95 0.50"]


def test_languages_are_counted_apart() -> None:
    lines = delay_lines({"Sori": [("en", 1.0), ("ko", 3.0), ("ko", None)]})
    assert [line.split()[1:] for line in lines[1:]] == [
        ["en", "1", "1.00", "1.00", "0"],
        ["ko", "2", "3.00", "3.00", "1"],
        ["all", "3", "2.00", "2.90", "1"],
    ]


def test_an_arm_that_never_answered_is_named() -> None:
    lines = delay_lines({"B0": [("en", None)], "B1": [("en", 2.0)], "Sori": [("en", 1.0)]})
    assert lines[-2:] == ["Sori / B0: no comparison, because B0 has no figure", "Sori / B1: p50 0.50, p95 0.50"]
    assert "because Sori has no figure" in delay_lines({"B1": [("en", 1.0)], "Sori": []})[-1]


@pytest.mark.parametrize(
    ("until_s", "after_s", "found"),
    [
        pytest.param(1.3, 1.0, 0.3, id="ends"),
        pytest.param(3.0, 1.0, None, id="goes on"),
        pytest.param(0.9, 1.0, 0.0, id="silent already"),
        pytest.param(0.0, 2.0, None, id="never sounded"),
    ],
)
def test_the_end_of_the_sound_is_found(tmp_path: Path, until_s: float, after_s: float, found: float | None) -> None:
    sound = np.zeros(64_000, np.int16)
    sound[: round(until_s * 16_000)] = 3_000
    measured = silent_from_s(written(tmp_path / "played.wav", sound), after_s, 1.0)
    assert measured == (None if found is None else pytest.approx(found, abs=0.001))
