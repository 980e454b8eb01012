"""What searches keep, compared with a search that has kept nothing."""

import random
import sqlite3
from collections.abc import Awaitable, Callable

import pytest

from assistant.core.messages import Attachment, Message, Role
from assistant.storage.conversation_list import ConversationList
from assistant.storage.conversations import ConversationStore
from assistant.storage.database import Database
from assistant.storage.rows import MESSAGES, Rows, write_rows
from assistant.storage.search import written
from assistant.storage.search.index import catch_up
from assistant.storage.stored_message import StoredMessage
from tests.fakes.clock import FakeClock

WORDS = ("강릉은", "바다", "불닭", "볶음면", "회의를", "Python")


@pytest.fixture
def conversations(database: Database) -> ConversationList:
    return ConversationList(database, FakeClock())


async def filled(store: ConversationStore, chance: random.Random, count: int) -> list[StoredMessage]:
    made = [await store.create() for _ in range(8)]
    rows = [
        StoredMessage(
            id=f"{number:032x}",
            conversation=chance.choice(made),
            role=Role.USER,
            text=" ".join(chance.choices(WORDS, k=2)),
            created_at="2026-11-22T15:05:00+00:00",
        )
        for number in range(count)
    ]
    await store.save(rows, durable=False)
    return rows


async def statements(database: Database, part: str) -> list[str]:
    """A list to which each statement with this part is added."""
    asked = list[str]()

    def note(statement: str) -> None:
        if part in statement:
            asked.append(statement)

    await database.read(lambda connection: connection.set_trace_callback(note))
    return asked


@pytest.mark.long
async def test_after_any_writes_a_search_gives_what_a_first_search_gives(
    database: Database, store: ConversationStore, conversations: ConversationList
) -> None:
    chance = random.Random(5)
    rows = await filled(store, chance, 60)
    shelf = sorted({row.conversation for row in rows})

    async def change(values: dict[str, object]) -> None:
        await write_rows(database, FakeClock(), lambda to: to.change(MESSAGES, chance.choice(rows).id, values))

    photo = Attachment(mime_type="image/png", name="바다 사진.png", data=b".")
    writes: tuple[Callable[[], Awaitable[object]], ...] = (
        lambda: store.add(chance.choice(shelf), Message(role=Role.USER, text=chance.choice(WORDS))),
        lambda: store.add(shelf[0], Message(role=Role.USER, text="", attachments=(photo,))),
        lambda: change({"text": chance.choice(WORDS)}),
        lambda: change({"superseded": 1}),
        lambda: conversations.rename(chance.choice(shelf), chance.choice(("바다 이야기", "회의", ""))),
        lambda: conversations.delete(chance.choice(shelf[:3])),
        lambda: conversations.restore(chance.choice(shelf[:3])),
        lambda: conversations.branch(shelf[5], rows[-1].id),
        lambda: store.withdraw([chance.choice(rows).id]),
        lambda: conversations.purge(shelf[3]),
    )
    for _ in range(80):
        await chance.choice(writes)()
        for query in ("바다", "회의 python"):
            assert await conversations.entries(query) == await ConversationList(database, FakeClock()).entries(query)


async def test_after_a_write_only_what_was_written_is_read_again(
    database: Database, store: ConversationStore, conversations: ConversationList
) -> None:
    await filled(store, random.Random(5), 1030)
    await catch_up(database, FakeClock(), pause_s=0)
    before = len(await conversations.entries("바다"))
    new = await store.create()
    await store.add(new, Message(role=Role.USER, text="바다에서"))
    texts = await statements(database, "AS wanted")
    assert len(await conversations.entries("바다")) == before + 1
    assert len(texts) == 1
    assert len(texts[0].partition("'[")[2].partition("]")[0].split(",")) == 1


async def test_after_very_many_writes_everything_is_read_again(
    database: Database, store: ConversationStore, conversations: ConversationList, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(written, "_MOST", 5)
    rows = await filled(store, random.Random(5), 20)
    assert await conversations.entries("유채꽃") == ()

    def work(to: Rows) -> None:
        for row in rows:
            to.change(MESSAGES, row.id, {"text": "유채꽃"})

    await write_rows(database, FakeClock(), work)
    assert len(await conversations.entries("유채꽃")) == len({row.conversation for row in rows})


async def test_the_file_keeps_no_trace_of_the_watching(
    database: Database, store: ConversationStore, conversations: ConversationList
) -> None:
    await filled(store, random.Random(5), 5)
    await conversations.entries("바다")
    with sqlite3.connect(database.path) as other:
        assert other.execute("SELECT COUNT(*) FROM sqlite_master WHERE name LIKE 'sori%'").fetchone() == (0,)
        other.execute("UPDATE messages SET text = '유채꽃'")
    assert await conversations.entries("유채꽃")
