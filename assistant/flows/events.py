"""The events of a flow, from a handler to the user's screen (F-04, F-08)."""

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any


class EventType(StrEnum):
    """What happened."""

    AGENT_START = "AGENT_START"
    """An agent begins, or tries again: ``agent``, ``label``."""
    TOKEN = "TOKEN"  # noqa: S105 - a piece of text
    """A piece of the answer: ``text``."""
    AGENT_DONE = "AGENT_DONE"
    """An agent has ended: ``agent``."""
    ERROR = "ERROR"
    """The turn failed: ``code``, ``message``, ``retryable``. ``DONE`` follows."""
    DONE = "DONE"
    """The turn is over: ``message``, ``action``, ``state_snapshot``, ``hooks`` and more. Always the last event."""


@dataclass(frozen=True, slots=True)
class FlowEvent:
    """One event.

    Attributes:
        event: its type.
        payload: its data, which can be written as JSON.
    """

    event: EventType
    payload: dict[str, Any] = field(default_factory=dict)


def agent_start(agent: str, label: str) -> FlowEvent:
    """An agent begins; ``label`` tells the user what it does."""
    return FlowEvent(EventType.AGENT_START, {"agent": agent, "label": label})


def agent_done(agent: str) -> FlowEvent:
    """An agent has ended."""
    return FlowEvent(EventType.AGENT_DONE, {"agent": agent})


def token(text: str) -> FlowEvent:
    """A piece of the answer."""
    return FlowEvent(EventType.TOKEN, {"text": text})
