"""Requests for the traces of turns."""

from assistant.core.records.traces import StoredTrace
from assistant.core.service.request import Request


class ListTraces(Request[tuple[StoredTrace, ...]]):
    """List the newest traces of turns, newest first; at most ``limit``."""

    limit: int = 30


class FindTrace(Request[StoredTrace | None]):
    """Read the trace of this number; ``None`` if there is none."""

    number: int
