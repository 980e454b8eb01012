"""The traces of turns, as they are stored, shown and exported (V-22)."""

import statistics
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredTrace:
    """The trace of one turn as it was saved.

    Attributes:
        id: number by which the user names the trace.
        at: when the trace was saved, ISO 8601 in the user's time zone.
        conversation: the conversation's id.
        turn: the turn's id.
        events: ``{"t": seconds of audio time, "event": name, …}``, in order.
    """

    id: int
    at: str
    conversation: str
    turn: str
    events: tuple[dict[str, Any], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class TraceStep:
    """One step of a turn.

    Attributes:
        name: name of the event.
        at_s: seconds from the first step of the turn.
        took_s: seconds since the step before.
        engine: the engine or model that did it; empty when the trace names none.
    """

    name: str
    at_s: float
    took_s: float
    engine: str = ""


STEPS: Final = (
    "wake",
    "speech_started",
    "probable_end",
    "speech_ended",
    "transcript",
    "speech_rejected",
    "asked",
    "routed",
    "fallback",
    "first_token",
    "tool",
    "first_audio",
    "interrupted",
    "error",
    "done",
)
"""The events that are steps of a turn. The others, such as partial transcripts, are details."""


def steps_of(events: Sequence[dict[str, Any]]) -> tuple[TraceStep, ...]:
    """The steps of a turn in order of time."""
    found: list[TraceStep] = []
    first: float | None = None
    for event in events:
        if event["event"] not in STEPS:
            continue
        first = event["t"] if first is None else first
        at_s = event["t"] - first
        engine = event.get("engine") or event.get("model") or event.get("name") or event.get("code") or ""
        took_s = at_s - found[-1].at_s if found else 0.0
        found.append(TraceStep(name=event["event"], at_s=at_s, took_s=took_s, engine=str(engine)))
    return tuple(found)


def medians_of(traces: Iterable[StoredTrace]) -> dict[str, float]:
    """The median of the seconds that each step took, by the name of the step."""
    took = defaultdict[str, list[float]](list)
    for trace in traces:
        for step in steps_of(trace.events):
            took[step.name].append(step.took_s)
    return {name: statistics.median(each) for name, each in took.items()}


def heard_in(events: Sequence[dict[str, Any]]) -> str:
    """What the user said in a turn; empty for a typed one."""
    return " / ".join(str(each.get("text", "")) for each in events if each["event"] == "transcript")
