"""An engine whose replies a test gives, for tests of doors. Implements ``EngineService``."""

import asyncio
from collections.abc import Callable
from typing import Any
from uuid import uuid4

from assistant.core.errors import ErrorCode
from assistant.core.machine.states import TurnId
from assistant.core.service.connection import Connection
from assistant.core.service.events import Delivery
from assistant.core.service.grant import OWNER, Grant
from assistant.core.service.request import ClientId, Refusal, RefusedError, Request, RequestId
from assistant.core.service.requests.remote_calls import BeginCall, EndCall
from assistant.core.updates import Update

NOT_SERVED = Refusal(code=ErrorCode.INTERNAL, reason="internal", message="/home/somebody/secret.py failed")


class FakeEngineService:
    """Replies with what a test gives for each type of request.

    Attributes:
        replies: by type of request: a result, a refusal, or a function of the request.
        asked: the requests so far, with what the client was granted; without the records of calls.
        begun: the recorded calls.
        ended: how they ended.
    """

    def __init__(self) -> None:
        self.replies: dict[type[Request[Any]], Any] = {}
        self.asked: list[tuple[Request[Any], Grant]] = []
        self.begun: list[BeginCall] = []
        self.ended: list[EndCall] = []
        self.clients: list[_FakeConnection] = []

    def connect(self, deliver: Callable[[Delivery], None], *, name: str, grant: Grant = OWNER) -> Connection:
        client = _FakeConnection(self, deliver, grant)
        self.clients.append(client)
        return client

    def publish(self, event: Update) -> None:
        """Give all clients an event."""
        for each in [*self.clients]:
            each.take(event)

    def reply_to(self, request: Request[Any], grant: Grant) -> Any:
        if isinstance(request, BeginCall):
            self.begun.append(request)
            return self.replies.get(BeginCall, len(self.begun))
        if isinstance(request, EndCall):
            self.ended.append(request)
            return self.replies.get(EndCall)
        self.asked.append((request, grant))
        reply = self.replies.get(type(request), NOT_SERVED)
        return reply(request) if callable(reply) else reply


class _FakeConnection:
    def __init__(self, service: FakeEngineService, deliver: Callable[[Delivery], None], grant: Grant) -> None:
        self._service, self._deliver, self._grant = service, deliver, grant
        self._number = 0
        self.closed = False

    @property
    def client(self) -> ClientId:
        return ClientId("client")

    def new_turn(self) -> TurnId:
        return TurnId(str(uuid4()))

    def ask(self, request: Request[Any], reply: Callable[[Any], None] = lambda _: None) -> RequestId:
        reply(self._service.reply_to(request, self._grant))
        return RequestId(str(uuid4()))

    async def result(self, request: Request[Any]) -> Any:
        await asyncio.sleep(0)
        reply = self._service.reply_to(request, self._grant)
        if asyncio.iscoroutine(reply):
            reply = await reply
        if isinstance(reply, Refusal):
            raise RefusedError(reply)
        return reply

    def cancel(self, request: RequestId) -> None:
        """Nothing waits."""

    def close(self) -> None:
        self.closed = True
        if self in self._service.clients:
            self._service.clients.remove(self)

    def take(self, event: Update) -> None:
        self._number += 1
        self._deliver(Delivery(number=self._number, event=event))
