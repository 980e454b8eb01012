"""The table of the latency benchmark."""

from benchmarks.voice.voice_latency import delay_lines


def test_each_arm_is_compared_with_sori() -> None:
    lines = delay_lines({"B0": [4.0, 4.0], "B1": [2.0], "Sori": [1.0, 1.0]})
    assert lines[-2:] == ["Sori / B0: p50 0.25, p95 0.25", "Sori / B1: p50 0.50, p95 0.50"]


def test_an_arm_that_never_answered_is_named() -> None:
    lines = delay_lines({"B0": [], "B1": [2.0], "Sori": [1.0]})
    assert "never answered" in lines[1]
    assert lines[-2:] == ["Sori / B0: no comparison, because B0 never answered", "Sori / B1: p50 0.50, p95 0.50"]
    assert "because Sori never answered" in delay_lines({"B0": [1.0], "B1": [], "Sori": []})[-1]
