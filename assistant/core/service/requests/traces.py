"""Requests for the traces of turns."""

from assistant.core.records.traces import StoredTrace
from assistant.core.service.request import Request


class ListTraces(Request[tuple[StoredTrace, ...]]):
    """List the newest traces of turns, newest first; at most ``limit``."""

    limit: int = 30
