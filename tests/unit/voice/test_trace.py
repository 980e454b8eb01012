"""A trace records events in audio time."""

from typing import Any

from assistant.voice.trace import Trace


def test_events_carry_audio_time_and_their_details() -> None:
    times = iter([0.5, 1.23456])
    told: list[dict[str, Any]] = []
    trace = Trace(lambda: next(times), told.append)
    trace.note("wake", name="alexa")
    trace.note("transcript", text="몇 시야?")
    expected = [
        {"t": 0.5, "event": "wake", "name": "alexa"},
        {"t": 1.235, "event": "transcript", "text": "몇 시야?"},
    ]
    assert told == expected
    assert trace.take() == expected
    assert trace.take() == []
