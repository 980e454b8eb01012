"""Rows that devices share: who wrote them when, in which order they stand, and what is left of deleted ones."""

import re
import sqlite3
from collections.abc import Awaitable, Callable
from contextlib import closing
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

from assistant.core.errors import StorageError
from assistant.core.identity.hybrid_time import Stamp
from assistant.core.messages import Attachment, Completion, Message, Role, Summary
from assistant.storage.conversation_list import ConversationList
from assistant.storage.conversations import ConversationStore
from assistant.storage.database import Database
from assistant.storage.identities import new_id
from assistant.storage.migrations.steps import MIGRATIONS, Migration
from assistant.storage.rows import CONVERSATIONS, MESSAGES, ROW_COLUMNS, THIS_DEVICE, Rows, SyncedTable, write_rows
from assistant.storage.stored_message import StoredMessage
from assistant.storage.timers import StoredTimer, TimerStore
from tests.fakes.clock import START, FakeClock
from tests.fakes.new_database import open_database

OTHER_DEVICE = "019b0000-0000-7000-8000-00000000000b"
OTHER_NUMBER = 2
ASSISTANT = Path(__file__).parents[3] / "assistant"
WRITES = re.compile(r"\b(?:INSERT\s+(?:OR\s+\w+\s+)?INTO|REPLACE\s+INTO|UPDATE|DELETE\s+FROM)\s+(\w+)", re.IGNORECASE)


class World:
    """A conversation with a question and two answers, of which the second is being written."""

    def __init__(self, database: Database) -> None:
        self.clock = FakeClock()
        self.database = database
        self.store = ConversationStore(database, self.clock)
        self.list = ConversationList(database, self.clock)
        self.conversation = ""

    async def begin(self) -> None:
        self.conversation = await self.store.create()
        await self.store.add(self.conversation, Message(role=Role.USER, text="하나", id="asked"))
        await self.store.add(self.conversation, Message(role=Role.ASSISTANT, text="둘", id="answered", provider="acme"))
        await self.store.save([self.growing("세")], durable=False)

    def growing(self, text: str) -> StoredMessage:
        return StoredMessage(
            id="growing",
            conversation=self.conversation,
            role=Role.ASSISTANT,
            text=text,
            completion=Completion.STREAMING,
            provider="acme",
            created_at=START.isoformat(),
        )

    async def row(self, table: str, identity: str) -> dict[str, Any]:
        def work(connection: sqlite3.Connection) -> dict[str, Any]:
            cursor = connection.execute(" ".join(("SELECT * FROM", table, "WHERE id = ?")), (identity,))
            names = [column[0] for column in cursor.description]
            return dict(zip(names, cursor.fetchone(), strict=True))

        return await self.database.read(work)

    async def tombstones(self) -> list[tuple[Any, ...]]:
        return await self.database.read(lambda connection: connection.execute("SELECT * FROM tombstones").fetchall())

    async def device_ids(self) -> dict[int, str]:
        query = "SELECT number, id FROM devices"
        return dict(await self.database.read(lambda connection: connection.execute(query).fetchall()))


@pytest.fixture
async def world(database: Database) -> World:
    made = World(database)
    await made.begin()
    return made


async def another_device_wrote(world: World, identity: str, at: timedelta) -> None:
    """Put a message of another device into the file, as an exchange with it would."""
    added = Stamp(int((START + at).timestamp() * 1000), 0, OTHER_DEVICE).time
    row = {
        **(await world.row("messages", "growing")),
        "id": identity,
        "device": OTHER_NUMBER,
        "added": added,
        "changed": added,
        "changed_by": OTHER_NUMBER,
    }
    marks = ", ".join(f":{name}" for name in row)
    query = " ".join(("INSERT INTO messages VALUES (", marks, ")"))
    await another_device_is_known(world)
    await world.database.write(lambda connection: connection.execute(query, row))


async def another_device_is_known(world: World) -> None:
    query = "INSERT OR IGNORE INTO devices (number, id) VALUES (?, ?)"
    await world.database.write(lambda connection: connection.execute(query, (OTHER_NUMBER, OTHER_DEVICE)))


