"""Requests for the services of guided flows, for those who write one (F-06)."""

from assistant.core.records.flow_services import FlowServiceFault, FlowServiceFiles, FlowServiceShown
from assistant.core.service.request import Request, Right


class ListFlowServices(Request[tuple[FlowServiceShown, ...]]):
    """List the services, those of Sori first, and why one is off."""


class ReloadFlowServices(Request[tuple[FlowServiceShown, ...]], right=Right.OWN):
    """Find the services anew and load them again. Files that are not allowed do not run."""


class CheckFlowService(Request[tuple[FlowServiceFault, ...]], right=Right.OWN):
    """All that the checklist misses in a service, and all rules that it breaks."""

    service: str


class ShowFlowServiceFiles(Request[FlowServiceFiles], right=Right.OWN):
    """Show what an approval of the user's own service would cover now."""

    service: str


class AllowFlowService(Request[FlowServiceShown], right=Right.OWN):
    """Let the Python of the user's own service run exactly as it was shown, and load it.

    It is refused if a file has changed since.

    Attributes:
        service: its name.
        digest: ``FlowServiceFiles.digest`` of what was shown.
    """

    service: str
    digest: str


class MakeFlowService(Request[FlowServiceShown], right=Right.OWN):
    """Make a service of the user's own from a template, allow it and load it.

    Attributes:
        service: its name: small Latin letters, digits and ``_``.
        template: name of the service of Sori that is copied.
    """

    service: str
    template: str = "minimal"
