"""The domain of records: traces of turns, the use of models, calls of tools, and what has left this machine."""

from datetime import datetime

from assistant.core.errors import ErrorCode, SoriError
from assistant.core.records.audit import StoredCall
from assistant.core.records.egress import Egress
from assistant.core.records.traces import StoredTrace
from assistant.core.records.usage import Exchange
from assistant.core.service.requests.records import FindCall, FindTrace, ListCalls, ListEgress, ListTraces, ListUsage
from assistant.engine.serving.table import Domain, serves
from assistant.storage.records.audit import AuditStore
from assistant.storage.records.egress import EgressStore
from assistant.storage.records.traces import TraceStore
from assistant.storage.records.usage import UsageStore


class Records(Domain):
    """Owns the requests for records.

    Args:
        traces: the traces of turns.
        usage: the exchanges with models.
        audit: the calls of tools.
        ledger: what has left this machine.
    """

    def __init__(self, traces: TraceStore, usage: UsageStore, audit: AuditStore, ledger: EgressStore) -> None:
        self._traces, self._usage, self._audit, self._ledger = traces, usage, audit, ledger

    @serves()
    async def _list_traces(self, request: ListTraces) -> tuple[StoredTrace, ...]:
        return tuple(reversed(await self._traces.newest(request.limit, before=request.before)))

    @serves()
    async def _find_trace(self, request: FindTrace) -> StoredTrace | None:
        return await self._traces.find(request.number)

    @serves()
    async def _list_usage(self, request: ListUsage) -> tuple[Exchange, ...]:
        return await self._usage.exchanges(_time(request.since) if request.since else None)

    @serves()
    async def _list_calls(self, request: ListCalls) -> tuple[StoredCall, ...]:
        return await self._audit.newest(request.limit, http=request.http, before=request.before)

    @serves()
    async def _find_call(self, request: FindCall) -> StoredCall | None:
        return await self._audit.find(request.number)

    @serves()
    async def _list_egress(self, request: ListEgress) -> tuple[Egress, ...]:
        return await self._ledger.rows(
            _time(request.since) if request.since else None,
            local=request.local,
            limit=request.limit,
            before=request.before,
        )


def _time(text: str) -> datetime:
    try:
        return datetime.fromisoformat(text)
    except ValueError as error:
        raise SoriError(
            ErrorCode.INVALID_REQUEST,
            f"{text!r} is no time",
            message_key="invalid_time",
            values={"time": text},
            cause=error,
        ) from error
