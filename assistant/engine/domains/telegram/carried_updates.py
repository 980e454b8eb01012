"""Brings the updates of Telegram to the account before they are confirmed, so that the next device can answer them."""

import asyncio
from collections.abc import Sequence
from typing import Protocol

from assistant.core.clock import Clock
from assistant.core.telegram.records import TelegramUpdate, UpdateState
from assistant.storage.database import Database
from assistant.storage.records.telegram import TelegramRecords
from assistant.tasks import run_on


class Account(Protocol):
    """Keeps this device and its account alike. Use it on the engine's loop."""

    async def share(self) -> None:
        """Take what has come, and send what waits, now.

        Raises:
            StorageError: that cannot be done now.
        """
        ...

    def hasten(self) -> None:
        """Send what was changed here soon."""
        ...


class CarriedUpdates(TelegramRecords):
    """Implements ``TelegramStore`` for one opened door of a device in an account.

    Updates of the account come also from other devices; each is given to the door once.

    Args:
        database: the open database.
        clock: tells which updates are long over.
        account: keeps this device and the account alike.
        loop: the engine's loop.
    """

    def __init__(self, database: Database, clock: Clock, account: Account, loop: asyncio.AbstractEventLoop) -> None:
        super().__init__(database, clock)
        self._account, self._loop = account, loop
        self._given: set[int] = set()

    async def take_up(self) -> tuple[TelegramUpdate, ...]:
        """The updates that this or another device has received and not answered.

        Raises:
            StorageError: the account cannot be asked which ones they are.
        """
        await self.share()
        self._given.clear()
        return await self._not_given()

    async def receive(self, updates: Sequence[TelegramUpdate]) -> tuple[TelegramUpdate, ...]:
        """Keep updates here and in the account.

        Raises:
            StorageError: one of both has failed; the door must not confirm them.
        """
        known = await self.carried()
        new = await super().receive([each for each in updates if known is None or not known.knows(each)])
        self._given.difference_update(each.update_id for each in new)
        await self.share()
        return await self._not_given()

    async def share(self) -> None:
        """Bring what is kept of the open updates to the account.

        Raises:
            StorageError: that cannot be done now.
        """
        await asyncio.wrap_future(run_on(self._loop, self._account.share()))

    async def end(self, update_id: int, state: UpdateState, left: str = "") -> None:
        """Note that an update is over, and let the account know soon."""
        await super().end(update_id, state, left)
        self._loop.call_soon_threadsafe(self._account.hasten)

    async def _not_given(self) -> tuple[TelegramUpdate, ...]:
        found = tuple(each for each in await self.open_updates() if each.update_id not in self._given)
        self._given.update(each.update_id for each in found)
        return found
