"""Requests for the names by which agents are called (V-06)."""

from dataclasses import dataclass
from typing import ClassVar

from assistant.core.records.agents import AgentId
from assistant.core.records.names import CalledName, Enrolment
from assistant.core.service.request import Request, Right


@dataclass(frozen=True, slots=True, kw_only=True)
class ListNames(Request[tuple[CalledName, ...]]):
    """List the agents of the current workspace with their wake phrases, in the order of their names."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SetWakePhrase(Request[tuple[CalledName, ...]]):
    """Call this agent by another wake phrase; empty for none. The result is the new list."""

    right: ClassVar[Right] = Right.MANAGE
    agent: AgentId
    phrase: str


@dataclass(frozen=True, slots=True, kw_only=True)
class EnrolName(Request[Enrolment]):
    """Listen to the user who says the wake phrase of this agent. ``EnrolmentChanged`` tells how far it is."""

    right: ClassVar[Right] = Right.MANAGE
    agent: AgentId


@dataclass(frozen=True, slots=True, kw_only=True)
class StopEnrolment(Request[None]):
    """End the enrolment that is going on; nothing of it is kept."""

    right: ClassVar[Right] = Right.MANAGE


@dataclass(frozen=True, slots=True, kw_only=True)
class ForgetEnrolment(Request[tuple[CalledName, ...]]):
    """Forget how the user says the wake phrase of this agent. The result is the new list."""

    right: ClassVar[Right] = Right.MANAGE
    agent: AgentId
