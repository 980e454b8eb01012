"""Puts the service together."""

from assistant.flows.manifest import Manifest, ServiceHome
from assistant.flows.services.briefing.flows.handlers import LISTS, BriefingHandler
from assistant.flows.services.briefing.flows.router import briefing_router
from assistant.flows.services.briefing.logic import period_of
from assistant.flows.services.briefing.messages import MESSAGES
from assistant.flows.services.briefing.state.models import BriefingStateManager


def manifest(home: ServiceHome) -> Manifest:
    """The service. It reads Sori's lists by its tools, and asks no model."""

    def wants(text: str) -> bool:
        return period_of(text, home.clock.now(), home.clock.moment) is not None

    def insists(text: str) -> bool:
        return period_of(text, home.clock.now(), home.clock.moment, goes_on=True) is not None

    class Handler(BriefingHandler):
        """The handler for this user."""

        given = home

    return Manifest(
        name="briefing",
        titles={"ko": "브리핑", "en": "briefing"},
        manager=BriefingStateManager(),
        agents={},
        router=briefing_router(),
        handlers={"briefing": Handler},
        messages=MESSAGES,
        wants=wants,
        insists=insists,
        uses=tuple(LISTS),
        safe_to_schedule=True,
    )
