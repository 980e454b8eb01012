"""The search with its index, compared with a search that looks at every message."""

import random
import sqlite3
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import pytest

from assistant.core.messages import Role
from assistant.storage.conversation_list import ConversationList
from assistant.storage.conversations import ConversationStore
from assistant.storage.database import Database
from assistant.storage.rows import MESSAGES, Rows, write_rows
from assistant.storage.search import index as index_module
from assistant.storage.search import known
from assistant.storage.search.blocks import BLOCK, SearchedMessage, slices_of_rows
from assistant.storage.search.finding import best_messages
from assistant.storage.search.index import SEARCHED, IndexReader, catch_up
from assistant.storage.search.known import KnownMessages
from assistant.storage.search.passages import Query, composed
from assistant.storage.stored_message import StoredMessage
from tests.fakes.clock import FakeClock
from tests.fakes.new_database import open_database

pytestmark = pytest.mark.long

WORDS = [
    *("강릉은", "바다", "단풍놀이", "불닭볶음면", "불닭", "볶음면", "회의를", "할", "수", "있다", "줘", "ㅋㅋ"),
    *("Python", "café", "🌊"),
]
RARE = "뱃고동"
QUERIES = (
    *(
        "강릉에서",
        "강르",
        "ㄱㄹ",
        "ㅂㄷㅂㅇ",
        "불닭 볶음면",
        "불닭볶음면",
        "단풍놀이 강릉",
        "할수있다",
        "할 수 있다",
        "수 ㅇ",
    ),
    *("python", "cafe", "Caf", "회", "ㅋ", "a", "🌊", RARE, "바다 뱃고", "없는말", ".", "바다바다", "줘ㄱ", "놀이불"),
)


@dataclass(frozen=True, slots=True)
class Shelf:
    database: Database
    store: ConversationStore
    conversations: ConversationList
    chance: random.Random

    async def fill(self, messages: int, conversations: int = 40) -> list[StoredMessage]:
        """Messages of several conversations in turn, some of them superseded or results of tools."""
        made = [await self.store.create() for _ in range(conversations)]
        rows = [
            StoredMessage(
                id=f"{number:032x}",
                conversation=self.chance.choice(made),
                role=Role.TOOL if self.chance.random() < 0.05 else Role.USER,
                text=" ".join(self.chance.choices(WORDS, k=self.chance.randint(0, 6))),
                created_at="2026-11-22T15:05:00+00:00",
                superseded=self.chance.random() < 0.05,
            )
            for number in range(messages)
        ]
        rows[7] = replace(rows[7], text=f"저 멀리 {RARE} 소리", role=Role.USER, superseded=False)
        await self.store.save(rows, durable=False)
        return rows

    async def index(self, most: int = -1) -> int:
        return await catch_up(self.database, FakeClock(), most=most, pause_s=0)

    async def blocks(self) -> frozenset[int]:
        return (await self.database.read(IndexReader().index)).blocks

    async def statements(self) -> list[str]:
        """A list to which each reading of messages that an index names is added."""
        asked = list[str]()

        def note(statement: str) -> None:
            if "json_each" in statement:
                asked.append(statement)

        await self.database.read(lambda connection: connection.set_trace_callback(note))
        return asked

    async def check(self, queries: Sequence[str] = QUERIES) -> None:
        """Compare the search with a look at every message."""

        def work(connection: sqlite3.Connection) -> None:
            query_all = f"SELECT conversation, added, text, id FROM messages WHERE {SEARCHED}"  # noqa: S608
            every = connection.execute(query_all).fetchall()
            index, texts = IndexReader().index(connection), KnownMessages()
            for query in map(Query, queries):
                best: dict[str, tuple[int, int, str, str]] = {}
                for conversation, added, text, message in every:
                    if rank := query.rank(text):
                        found = (rank, added, composed(text), message)
                        best[conversation] = max(best.get(conversation, (0, 0, "", "")), found)
                assert best_messages(connection, index, query, texts) == best, query.forms

        await self.database.read(work)


@pytest.fixture
def shelf(database: Database, store: ConversationStore) -> Shelf:
    chance = random.Random(3)
    return Shelf(database, store, ConversationList(database, FakeClock()), chance)


async def written(shelf: Shelf, work: Callable[[Rows], object]) -> None:
    await write_rows(shelf.database, FakeClock(), work)


async def test_the_search_finds_what_a_look_at_every_message_finds(shelf: Shelf) -> None:
    await shelf.fill(2 * BLOCK + 300)
    await shelf.check()
    assert await shelf.index() == 2
    assert await shelf.blocks() == {0, 1}
    await shelf.check()


async def test_rows_whose_order_is_not_that_of_their_times_are_found_too(shelf: Shelf) -> None:
    """Other devices' messages are written here later than they were made."""
    await shelf.fill(BLOCK + 10, conversations=3)
    shuffled = shelf.chance.sample(range(1, BLOCK + 11), BLOCK + 10)
    await shelf.database.write(
        lambda connection: connection.executemany(
            "UPDATE messages SET added = ? WHERE rowid = ?", zip(shuffled, range(1, BLOCK + 11), strict=True)
        )
    )
    await shelf.index()
    await shelf.check()


async def test_only_candidates_are_looked_at(shelf: Shelf, monkeypatch: pytest.MonkeyPatch) -> None:
    await shelf.fill(2 * BLOCK + 5)
    await shelf.index()
    ranked = list[str]()
    rank = Query.rank_composed

    def counted(query: Query, text: str) -> int:
        ranked.append(text)
        return rank(query, text)

    monkeypatch.setattr(Query, "rank_composed", counted)
    assert len(await shelf.conversations.entries(RARE)) == 1
    # 40 titles, and a few messages of 2,053.
    assert len(ranked) < 80


