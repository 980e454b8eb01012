"""Which handler takes a scenario."""

from assistant.flows.router import BaseFlowRouter


def briefing_router() -> BaseFlowRouter:
    """One handler for all scenarios."""
    return BaseFlowRouter({"BRIEFING": "briefing"}, otherwise="briefing")
