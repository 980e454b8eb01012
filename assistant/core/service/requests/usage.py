"""Requests for the use of models (P-22)."""

from assistant.core.records.usage import Exchange
from assistant.core.service.request import Request


class ListUsage(Request[tuple[Exchange, ...]]):
    """List exchanges with models, oldest first.

    Attributes:
        since: the time of the first one, ISO 8601 with offset; empty for all.
    """

    since: str = ""
