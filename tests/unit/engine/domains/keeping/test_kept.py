"""What is kept is counted, and erased for good: the real engine with a real home."""

import asyncio
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from assistant.core.machine.states import TurnId
from assistant.core.messages import Message, Role
from assistant.core.records.egress import DataClass
from assistant.core.records.memory import MemoryPlace
from assistant.core.records.people import Person
from assistant.core.service.callers import Caller
from assistant.core.service.connection import Connection
from assistant.core.service.request import RefusedError
from assistant.core.service.requests.conversations import (
    FindMessage,
    FollowConversation,
    ListConversations,
)
from assistant.core.service.requests.kept import EraseKept, KeptData, KeptKind, ListKept
from assistant.core.service.requests.memory import (
    ChangeFact,
    ForgetFact,
    ListMemoryChanges,
    ReadMemory,
    RememberFact,
    UndoMemory,
)
from assistant.core.service.requests.people import AddPerson
from assistant.core.service.requests.projects import AddFiles, AddProject, ShowFile, ShowProject
from assistant.core.service.requests.records import ListCalls, ListEgress, ListTraces, ListUsage
from assistant.core.service.requests.remote_calls import BeginCall, EndCall
from assistant.core.service.requests.timers import CancelTimer, ListSchedule, UndoTimer
from assistant.core.settings import Settings
from assistant.core.telegram.codes import LinkCode, code_of, digest_of
from assistant.core.telegram.records import TelegramUpdate
from assistant.host.clock import SystemClock
from assistant.host.tokens import TokenFile
from assistant.storage.conversations import ConversationStore
from assistant.storage.database import Database
from assistant.storage.records.telegram import TelegramRecords
from assistant.storage.records.traces import TraceStore
from tests.unit.engine.test_engine import engine_in

WORD = "Falkenstein"
"""Stands in all that is planted, so that a search of the home finds what was left."""


def by_kind(kept: tuple[KeptData, ...]) -> dict[KeptKind, KeptData]:
    return {each.kind: each for each in kept}


def plant(home: Path) -> None:
    """Write a home as an earlier run has left it, with the word in every kind of what is kept."""
    for name in (
        "notes/a.md",
        "pictures/b.png",
        "knowledge/uploads/blobs/ab/abcd",
        "typed-lines.jsonl",
        "logs/window.log",
        "logs/window.log.1",
        "prompt-states/x.state",
        "sori.db.backup-v1-20260101T000000",
        "workspaces/default/agents/sori/wake_sound.npz",
    ):
        path = home / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(WORD, "utf-8")
    phones = TokenFile(home / "phones.json", SystemClock())
    phones.revoke(WORD)
    phones.add(Caller(name=WORD))


def found_in(home: Path) -> list[str]:
    return [
        each.relative_to(home).as_posix()
        for each in home.rglob("*")
        if each.is_file() and WORD.encode() in each.read_bytes()
    ]


async def add_project(connection: Connection, home: Path) -> None:
    """Let the engine keep a project with a copy of a file."""
    docs = home.with_name(f"{home.name}-docs")
    docs.mkdir()
    (docs / "castle.md").write_text(WORD)
    project = await connection.result(AddProject(name=WORD))
    (file,) = await connection.result(AddFiles(project=project.id, paths=(str(docs / "castle.md"),)))
    for _ in range(500):
        if not (await connection.result(ShowProject(project=project.id))).waiting:
            break
        await asyncio.sleep(0.02)
    assert (await connection.result(ShowFile(file=file.id))).text == WORD


async def say(connection: Connection) -> None:
    """Let the engine keep something of each kind that it writes itself."""
    await connection.result(RememberFact(place=MemoryPlace(), text=f"my castle is {WORD}"))
    await connection.result(AddPerson(kept=Person(name=WORD)))
    number = await connection.result(BeginCall(caller=WORD, call="GET /", path=f"/{WORD}"))
    await connection.result(
        EndCall(
            number=number,
            outcome="done",
            result=WORD,
            took_ms=1,
            caller=WORD,
            destination=f"http://{WORD}",
            size=1,
            data=(DataClass.FACTS,),
        )
    )


async def converse(home: Path) -> str:
    """Let another process store a message and a trace; returns the id of the message."""
    clock = SystemClock()
    database = await Database.open(home / "sori.db", clock)
    store = ConversationStore(database, clock)
    conversation = await store.create()
    message = await store.add(conversation, Message(role=Role.USER, text=WORD))
    await TraceStore(database, clock).save(conversation, TurnId("t"), [{"t": 0, "event": "transcript", "text": WORD}])
    await link(TelegramRecords(database, clock), clock.now())
    await database.close()
    return message.id


async def link(telegram: TelegramRecords, now: datetime) -> None:
    """Link a chat."""
    code = code_of(0)
    kept = LinkCode(digest=digest_of(code), workspace="", agent="", until=now + timedelta(minutes=1))
    update = TelegramUpdate(update_id=1, chat=1, content=WORD, sent_at=now)
    await telegram.keep_code(kept)
    await telegram.link(update, code.replace("-", ""), name=WORD, now=now)


