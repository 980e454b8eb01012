"""The window's connection to an engine that is still being loaded."""

import threading
from collections.abc import Callable
from functools import partial
from typing import Any

from assistant.core.machine.states import TurnId
from assistant.core.service.connection import Connection
from assistant.core.service.request import NO_REQUEST, Refusal, Request, RequestId
from assistant.desktop.bridge import Bridge
from assistant.storage.identities import new_id


class LateConnection:
    """A connection to an engine that is still being loaded. Earlier requests wait for it; replies come on Qt's thread.

    Args:
        bridge: carries the replies to Qt's thread, in order with the events.
    """

    def __init__(self, bridge: Bridge) -> None:
        self._bridge = bridge
        self._lock = threading.Lock()
        self._waiting: list[tuple[Request[Any], Callable[[Any], None]]] = []
        self._target: Connection | None = None
        self._failure: Refusal | None = None

    def new_turn(self) -> TurnId:
        """A new id for a turn."""
        return TurnId(new_id())

    def ask(self, request: Request[Any], reply: Callable[[Any], None]) -> RequestId:
        """Send a request, or keep it until the engine is connected; such a request has no id yet."""

        def take(answer: object) -> None:
            self._bridge.call(partial(reply, answer))

        with self._lock:
            if self._failure is not None:
                take(self._failure)
            elif self._target is not None:
                return self._target.ask(request, take)
            else:
                self._waiting.append((request, take))
            return NO_REQUEST

    def cancel(self, request: RequestId) -> None:
        """Give a request up, unless it still waits for the engine."""
        if self._target is not None:
            self._target.cancel(request)

    def connect(self, target: Connection) -> None:
        """Send the waiting requests and all later ones to the engine; an earlier connection ends."""
        with self._lock:
            former = self._target
            for request, take in self._waiting:
                target.ask(request, take)
            self._waiting.clear()
            self._target = target
        if former is not None:
            former.close()

    def close(self) -> None:
        """End the connection to the engine. Its turns go on."""
        with self._lock:
            target = self._target
        if target is not None:
            target.close()

    def fail(self, refusal: Refusal) -> None:
        """The engine cannot be loaded: refuse the waiting requests and all later ones."""
        with self._lock:
            self._failure = refusal
            waiting, self._waiting = self._waiting, []
        for _, take in waiting:
            take(refusal)
