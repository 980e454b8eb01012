"""Requests for what tools have done (X-07), and for what has left this machine (P-25)."""

from assistant.core.records.audit import StoredCall
from assistant.core.records.egress import Egress
from assistant.core.service.request import Request, Right


class ListCalls(Request[tuple[StoredCall, ...]], right=Right.OWN):
    """List the newest calls of the audit log, newest last.

    Attributes:
        limit: the most that are listed.
        http: whether those that came over HTTP are listed, instead of the calls of tools.
    """

    limit: int
    http: bool = False


class FindCall(Request[StoredCall | None], right=Right.OWN):
    """Read the call of this number; ``None`` if there is none."""

    number: int


class ListEgress(Request[tuple[Egress, ...]], right=Right.OWN):
    """List the entries of the egress ledger, newest last.

    Attributes:
        since: the time of the first one, ISO 8601 with offset.
        local: whether those that stayed on this machine are listed too.
    """

    since: str
    local: bool = False
