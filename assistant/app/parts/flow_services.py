"""The services of guided flows, without an engine."""

from assistant.core.settings import Settings
from assistant.core.texts import Texts
from assistant.engine.domains.guided.flow_services import FlowServices
from assistant.engine.rooms.flow_services import services_of
from assistant.flows.loading.approvals import FlowApprovals
from assistant.host.clock import SystemClock
from assistant.host.places import Places


def flow_services(places: Places, settings: Settings, texts: Texts) -> FlowServices:
    """Make the domain."""
    approvals = FlowApprovals(places.flow_approvals)
    return FlowServices(services_of(places, SystemClock()), approvals, texts, lambda: settings.language)
