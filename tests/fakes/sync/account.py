"""An account in memory, and homes that sync with it."""

import asyncio
import itertools
import sqlite3
from collections.abc import Sequence
from datetime import datetime, timedelta
from pathlib import Path

from assistant.core.errors import StorageError
from assistant.storage.conversation_list import ConversationList
from assistant.storage.conversations import ConversationStore
from assistant.storage.database import Database
from assistant.storage.identities import new_id
from assistant.storage.people import PeopleStore
from assistant.storage.sync.inbox import SyncInbox, Taken
from assistant.storage.sync.outbox import SyncOutbox
from assistant.storage.sync.text_bases import TextKind
from assistant.sync.comparing import TextComparison
from assistant.sync.sealing import DataKeys
from assistant.sync.store import AccountPlace, Change, HeldLease, Lease, RevokedError, Sealed, SyncDevice, SyncStore
from assistant.sync.syncing import Syncing
from assistant.sync.texts import SharedTexts
from assistant.sync.values import SharedValues, ValueSource
from tests.fakes.clock import START, FakeClock
from tests.fakes.new_database import open_database

KEYS = DataKeys.new(b"a" * 16)


class MemoryAccount:
    """Implements ``SyncStore`` for any number of devices; ``tests/contract`` has the same on a server.

    Attributes:
        records: by identity.
        followed: set once a device waits to be told of changes.
        beats: the seconds that its clock shows at the next signs of life.
        names: when each device has told its name last, by name.
        silent_s: how long an answer has been waited for.
        shut_out: the devices that were shut out.
        failing: the next requests that fail, before they do anything or after (``"before"``, ``"after"``).
    """

    def __init__(self) -> None:
        self.records: dict[bytes, Sealed] = {}
        self.newest_number = 0
        self.names: dict[bytes, datetime] = {}
        self.beats = itertools.count()
        self.failing: list[str] = []
        self.told, self.followed = asyncio.Event(), asyncio.Event()
        self.revoked = False
        self.silent_s = 0.0
        self.shut_out: set[bytes] = set()

    async def place(self, device: bytes) -> AccountPlace:
        return AccountPlace(newest=self.newest_number, seen_at=self.names.get(device))

    async def pull(self, after: int, limit: int) -> list[Sealed]:
        self._fail("before")
        found = sorted((each for each in self.records.values() if each.number > after), key=lambda each: each.number)
        return found[:limit]

    async def push(self, changes: Sequence[Change]) -> list[int | None]:
        when = self._fail("before")
        numbers: list[int | None] = []
        for each in changes:
            here = self.records.get(each.identity)
            if (here.number if here else 0) != each.based_on:
                numbers.append(None)
                continue
            self.newest_number += 1
            self.records[each.identity] = Sealed(
                identity=each.identity, number=self.newest_number, content=each.content
            )
            numbers.append(self.newest_number)
        self.tell()
        if when == "after":
            raise StorageError("postgresql://account", "the connection was lost before the answer")
        return numbers

    def _fail(self, when: str) -> str:
        if self.revoked:
            raise RevokedError
        due = self.failing.pop(0) if self.failing else ""
        if due == when:
            raise StorageError("postgresql://account", "the server is away")
        return due

    async def wait(self, after: int, timeout_s: float) -> None:
        self._fail("before")
        self.followed.set()
        while self.newest_number <= after:
            self.told.clear()
            await self.told.wait()
            self._fail("before")

    def tell(self) -> None:
        """Wake whoever waits, also to notice that the server is away."""
        self.told.set()

    async def beat(self, name: bytes) -> datetime:
        self.names[name] = START + timedelta(seconds=next(self.beats))
        return self.names[name]

    async def devices(self) -> list[SyncDevice]:
        return [
            SyncDevice(identity=each, name=each, seen_at=seen_at, online=True, revoked=each in self.shut_out)
            for each, seen_at in {**self.names, **dict.fromkeys(self.shut_out, START)}.items()
        ]

    async def revoke(self, device: bytes) -> None: ...

    async def lease(self, work: str) -> Lease | None:
        return Lease(work=work, token=1)

    async def give_back(self, lease: Lease) -> None: ...

    async def leases(self) -> list[HeldLease]:
        return []

    async def once(self, lease: Lease, effect: str) -> bool:
        return True


class Home:
    """A device with a database and files. Make it with ``open``."""

    def __init__(self, path: Path, clock: FakeClock, database: Database, conversations: ConversationStore) -> None:
        self.path, self.clock, self.database, self.conversations = path, clock, database, conversations
        self.list, self.people = ConversationList(database, clock), PeopleStore(database, clock)
        self.outbox = SyncOutbox(database, clock)
        self.taken: list[Taken] = []
        self.sources: list[ValueSource] = []

    @classmethod
    async def open(
        cls,
        path: Path,
        account: SyncStore,
        now: datetime = START,
        keys: DataKeys = KEYS,
        sources: Sequence[ValueSource] = (),
    ) -> "Home":
        """A device that is in the account. Its clock may be wrong."""
        clock = FakeClock(now)
        database = await open_database(path / "sori.db", clock)
        # The databases of tests are copies of one.
        await database.write(lambda connection: connection.execute("UPDATE devices SET id = ?", (new_id(),)))
        home = cls(path, clock, database, await ConversationStore.open(database, clock))
        home.sources.extend(sources)
        await home.join(account, keys)
        return home

    async def join(self, account: SyncStore, keys: DataKeys = KEYS) -> None:
        """Begin to sync, as at each start."""
        self.syncing = Syncing(
            account,
            keys,
            outbox=self.outbox,
            inbox=SyncInbox(self.database, self.clock),
            shared=(
                TextComparison(TextKind.FILE, SharedTexts(self.path, self.clock), self.database, self.clock),
                TextComparison(TextKind.VALUE, SharedValues(self.sources), self.database, self.clock),
            ),
            clock=self.clock,
            device=str(self.path).encode(),
            identity=str(self.path).encode(),
        )
        await account.beat(str(self.path).encode())
        self.syncing.taken.add(self.taken.append)
        await self.syncing.begin()

    async def sync(self) -> None:
        self.clock.advance(1)
        await self.syncing.round()

    async def rows(self, table: str) -> list[tuple[object, ...]]:
        """Rows with their stamps, in which devices are named by their ids."""

        def work(connection: sqlite3.Connection) -> list[tuple[object, ...]]:
            named = connection.execute("SELECT name FROM pragma_table_info(?)", (table,))
            columns = [name for (name,) in named if name not in ("device", "changed_by")]
            select = f"SELECT {', '.join(f't.{name}' for name in columns)}, d.id, c.id FROM {table} AS t"  # noqa: S608
            joined = "JOIN devices AS d ON d.number = t.device JOIN devices AS c ON c.number = t.changed_by"
            return connection.execute(f"{select} {joined} ORDER BY t.id").fetchall()

        return await self.database.read(work)

    def file(self, path: str) -> Path:
        file = self.path / path
        file.parent.mkdir(parents=True, exist_ok=True)
        return file