async def test_the_rows_of_many_conversations_are_read_together(shelf: Shelf) -> None:
    await shelf.fill(2 * BLOCK + 5)
    await shelf.index()
    asked = await shelf.statements()
    assert len(await shelf.conversations.entries("단풍놀이 강릉")) > 20
    assert 0 < len(asked) < 20


async def test_a_search_reads_only_what_the_last_one_did_not(shelf: Shelf) -> None:
    await shelf.fill(2 * BLOCK + 5)
    await shelf.index()
    first = await shelf.conversations.entries("강르")
    asked = await shelf.statements()
    assert [each.message for each in await shelf.conversations.entries("강르")] == [each.message for each in first]
    assert not asked


async def test_texts_with_too_many_letters_are_not_kept(shelf: Shelf, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(known, "_MOST_LETTERS", 3)
    await shelf.fill(BLOCK)
    await shelf.index()
    texts = KnownMessages()
    work = partial(best_messages, query=Query("바다"), texts=texts)
    assert await shelf.database.read(lambda connection: len(work(connection, IndexReader().index(connection)))) == 40
    assert not texts.rows


async def test_a_text_that_was_read_and_changed_is_not_found(shelf: Shelf) -> None:
    rows = await shelf.fill(BLOCK + 5)
    await shelf.index()
    assert len(await shelf.conversations.entries(RARE)) == 1
    await written(shelf, lambda to: to.change(MESSAGES, rows[7].id, {"text": "유채꽃"}))
    assert await shelf.conversations.entries(RARE) == ()


async def test_a_change_is_found_at_once_and_what_was_there_before_is_not(shelf: Shelf) -> None:
    rows = await shelf.fill(BLOCK + 5)
    await shelf.index()
    await written(shelf, lambda to: to.change(MESSAGES, rows[20].id, {"text": "유채꽃", "superseded": 0}))
    assert await shelf.blocks() == frozenset()
    await shelf.check((*QUERIES, "유채꽃"))
    assert await shelf.index() == 1
    await written(shelf, lambda to: to.change(MESSAGES, rows[7].id, {"superseded": 1}))
    assert await shelf.blocks() == {0}
    await shelf.check()
    await shelf.store.withdraw([rows[21].id])
    assert await shelf.blocks() == frozenset()
    await shelf.check()


async def test_a_new_message_in_the_place_of_a_deleted_one_is_found(shelf: Shelf) -> None:
    rows = await shelf.fill(2 * BLOCK - 1)
    await shelf.index()
    await shelf.store.withdraw([rows[-1].id])
    await shelf.index()
    await shelf.store.save([replace(rows[-1], id="f" * 32, text="유채꽃", role=Role.USER, superseded=False)])
    await shelf.check(("유채꽃",))


async def test_a_purged_conversation_leaves_nothing_in_the_index(shelf: Shelf) -> None:
    rows = await shelf.fill(2 * BLOCK)
    await shelf.index()
    await shelf.conversations.delete(rows[7].conversation)
    await shelf.conversations.purge(rows[7].conversation)

    def left(connection: sqlite3.Connection) -> tuple[int, int]:
        blocks, slices = "SELECT COUNT(*) FROM search_blocks", "SELECT COUNT(*) FROM search_slices"
        return connection.execute(blocks).fetchone()[0], connection.execute(slices).fetchone()[0]

    assert await shelf.database.read(left) == (0, 0)
    await shelf.index()
    await shelf.check()


async def test_indexing_goes_on_where_it_was_ended_the_newest_messages_first(shelf: Shelf) -> None:
    await shelf.fill(3 * BLOCK)
    assert await shelf.index(most=1) == 1
    assert await shelf.blocks() == {2}
    await shelf.check()
    assert await shelf.index() == 2
    assert await shelf.blocks() == {0, 1, 2}
    assert await shelf.index() == 0


async def test_a_block_is_not_kept_if_its_messages_change_meanwhile(
    shelf: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = await shelf.fill(BLOCK)

    def change(found: Iterable[SearchedMessage]) -> dict[int, bytes]:
        with sqlite3.connect(shelf.database.path) as other:
            other.execute("UPDATE messages SET text = '유채꽃', revision = revision + 1 WHERE id = ?", (rows[9].id,))
        return slices_of_rows(found)

    monkeypatch.setattr(index_module, "slices_of_rows", change)
    assert await shelf.index() == 0
    await shelf.check(("유채꽃", "바다"))


async def test_rows_that_were_numbered_anew_are_found(shelf: Shelf) -> None:
    rows = await shelf.fill(2 * BLOCK)
    await shelf.store.withdraw([row.id for row in rows[:3]])
    await shelf.index()
    # As VACUUM may do it.
    await shelf.database.write(lambda connection: connection.execute("UPDATE messages SET rowid = rowid - 3"))
    assert await shelf.blocks() == frozenset()
    await shelf.check()


async def test_a_search_sees_what_another_process_wrote(shelf: Shelf, tmp_path: Path) -> None:
    await shelf.fill(20)
    assert await shelf.conversations.entries("유채꽃") == ()
    other = await open_database(tmp_path / "sori.db", FakeClock())
    others = ConversationStore(other, FakeClock())
    conversation = await others.create()
    message = StoredMessage(id="1" * 32, conversation=conversation, role=Role.USER, text="유채꽃", created_at="")
    await others.save([message])
    await other.close()
    assert [entry.title for entry in await shelf.conversations.entries("유채꽃")] == ["유채꽃"]