async def test_a_new_row_has_a_uuid7_this_device_and_the_time_at_which_it_was_written(world: World) -> None:
    for table, identity in (("conversations", world.conversation), ("messages", "asked")):
        row = await world.row(table, identity)
        assert (row["device"], row["changed_by"], row["revision"]) == (THIS_DEVICE, THIS_DEVICE, 1)
        assert row["added"] == row["changed"]
        assert Stamp.at(row["added"], "").milliseconds == int(START.timestamp() * 1000)
    ((number, device),) = (await world.device_ids()).items()
    assert (number, UUID(device).version) == (THIS_DEVICE, 7)
    assert UUID(world.conversation).version == 7
    said = await world.store.add(world.conversation, Message(role=Role.USER, text="?"))
    assert UUID(said.id).version == 7
    assert world.conversation < said.id < new_id()


CHANGES: dict[str, tuple[str, Callable[[World], Awaitable[object]]]] = {
    "a text that grows": ("growing", lambda world: world.store.save([world.growing("세 개")], durable=False)),
    "a message that a crash cut off": ("growing", lambda world: world.store.recover()),
    "an answer that is superseded": ("answered", lambda world: world.store.supersede(world.conversation)),
    "an answer that is interrupted": ("answered", lambda world: world.store.mark_interrupted([("answered", "ㄷ")])),
    "another model": ("", lambda world: world.store.choose_model(world.conversation, "acme/m")),
    "a summary": ("", lambda world: world.store.keep_summary(world.conversation, Summary(text="-", until="asked"))),
    "a title": ("", lambda world: world.list.rename(world.conversation, "제목")),
    "hiding": ("", lambda world: world.list.delete(world.conversation)),
}


@pytest.mark.parametrize(("identity", "change"), CHANGES.values(), ids=CHANGES)
async def test_every_change_counts_and_is_later_but_leaves_the_row_in_its_place(
    world: World, identity: str, change: Callable[[World], Awaitable[object]]
) -> None:
    table, identity = ("messages", identity) if identity else ("conversations", world.conversation)
    before = await world.row(table, identity)
    await change(world)
    after = await world.row(table, identity)
    assert after["revision"] == before["revision"] + 1
    assert after["changed"] > before["changed"]
    assert (after["added"], after["device"]) == (before["added"], before["device"])


async def test_a_row_that_this_device_changes_stays_the_other_devices_row(world: World) -> None:
    await another_device_wrote(world, "theirs", timedelta(seconds=1))
    await world.store.mark_interrupted([("theirs", "")])
    row = await world.row("messages", "theirs")
    assert (row["device"], row["changed_by"], row["revision"]) == (OTHER_NUMBER, THIS_DEVICE, 2)
    await world.store.withdraw(["theirs"])
    ((_, _, device, revision, _, changed_by),) = await world.tombstones()
    assert (device, revision, changed_by) == (OTHER_NUMBER, 3, THIS_DEVICE)


async def test_a_row_of_a_device_that_nobody_knows_is_refused(world: World) -> None:
    query = "UPDATE messages SET device = 9 WHERE id = 'asked'"
    with pytest.raises(StorageError, match="FOREIGN KEY"):
        await world.database.write(lambda connection: connection.execute(query))


async def test_restoring_a_conversation_is_a_change_too(world: World) -> None:
    await world.list.delete(world.conversation)
    assert await world.list.restore(world.conversation)
    row = await world.row("conversations", world.conversation)
    assert (row["revision"], row["deleted_at"]) == (3, "")


async def test_opening_a_conversation_is_this_devices_own_affair(world: World) -> None:
    before = await world.row("conversations", world.conversation)
    assert await world.list.mark_open(world.conversation)
    assert await world.row("conversations", world.conversation) == before


async def test_messages_stay_in_order_when_the_clock_is_set_back(world: World) -> None:
    world.clock.set(START - timedelta(days=400))
    await world.store.add(world.conversation, Message(role=Role.USER, text="넷", id="later"))
    assert [message.id for message in await world.store.messages(world.conversation)][-2:] == ["growing", "later"]
    assert (await world.list.entries())[0].id == world.conversation


