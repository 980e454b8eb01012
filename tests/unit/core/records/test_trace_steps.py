from assistant.core.records.traces import TraceStep, heard_in, steps_of

EVENTS = (
    {"t": 2.0, "event": "wake", "name": "hey_jarvis"},
    {"t": 2.1, "event": "listening"},
    {"t": 2.5, "event": "partial", "text": "몇"},
    {"t": 4.0, "event": "speech_ended", "reason": "silence"},
    {"t": 4.25, "event": "transcript", "text": "몇 시야", "engine": "faster_whisper"},
    {"t": 5.0, "event": "first_token"},
    {"t": 5.5, "event": "first_audio"},
    {"t": 8.0, "event": "done", "model": "m"},
)


def test_steps_have_times_since_the_first_step_and_the_step_before_and_engines() -> None:
    assert steps_of(EVENTS) == (
        TraceStep(name="wake", at_s=0.0, took_s=0.0, engine="hey_jarvis"),
        TraceStep(name="speech_ended", at_s=2.0, took_s=2.0),
        TraceStep(name="transcript", at_s=2.25, took_s=0.25, engine="faster_whisper"),
        TraceStep(name="first_token", at_s=3.0, took_s=0.75),
        TraceStep(name="first_audio", at_s=3.5, took_s=0.5),
        TraceStep(name="done", at_s=6.0, took_s=2.5, engine="m"),
    )
    assert heard_in(EVENTS) == "몇 시야"


def test_a_trace_without_steps_has_none() -> None:
    assert steps_of([{"t": 1.0, "event": "listening"}]) == ()
    assert heard_in([]) == ""


def test_the_first_letter_of_a_typed_turn_is_timed_from_its_request() -> None:
    events = [{"t": 7.0, "event": "asked"}, {"t": 9.5, "event": "first_token"}, {"t": 12.0, "event": "done"}]
    steps = [(each.name, each.at_s) for each in steps_of(events)]
    assert steps == [("asked", 0.0), ("first_token", 2.5), ("done", 5.0)]
