"""The callers as clients of the engine: requests, and streams of events."""

import asyncio
import secrets
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from typing import Any, TypeVar

from assistant.core.identity.uuid7 import Uuid7Source
from assistant.core.service.callers import Caller
from assistant.core.service.connection import Connection, EngineService
from assistant.core.service.events import Delivery
from assistant.core.service.grant import OWNER, Grant
from assistant.core.service.request import Request

R = TypeVar("R")

HEARTBEAT_S = 15.0
"""Seconds after which a silent stream sends something. Browsers and proxies drop connections after 30 to 60 s."""
MOST_WAITING = 2000
"""Events that wait for one follower. One that reads nothing for a minute of a fast answer stays below."""


class EngineClients:
    """The connections of the callers to the engine. All methods are called on one event loop.

    Args:
        service: the engine.
    """

    def __init__(self, service: EngineService) -> None:
        self._service = service
        self._ids = Uuid7Source(lambda: time.time_ns() // 1_000_000, secrets.randbits)
        self._inbox: _Inbox | None = None
        self._connections: dict[Grant, Connection] = {}

    async def result(self, caller: Caller, request: Request[R]) -> R:
        """Send a request of a caller and wait for its result.

        Raises:
            RefusedError: the engine refused it.
        """
        return await self._connection(caller.grant).result(request)

    def send(self, caller: Caller, request: Request[Any]) -> None:
        """Send a request of a caller whose result nobody waits for."""
        self._connection(caller.grant).ask(request, lambda _: None)

    async def own_result(self, request: Request[R]) -> R:
        """Send a request of the door itself.

        Raises:
            RefusedError: the engine refused it.
        """
        return await self._connection(OWNER).result(request)

    def new_id(self) -> str:
        """A new UUID of version 7."""
        return str(self._ids.next())

    def follow(self, caller: Caller) -> "EventStream":
        """A client of its own, with the caller's rights, whose events are read."""
        self._inbox = self._inbox or _Inbox()
        return EventStream(lambda deliver: self._service.connect(deliver, name="http", grant=caller.grant), self._inbox)

    def close(self) -> None:
        """End the connections."""
        while self._connections:
            self._connections.popitem()[1].close()

    def _connection(self, grant: Grant) -> Connection:
        """The connection for requests with these rights, which reads no events."""
        if grant not in self._connections:
            self._connections[grant] = self._service.connect(lambda _: None, name="http", grant=grant)
        return self._connections[grant]


class _Inbox:
    """Takes events of all followers from the threads of their connections to the loop, which it wakes once for many."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._items: deque[tuple[EventStream, Delivery]] = deque()
        self._woken = False

    def put(self, stream: "EventStream", delivery: Delivery) -> None:
        """Take an event; may be called on any thread."""
        self._items.append((stream, delivery))
        if not self._woken:
            self._woken = True
            with suppress(RuntimeError):  # the door is closed
                self._loop.call_soon_threadsafe(self._hand_out)

    def _hand_out(self) -> None:
        self._woken = False
        while self._items:
            stream, delivery = self._items.popleft()
            stream.take(delivery)


class EventStream:
    """The events of one follower, as they come.

    Args:
        connect: connects a client, given what takes its events.
        inbox: brings events to the loop.

    Attributes:
        connection: the follower's connection to the engine.
        missed: whether events were dropped because the follower read too slowly.
    """

    def __init__(self, connect: Callable[[Callable[[Delivery], None]], Connection], inbox: _Inbox) -> None:
        self._loop = asyncio.get_running_loop()
        self._waiting: deque[Delivery] = deque()
        self._waiter: asyncio.Future[None] | None = None
        self._timer = self._loop.call_later(HEARTBEAT_S, self._beat)
        self.missed = False
        self.connection = connect(lambda delivery: inbox.put(self, delivery))

    async def next(self) -> Delivery | None:
        """The next event; ``None`` for a heartbeat, or after ``wake`` if no event waits."""
        if not self._waiting:
            self._waiter = self._loop.create_future()
            try:
                await self._waiter
            finally:
                self._waiter = None
        return self._waiting.popleft() if self._waiting else None

    def wake(self) -> None:
        """Let ``next`` return now."""
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)

    def take(self, delivery: Delivery) -> None:
        """Take an event, on the loop."""
        if len(self._waiting) >= MOST_WAITING:
            # Whoever follows again gets what was missed, so nothing is lost with these.
            self._waiting.clear()
            self.missed = True
        self._waiting.append(delivery)
        self.wake()

    def close(self) -> None:
        """End the connection."""
        self._timer.cancel()
        self.connection.close()

    def _beat(self) -> None:
        self._timer = self._loop.call_later(HEARTBEAT_S, self._beat)
        self.wake()