async def test_two_processes_of_one_device_never_stamp_alike(world: World) -> None:
    other = await open_database(world.database.path, world.clock)
    beside = ConversationStore(other, world.clock)
    for number in range(6):
        store = beside if number % 2 else world.store
        await store.add(world.conversation, Message(role=Role.USER, text=str(number)))
    assert [message.text for message in await world.store.messages(world.conversation, 6)] == list("012345")
    await other.close()


async def test_a_message_of_another_device_stands_where_its_time_says(world: World) -> None:
    world.clock.advance(10)
    await world.store.add(world.conversation, Message(role=Role.USER, text="넷", id="last"))
    await another_device_wrote(world, "theirs", timedelta(seconds=5))
    assert [message.id for message in await world.store.messages(world.conversation, 3)] == [
        "growing",
        "theirs",
        "last",
    ]


async def test_messages_of_two_devices_with_the_same_time_are_in_one_order_and_none_is_lost(world: World) -> None:
    at = timedelta(seconds=5)
    for identity in ("t2", "t4", "t1", "t3"):
        await another_device_wrote(world, identity, at)
    everything = ["asked", "answered", "growing", "t1", "t2", "t3", "t4"]
    assert [message.id for message in await world.store.messages(world.conversation)] == everything
    for number, identity in enumerate(everything):
        rest = everything[number + 1 :]
        after = await world.store.messages(world.conversation, after=identity)
        assert [message.id for message in after] == rest
        assert await world.store.count(world.conversation, after=identity) == len(rest)
        earlier, more = await world.store.page(world.conversation, 9, before=identity)
        assert ([message.id for message in earlier], more) == (everything[:number], False)
    assert [message.id for message in await world.store.messages(world.conversation, 2)] == ["t3", "t4"]


async def test_recovery_leaves_alone_what_another_device_is_writing(world: World) -> None:
    await another_device_wrote(world, "theirs", timedelta(seconds=1))
    store = await ConversationStore.open(world.database, world.clock)
    ends = {message.id: message.completion for message in await store.messages(world.conversation, 2)}
    assert ends == {"growing": Completion.INCOMPLETE, "theirs": Completion.STREAMING}


async def test_a_timer_of_another_device_does_not_ring_here(world: World) -> None:
    timers = TimerStore(world.database)
    mine = StoredTimer(id="t", name="tea", language="en", duration_s=60, due_at=START, created_at=START)
    await timers.add(mine)
    query = """INSERT INTO timers SELECT 'theirs', name, language, duration_s, due_at, created_at, rang_at, ?,
        kind, repeats, job FROM timers"""
    await another_device_is_known(world)
    await world.database.write(lambda connection: connection.execute(query, (OTHER_NUMBER,)))
    assert await timers.all() == (mine,)
    assert not await timers.mark_rung("theirs", START)
    assert not await timers.remove("theirs")
    assert not await timers.move("theirs", START)
    assert not await timers.put(replace(mine, id="theirs"))
    assert await timers.remove("t")


async def test_a_withdrawn_message_leaves_who_and_when_and_nothing_of_what_it_said(world: World) -> None:
    secret = Attachment(mime_type="text/plain", name="diary.txt", data=b"attached-secret " * 3000)
    said = Message(role=Role.USER, text="spoken-secret", id="said", attachments=(secret,))
    await world.store.add(world.conversation, said)
    before = await world.row("messages", "said")

    await world.store.withdraw(["said", "nowhere"])
    await world.database.forget_deleted()

    ((identity, table, device, revision, changed, changed_by),) = await world.tombstones()
    assert (identity, table, device, revision, changed_by) == ("said", "messages", THIS_DEVICE, 2, THIS_DEVICE)
    assert changed > before["changed"]
    on_disk = b"".join(each.read_bytes() for each in world.database.path.parent.iterdir())
    assert b"secret" not in on_disk
    assert b"diary.txt" not in on_disk


async def test_what_is_deleted_stays_so_when_it_is_written_again(world: World) -> None:
    await world.store.withdraw(["growing"])
    await world.store.save([world.growing("세 개")])
    assert [message.id for message in await world.store.messages(world.conversation)] == ["asked", "answered"]


