"""Requests for guided flows."""

from assistant.core.records.flows import FlowShown
from assistant.core.service.request import Request


class ShowFlow(Request[FlowShown | None]):
    """The guided flow of a conversation; the result is ``None`` if it has none. ``FlowChanged`` tells of changes."""

    conversation: str


class LeaveFlow(Request[FlowShown | None]):
    """Let the active flow of a conversation wait. The result is what is shown of it then."""

    conversation: str


class EndFlow(Request[None]):
    """End the flow of a conversation without carrying it out. A step that has run stays."""

    conversation: str
