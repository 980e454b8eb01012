"""Requests for the records: traces of turns, the use of models (P-22), calls of tools (X-07), what has left (P-25)."""

from assistant.core.records.audit import StoredCall
from assistant.core.records.egress import Egress
from assistant.core.records.traces import StoredTrace
from assistant.core.records.usage import Exchange
from assistant.core.service.request import Request, Right


class ListTraces(Request[tuple[StoredTrace, ...]]):
    """List the newest traces of turns, newest first.

    Attributes:
        limit: the most that are listed.
        before: the number of the trace before which the list begins; 0 for the newest one.
    """

    limit: int = 30
    before: int = 0


class FindTrace(Request[StoredTrace | None]):
    """Read the trace of this number; ``None`` if there is none."""

    number: int


class ListUsage(Request[tuple[Exchange, ...]]):
    """List exchanges with models, oldest first.

    Attributes:
        since: the time of the first one, ISO 8601 with offset; empty for all.
    """

    since: str = ""


class ListCalls(Request[tuple[StoredCall, ...]], right=Right.MANAGE):
    """List the newest calls of the audit log, newest last.

    Attributes:
        limit: the most that are listed.
        http: whether those that came over HTTP are listed, instead of the calls of tools.
        before: the number of the call before which the list ends; 0 for the newest one.
    """

    limit: int
    http: bool = False
    before: int = 0


class FindCall(Request[StoredCall | None], right=Right.MANAGE):
    """Read the call of this number; ``None`` if there is none."""

    number: int


class ListEgress(Request[tuple[Egress, ...]], right=Right.MANAGE):
    """List the entries of the egress ledger, newest last.

    Attributes:
        since: the time of the first one, ISO 8601 with offset; empty for all.
        local: whether those that stayed on this machine are listed too.
        limit: the most that are listed, the newest of all that fit; 0 for no limit.
        before: the number of the entry before which the list ends; 0 for the newest one.
    """

    since: str = ""
    local: bool = False
    limit: int = 0
    before: int = 0
