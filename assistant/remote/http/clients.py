"""The callers as clients of the engine: requests, and streams of events."""

import asyncio
import secrets
import time
from collections import deque
from collections.abc import Callable
from typing import TypeVar

from assistant.core.identity.uuid7 import Uuid7Source
from assistant.core.service.callers import Caller
from assistant.core.service.connection import Connection, EngineService
from assistant.core.service.events import Delivery
from assistant.core.service.grant import OWNER, Grant
from assistant.core.service.request import Request

R = TypeVar("R")

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
        self._connections: dict[Grant, Connection] = {}

    async def result(self, caller: Caller, request: Request[R]) -> R:
        """Send a request of a caller and wait for its result.

        Raises:
            RefusedError: the engine refused it.
        """
        return await self._connection(caller.grant).result(request)

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
        return EventStream(lambda deliver: self._service.connect(deliver, name="http", grant=caller.grant))

    def close(self) -> None:
        """End the connections."""
        while self._connections:
            self._connections.popitem()[1].close()

    def _connection(self, grant: Grant) -> Connection:
        """The connection for requests with these rights, which reads no events."""
        if grant not in self._connections:
            self._connections[grant] = self._service.connect(lambda _: None, name="http", grant=grant)
        return self._connections[grant]


class EventStream:
    """The events of one follower, as they come.

    Args:
        connect: connects a client, given what takes its events.

    Attributes:
        connection: the follower's connection to the engine.
        missed: whether events were dropped because the follower read too slowly.
    """

    def __init__(self, connect: Callable[[Callable[[Delivery], None]], Connection]) -> None:
        self._loop = asyncio.get_running_loop()
        self._waiting: deque[Delivery] = deque()
        self._arrived = asyncio.Event()
        self.missed = False
        self.connection = connect(self._deliver)

    async def next(self, timeout_s: float) -> Delivery | None:
        """The next event; ``None`` if none came within ``timeout_s`` seconds, or before ``wake``."""
        if not self._waiting:
            self._arrived.clear()
            try:
                async with asyncio.timeout(timeout_s):
                    await self._arrived.wait()
            except TimeoutError:
                return None
        return self._waiting.popleft() if self._waiting else None

    def wake(self) -> None:
        """Let ``next`` return now, without an event if none waits."""
        self._arrived.set()

    def close(self) -> None:
        """End the connection."""
        self.connection.close()

    def _deliver(self, delivery: Delivery) -> None:
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._take, delivery)

    def _take(self, delivery: Delivery) -> None:
        if len(self._waiting) >= MOST_WAITING:
            # Whoever follows again gets what was missed, so nothing is lost with these.
            self._waiting.clear()
            self.missed = True
        self._waiting.append(delivery)
        self._arrived.set()
