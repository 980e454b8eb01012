"""Devices that write while their PostgreSQL server is killed again and again."""

import asyncio
import itertools
import signal
from contextlib import suppress
from pathlib import Path

from assistant.core.errors import StorageError
from assistant.core.messages import Message, Role
from assistant.sync.postgres.postgres_store import PostgresStore, connected, found_account, make_tables
from assistant.sync.sealing import DataKeys
from tests.contract.postgres import KillableServer
from tests.fakes.ledger import MemoryLedger
from tests.fakes.sync.account import Home

_HOW = (signal.SIGKILL, signal.SIGQUIT)
_UNTOUCHED = 3
"""Rounds without a failure after which a device has all."""


class Writer:
    """A device that writes numbers, and notes those whose round the server has acknowledged."""

    def __init__(self, home: Home, store: PostgresStore, keys: DataKeys, conversation: str) -> None:
        self.home, self.store, self.keys, self.conversation = home, store, keys, conversation
        self.written = 0
        self.acknowledged: set[str] = set()
        self.failures = 0

    async def write(self, stop: asyncio.Event) -> None:
        """Write and sync until it is to stop."""
        waiting: list[str] = []
        while not stop.is_set():
            text = f"{self.conversation} {self.written}"
            await self.home.conversations.add(self.conversation, Message(role=Role.USER, text=text))
            self.written += 1
            waiting.append(text)
            try:
                await self.home.sync()
            except StorageError:
                self.failures += 1
                await asyncio.sleep(0.02)
            else:
                self.acknowledged.update(waiting)
                waiting.clear()

    async def texts(self) -> list[str]:
        """The texts of all messages that are here, sorted."""
        found = await self.home.database.read(lambda used: used.execute("SELECT text FROM messages").fetchall())
        return sorted(text for (text,) in found)


async def writers(folder: Path, server: KillableServer, count: int) -> list[Writer]:
    """Devices of one account."""
    first = connected(server.address, "", MemoryLedger())
    await make_tables(first)
    member = await found_account(first, "four words are good", "laptop", bytes(16))
    await first.close()
    made = []
    for number in range(count):
        own = [connected(server.address, "", MemoryLedger()) for _ in range(2)]
        store = PostgresStore(own[0], own[1], member)
        home = await Home.open(folder / str(number), store, keys=member.keys)
        made.append(Writer(home, store, member.keys, await home.conversations.create()))
    return made


async def kept_by_the_server(folder: Path, devices: list[Writer]) -> list[str]:
    """The texts that a new device gets, sorted."""
    first = devices[0]
    new = Writer(await Home.open(folder / "new", first.store, keys=first.keys), first.store, first.keys, "")
    await new.home.sync()
    found = await new.texts()
    await new.home.database.close()
    return found


async def write_through_kills(devices: list[Writer], server: KillableServer, kills: int, pause_s: float) -> None:
    """Let all devices write while the server is killed, then let them meet.

    Args:
        devices: the devices.
        server: their server.
        kills: how often.
        pause_s: seconds between a start and the next kill.
    """
    stop = asyncio.Event()
    writing = [asyncio.ensure_future(each.write(stop)) for each in devices]
    for _, how in zip(range(kills), itertools.cycle(_HOW), strict=False):
        await asyncio.sleep(pause_s)
        await asyncio.to_thread(server.kill, how)
        await asyncio.to_thread(server.start)
    await asyncio.sleep(pause_s)
    stop.set()
    await asyncio.gather(*writing)
    for _ in range(_UNTOUCHED):
        for each in devices:
            with suppress(StorageError):  # a connection that the last kill has cut
                await each.home.sync()


async def close(devices: list[Writer]) -> None:
    """Close databases and connections."""
    for each in devices:
        await each.store.close()
        await each.home.database.close()
