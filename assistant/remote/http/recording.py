"""Every call is in the audit log before it is carried out, and what leaves is in the ledger before it is sent."""

import logging
import time
from http import HTTPStatus

from starlette.datastructures import Headers
from starlette.types import Message, Send

from assistant.core.records.egress import DataClass
from assistant.core.service.callers import Caller
from assistant.core.service.request import Refusal, RefusedError
from assistant.core.service.requests.remote_calls import BeginCall, EndCall
from assistant.remote.http.clients import EngineClients

log = logging.getLogger(__name__)

NOBODY = Caller(name="")
_FAILED, _REFUSED = 500, 400
_LONGEST_PATH = 300
"""Characters of a path that are recorded."""


class CallRecords:
    """Records the calls of one door.

    Args:
        engine: the engine, whose audit log and ledger are used.
        destination: where the door is called, in the form of the ledger.
    """

    def __init__(self, engine: EngineClients, destination: str) -> None:
        self._engine, self._destination = engine, destination

    async def begin(
        self, caller: Caller, call: str, path: str, conversation: str, data: tuple[DataClass, ...]
    ) -> "CallRecord":
        """Record a call before it is carried out.

        Raises:
            RefusedError: it cannot be recorded, so it must not be carried out.
        """
        began = BeginCall(caller=caller.name, call=call, path=path[:_LONGEST_PATH], conversation=conversation)
        number = await self._engine.own_result(began)
        return CallRecord(self._engine, caller, number, self._destination, data)

    async def refused(self, call: str, path: str, caller: Caller, refusal: Refusal) -> None:
        """Record a call that was refused at the door."""
        try:
            path, reason = path[:_LONGEST_PATH], refusal.reason
            await self._engine.own_result(BeginCall(caller=caller.name, call=call, path=path, refusal=reason))
        except RefusedError as error:
            log.warning("a refused call is not in the audit log: %s", error)


class CallRecord:
    """One call that is carried out.

    Args:
        engine: the engine.
        caller: who calls.
        number: its number in the audit log.
        destination: where it was called.
        data: the kinds of the user's data in its answer.
    """

    def __init__(
        self, engine: EngineClients, caller: Caller, number: int, destination: str, data: tuple[DataClass, ...]
    ) -> None:
        self._engine, self._caller, self._number = engine, caller, number
        self._destination, self._data = destination, data
        self._began = time.monotonic()
        self._sent = 0
        self._streams = False

    def recording(self, send: Send) -> Send:
        """Send an answer, and record it before its first byte.

        Raises:
            RefusedError: when it begins: it cannot be recorded, so nothing of it is sent.
        """

        async def recorded(message: Message) -> None:
            if message["type"] == "http.response.start":
                size = Headers(raw=message.get("headers", [])).get("content-length")
                self._streams = size is None and message["status"] < _REFUSED
                await self._end(message["status"], int(size or 0))
            else:
                self._sent += len(message.get("body", b""))
            await send(message)

        return recorded

    async def over(self) -> None:
        """The answer was sent, or its caller is gone: record how much of a stream was sent."""
        if self._streams:
            await self._end(HTTPStatus.OK, self._sent)

    async def _end(self, status: int, size: int) -> None:
        outcome = "done" if status < _REFUSED else "refused" if status < _FAILED else "failed"
        await self._engine.own_result(
            EndCall(
                number=self._number,
                outcome=outcome,
                result=str(status),
                took_ms=round((time.monotonic() - self._began) * 1000),
                caller=self._caller.name,
                destination=self._destination,
                size=size,
                data=self._data if status < _REFUSED else (),
            )
        )