async def test_everything_is_counted_and_nothing_of_it_is_left_after_it_was_erased(tmp_path: Path) -> None:
    async with engine_in(tmp_path, Settings()) as (_, connection, _deliveries):
        await connection.result(FollowConversation())
        plant(tmp_path)
        await say(connection)
        await add_project(connection, tmp_path)
        message = await converse(tmp_path)
        found = await connection.result(FindMessage(message=message))
        assert found is not None
        assert (found.message.text, found.title) == (WORD, WORD)
        before = by_kind(await connection.result(ListKept()))
        assert set(before) == set(KeptKind)
        empty = {kind for kind, each in before.items() if not each.count}
        assert empty <= {KeptKind.USAGE, KeptKind.TIMERS, KeptKind.MODELS}
        after = by_kind(await connection.result(EraseKept()))
        assert {kind for kind, each in after.items() if each.count} <= {KeptKind.MODELS, KeptKind.LOGS}
        assert await connection.result(ListConversations()) == ()
        assert await connection.result(ListEgress(local=True)) == ()
        assert await connection.result(ListCalls(limit=9, http=True)) == ()
        assert await connection.result(ListTraces()) == ()
        assert await connection.result(ListUsage()) == ()
        assert await connection.result(FindMessage(message=message)) is None
        assert (await connection.result(FollowConversation())).messages == ()
    assert found_in(tmp_path) == []


FILES = {
    KeptKind.NOTES: "notes/a.md",
    KeptKind.PICTURES: "pictures/b.png",
    KeptKind.UPLOADS: "knowledge/uploads/blobs/ab/abcd",
    KeptKind.LINES: "typed-lines.jsonl",
    KeptKind.PROMPTS: "prompt-states/x.state",
    KeptKind.BACKUPS: "sori.db.backup-v1-20260101T000000",
    KeptKind.VOICE: "workspaces/default/agents/sori/wake_sound.npz",
    KeptKind.MEMORIES: "memory/user.md",
    KeptKind.PHONES: "phones.json",
}


async def test_one_kind_is_erased_and_the_others_stay(tmp_path: Path) -> None:
    async with engine_in(tmp_path, Settings()) as (_, connection, _deliveries):
        kept = by_kind(await connection.result(ListKept()))
        assert [kind for kind, each in kept.items() if not each.erasable] == [KeptKind.MODELS]
        for kind, file in FILES.items():
            plant(tmp_path)
            await connection.result(RememberFact(place=MemoryPlace(), text=f"my castle is {WORD}"))
            before = set(found_in(tmp_path))
            assert file in before
            await connection.result(EraseKept(kinds=(kind,)))
            gone = before - set(found_in(tmp_path))
            assert file in gone
            assert {each.split("/")[0] for each in gone} == {file.split("/")[0]}


async def test_a_fact_is_changed_forgotten_and_brought_back_by_hand(tmp_path: Path) -> None:
    place = MemoryPlace()
    async with engine_in(tmp_path, Settings()) as (_, connection, _deliveries):
        await connection.result(RememberFact(place=place, text="one cat"))
        await connection.result(ChangeFact(place=place, text="one cat", words="two cats"))
        assert [each.text for each in (await connection.result(ReadMemory(place=place))).facts] == ["two cats"]
        await connection.result(ForgetFact(place=place, text="two cats"))
        newest, *_ = await connection.result(ListMemoryChanges())
        assert (newest.removed, newest.former, newest.undoable) == (True, "two cats", True)
        await connection.result(UndoMemory(change=newest.id))
        assert [each.text for each in (await connection.result(ReadMemory(place=place))).facts] == ["two cats"]
        with pytest.raises(RefusedError):
            await connection.result(ChangeFact(place=place, text="two cats", words="  "))


async def test_pages_of_a_record_follow_one_another(tmp_path: Path) -> None:
    async with engine_in(tmp_path, Settings()) as (_, connection, _deliveries):
        for _ in range(5):
            await say(connection)
        newest = await connection.result(ListEgress(local=True, limit=2))
        older = await connection.result(ListEgress(local=True, limit=2, before=newest[0].number))
        oldest = await connection.result(ListEgress(local=True, limit=2, before=older[0].number))
        assert [each.number for each in (*oldest, *older, *newest)] == [1, 2, 3, 4, 5]
        calls = await connection.result(ListCalls(limit=2, http=True))
        earlier = await connection.result(ListCalls(limit=9, http=True, before=calls[0].id))
        assert [each.id for each in (*earlier, *calls)] == [1, 2, 3, 4, 5]

        await connection.result(CancelTimer(timer="none"))
        assert await connection.result(UndoTimer(timer="none")) is False
        assert await connection.result(ListSchedule()) == ()
