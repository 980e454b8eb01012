"""The engine as the chats use it: turns with a chat's rights, and what the door itself asks."""

import asyncio
import secrets
import time
from collections.abc import Callable
from contextlib import suppress
from typing import TypeVar

from assistant.core import packets as pk
from assistant.core import updates as up
from assistant.core.identity.uuid7 import Uuid7Source
from assistant.core.machine.states import TurnId
from assistant.core.service.connection import EngineService
from assistant.core.service.events import Delivery
from assistant.core.service.grant import OWNER, TELEGRAM
from assistant.core.service.request import RefusedError, Request
from assistant.core.service.requests import turns as tn

R = TypeVar("R")

_NAME = "telegram"


class ChatTurns:
    """Two connections to the engine. Made and used on one event loop.

    Args:
        service: the engine.
    """

    def __init__(self, service: EngineService) -> None:
        self._loop = asyncio.get_running_loop()
        self._ids = Uuid7Source(lambda: time.time_ns() // 1_000_000, secrets.randbits)
        self._events: dict[str, asyncio.Queue[up.Update]] = {}
        self._chats = service.connect(self._deliver, name=_NAME, grant=TELEGRAM)
        self._own = service.connect(lambda _: None, name=_NAME, grant=OWNER)

    def new_id(self) -> TurnId:
        """A new id of a turn."""
        return TurnId(str(self._ids.next()))

    async def own(self, request: Request[R]) -> R:
        """Send a request of the door itself.

        Raises:
            RefusedError: the engine refused it.
        """
        return await self._own.result(request)

    async def run(
        self, request: tn.BeginTurn | tn.EditMessage | tn.AnswerAgain | tn.FollowTurn, take: Callable[[pk.Packet], None]
    ) -> None:
        """Begin a turn, or follow one that runs, until its end.

        Args:
            request: names the turn.
            take: takes each packet, in order.

        Raises:
            RefusedError: the engine refused it, has ended, or does not know the turn.
        """
        events = self._events[request.turn] = asyncio.Queue()
        try:
            begun, after = await self._chats.result(request), 0
            while not (begun.over and after >= begun.packets):
                event = await events.get()
                if isinstance(event, up.Missed | up.EngineStopped):
                    begun = await self._chats.result(tn.FollowTurn(turn=request.turn, after=after))
                elif isinstance(event, up.PacketEmitted) and event.number > after:
                    after = event.number
                    take(event.packet)
                    if isinstance(event.packet, pk.Done):
                        return
        finally:
            del self._events[request.turn]

    async def stop(self, turn: TurnId) -> None:
        """Stop a turn; nothing happens to one that is over."""
        with suppress(RefusedError):
            await self._chats.result(tn.StopTurn(turn=turn))

    def close(self) -> None:
        """End the connections; the turns go on."""
        self._chats.close()
        self._own.close()

    def _deliver(self, delivery: Delivery) -> None:
        """Take an event, on a thread of the connection's."""
        if isinstance(delivery.event, up.PacketEmitted | up.Missed | up.EngineStopped):
            with suppress(RuntimeError):  # the door is closed
                self._loop.call_soon_threadsafe(self._take, delivery.event)

    def _take(self, event: up.PacketEmitted | up.Missed | up.EngineStopped) -> None:
        if isinstance(event, up.PacketEmitted):
            if (events := self._events.get(event.turn)) is not None:
                events.put_nowait(event)
            return
        for events in self._events.values():
            events.put_nowait(event)
