"""The domain of calls from outside: every one is in the audit log, and what leaves with its answer in the ledger."""

import json

from assistant.core.records.audit import HTTP, AuditedCall, AuditedEnd, AuditLog
from assistant.core.records.egress import DataClass, Egress, EgressLedger
from assistant.core.service.requests import remote_calls as rq
from assistant.engine.serving.table import Domain, serves


class RemoteCalls(Domain):
    """Records the calls that doors tell of.

    Args:
        audit: the log of calls.
        ledger: the ledger of what leaves.
    """

    def __init__(self, audit: AuditLog, ledger: EgressLedger) -> None:
        self._audit, self._ledger = audit, ledger

    @serves()
    async def _begin_call(self, request: rq.BeginCall) -> int:
        called = {"caller": request.caller, "path": request.path}
        number = await self._audit.begin(
            AuditedCall(
                conversation=request.conversation,
                turn="",
                tool=request.call,
                category=HTTP,
                arguments=json.dumps(called, ensure_ascii=False),
                digest="",
                decision="refuse" if request.refusal else "run",
            ),
            durable=False,
        )
        if request.refusal:
            await self._audit.end(number, AuditedEnd(outcome="refused", result=request.refusal, took_ms=0))
        return number

    @serves()
    async def _end_call(self, request: rq.EndCall) -> None:
        data = tuple(each for each in request.data if each is not DataClass.NONE)
        if data:
            await self._ledger.record(
                Egress(
                    destination=request.destination,
                    local=True,
                    purpose="http",
                    provider=request.caller,
                    size=request.size,
                    data=data,
                )
            )
        end = AuditedEnd(outcome=request.outcome, result=request.result, took_ms=request.took_ms)
        await self._audit.end(request.number, end)
