"""Which handler takes a scenario."""

from assistant.flows.router import BaseFlowRouter


def reminder_router() -> BaseFlowRouter:
    """One handler for all scenarios."""
    return BaseFlowRouter({"REMINDER": "reminder"}, otherwise="reminder")