async def test_the_tombstone_of_a_conversation_stands_for_its_messages_too(world: World) -> None:
    await world.list.delete(world.conversation)
    assert await world.tombstones() == []
    assert await world.list.purge() == (world.conversation,)
    ((identity, table, device, revision, *_),) = await world.tombstones()
    assert (identity, table, device, revision) == (world.conversation, "conversations", THIS_DEVICE, 3)
    assert await world.store.count(world.conversation) == 0


async def test_a_failed_write_leaves_the_time_as_it_was(world: World) -> None:
    query = "SELECT last FROM hybrid_clock"
    before = await world.database.read(lambda connection: connection.execute(query).fetchone())

    def half(rows: Rows) -> None:
        rows.change(CONVERSATIONS, world.conversation, {"title": "?"})
        rows.change(CONVERSATIONS, world.conversation, {"title": "??"})
        raise KeyError("half")

    with pytest.raises(KeyError):
        await write_rows(world.database, world.clock, half)
    assert await world.database.read(lambda connection: connection.execute(query).fetchone()) == before
    assert (await world.row("conversations", world.conversation))["title"] == ""


async def test_another_table_of_shared_rows_is_written_in_the_same_way(tmp_path: Path) -> None:
    clock = FakeClock()
    step = Migration(
        number=MIGRATIONS[-1].number + 1,
        name="notes",
        statements=(f"CREATE TABLE notes ({ROW_COLUMNS}, key TEXT NOT NULL, said TEXT NOT NULL) STRICT",),
    )
    notes = SyncedTable(name="notes", fixed=frozenset({"key"}))
    database = await Database.open(tmp_path / "sori.db", clock, (*MIGRATIONS, step))

    def work(rows: Rows) -> list[object]:
        rows.put(notes, {"id": "n", "key": "name", "said": "유나"})
        rows.put(notes, {"id": "n", "key": "other", "said": "유나 씨"})
        assert not rows.change(notes, "nowhere", {"said": ""})
        kept: list[object] = rows.connection.execute("SELECT revision, key, said FROM notes").fetchall()
        return [*kept, rows.delete(notes, "n"), rows.delete(notes, "n"), rows.put(notes, {"id": "n"})]

    assert await write_rows(database, clock, work) == [(2, "name", "유나 씨"), True, False, False]
    await database.close()


@pytest.mark.parametrize("table", [CONVERSATIONS, MESSAGES], ids=lambda table: table.name)
async def test_tables_of_shared_rows_begin_with_the_columns_of_every_such_row(
    database: Database, table: SyncedTable
) -> None:
    with closing(sqlite3.connect(":memory:")) as other:
        other.execute(f"CREATE TABLE {table.name} ({ROW_COLUMNS}) STRICT")
        query = 'SELECT cid, name, type, "notnull", pk FROM pragma_table_info(?)'
        common = other.execute(query, (table.name,)).fetchall()
    found = await database.read(lambda connection: connection.execute(query, (table.name,)).fetchall())
    assert found[: len(common)] == common
    assert table.fixed < {row[1] for row in found}


def test_nothing_else_writes_the_tables_of_shared_rows() -> None:
    shared = {CONVERSATIONS.name, MESSAGES.name, "tombstones", "devices", "hybrid_clock"}
    allowed = {
        # Changes the shape; is no write of the program's.
        ("compact_rows.py", "devices"),
        ("compact_rows.py", "hybrid_clock"),
        # Gives old messages their parents.
        ("steps.py", "messages"),
        # Marks old conversations that may hold content from outside.
        ("steps.py", "conversations"),
        # A backup is a file of its own, in a shape of its own.
        ("backups.py", "conversations"),
        ("backups.py", "messages"),
        ("rows.py", "tombstones"),
        ("rows.py", "hybrid_clock"),
        # Takes over the rows of other devices, with their stamps.
        ("inbox.py", "tombstones"),
        ("row_contents.py", "devices"),
    }
    found = {
        (path.name, table)
        for path in ASSISTANT.rglob("*.py")
        for table in WRITES.findall(path.read_text(encoding="utf-8"))
        if table in shared
    }
    assert found == allowed
