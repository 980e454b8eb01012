"""The services of guided flows. Nothing is loaded yet, because that imports Pydantic."""

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING

from assistant.core.clock import Clock
from assistant.core.records.people import Person
from assistant.flows.loading.approvals import FlowApprovals
from assistant.flows.loading.services import Services
from assistant.host.places import Places

if TYPE_CHECKING:
    from assistant.engine.rooms.recent_past import WorkspacePast
    from assistant.flows.manifest import ServiceHome


async def _nobody() -> tuple[Person, ...]:
    return ()


def services_of(
    places: Places,
    clock: Clock,
    people: Callable[[], Awaitable[tuple[Person, ...]]] = _nobody,
    past: "WorkspacePast | None" = None,
) -> Services:
    """Make what finds and loads services.

    Args:
        places: the user's files.
        clock: tells the time.
        people: the people whom the user knows, at the moment of the call.
        past: tells what was said and what changed lately; ``None`` where nothing runs.
    """

    def home(data: Path) -> "ServiceHome":
        from assistant.flows.manifest import NoPast, ServiceHome

        return ServiceHome(data=data, clock=clock, people=people, past=past or NoPast())

    return Services(places.flows, places.flow_data, FlowApprovals(places.flow_approvals), home)
