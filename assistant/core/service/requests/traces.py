"""Requests for the traces of turns."""

from dataclasses import dataclass

from assistant.core.records.traces import StoredTrace
from assistant.core.service.request import Request


@dataclass(frozen=True, slots=True, kw_only=True)
class ListTraces(Request[tuple[StoredTrace, ...]]):
    """List the newest traces of turns, newest first; at most ``limit``."""

    limit: int = 30
