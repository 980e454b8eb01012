"""Requests for the names by which agents are called (V-06)."""

from assistant.core.records.agents import AgentId
from assistant.core.records.names import CalledName, Enrolment
from assistant.core.service.request import Request, Right


class ListNames(Request[tuple[CalledName, ...]]):
    """List the agents of the current workspace with their wake phrases, in the order of their names."""


class SetWakePhrase(Request[tuple[CalledName, ...]], right=Right.MANAGE):
    """Call this agent by another wake phrase; empty for none. The result is the new list."""

    agent: AgentId
    phrase: str


class EnrolName(Request[Enrolment], right=Right.MANAGE):
    """Listen to the user who says the wake phrase of this agent. ``EnrolmentChanged`` tells how far it is."""

    agent: AgentId


class StopEnrolment(Request[None], right=Right.MANAGE):
    """End the enrolment that is going on; nothing of it is kept."""


class ForgetEnrolment(Request[tuple[CalledName, ...]], right=Right.MANAGE):
    """Forget how the user says the wake phrase of this agent. The result is the new list."""

    agent: AgentId
