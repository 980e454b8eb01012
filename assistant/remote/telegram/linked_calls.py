"""Calls of the Bot API that only a linked chat gets: each try asks anew, so that unlinking ends also what waits."""

from collections.abc import Awaitable, Callable
from typing import TypeVar

from assistant.core.clock import Clock
from assistant.core.telegram.store import TelegramStore
from assistant.remote.telegram.bot import patiently

R = TypeVar("R")


class UnlinkedError(Exception):
    """The chat is not linked any more, and gets nothing."""


class LinkedCalls:
    """Makes calls for one chat.

    Args:
        store: knows whether it is linked.
        chat: Telegram's id of the chat.
        clock: waits for the limits of Telegram.
    """

    def __init__(self, store: TelegramStore, chat: int, clock: Clock) -> None:
        self._store, self._chat, self._clock = store, chat, clock

    async def make(self, call: Callable[[], Awaitable[R]], *, most: int = 0) -> R:
        """Make a call, as ``patiently`` does.

        Raises:
            UnlinkedError: the chat is not linked.
            TelegramError: Telegram refuses the call as it is, or it has failed ``most`` times.
            StorageError: it cannot be read whether the chat is linked.
        """

        async def made() -> R:
            if await self._store.chat(self._chat) is None:
                raise UnlinkedError
            return await call()

        return await patiently(made, self._clock, most=most)
