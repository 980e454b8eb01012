import sqlite3
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from assistant.core.messages import Attachment, Message, Role
from assistant.core.records.agents import AgentId
from assistant.core.records.conversations import Excerpt
from assistant.storage.conversation_list import EMPTY_STAYS, ConversationList, Titling
from assistant.storage.conversations import ConversationStore
from assistant.storage.database import Database
from assistant.storage.search.passages import Query
from assistant.storage.titles import TITLE_LENGTH, title_of
from assistant.storage.typed_lines import TypedLines
from tests.fakes.clock import START, FakeClock


@pytest.fixture
def conversations(database: Database) -> ConversationList:
    return ConversationList(database, FakeClock())


async def begun(store: ConversationStore, *texts: str) -> str:
    """A conversation in which the user has said all this."""
    conversation = await store.create()
    for text in texts:
        await store.add(conversation, Message(role=Role.USER, text=text))
    return conversation


def everything_in(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in folder.iterdir())


async def titles(conversations: ConversationList, query: str = "") -> list[str]:
    return [entry.title for entry in await conversations.entries(query)]


async def test_conversations_are_listed_by_their_newest_message_and_called_what_was_asked_first(
    store: ConversationStore, conversations: ConversationList
) -> None:
    first = await begun(store, "\n## 여름 휴가  계획\n둘째 줄")
    await begun(store, "Second")
    await store.create()
    assert await titles(conversations) == ["Second", "여름 휴가 계획"]

    await store.add(first, Message(role=Role.ASSISTANT, text="네"))

    entries = await conversations.entries()
    assert [entry.title for entry in entries] == ["여름 휴가 계획", "Second"]
    assert entries[0].updated_at == "2026-11-22T15:05:00+09:00"
    assert len(await conversations.entries(limit=1)) == 1


async def test_what_was_talked_about_is_told_of_one_workspace_and_of_one_time(database: Database) -> None:
    clock = FakeClock(START - timedelta(days=10))
    store = await ConversationStore.open(database, clock)
    conversations = ConversationList(database, clock)

    async def said(text: str, agent: AgentId | None = None, *more: Message) -> str:
        made = await store.create(agent)
        for each in (Message(role=Role.USER, text=text), Message(role=Role.ASSISTANT, text="네"), *more):
            await store.add(made, each)
        return made

    older = await said("휴가 계획")
    await said("오래전 이야기")
    clock.advance(5 * 86_400)
    await store.add(older, Message(role=Role.USER, text="비행기는?"))
    tool = (Message(role=Role.TOOL, text="3", tool_use_id="1"), Message(role=Role.ASSISTANT, text="3이에요."))
    await said("계산해 줘", None, *tool)
    await said("비밀 선물", AgentId(workspace="집"))
    result = await said("뉴스 요약")
    await conversations.delete(await said("지운 이야기"))
    asking = await said("주간 보고서 써 줘")
    await store.add(asking, Message(role=Role.USER, text="브리핑"))
    await store.add(asking, Message(role=Role.ASSISTANT, text="준비하고 있어요."))
    only_asks = await store.create()
    await store.add(only_asks, Message(role=Role.USER, text="브리핑"))

    async def told(workspace: str, **more: Any) -> dict[str, int]:
        since = START - timedelta(days=7)
        found = await conversations.talked_about(workspace, since, **more)
        assert all(each.last_at >= since for each in found)
        return {each.title: each.messages for each in found}

    assert await told("default", asking=asking, without={result}) == {
        "브리핑": 1,
        "주간 보고서 써 줘": 2,
        "계산해 줘": 3,
        "휴가 계획": 1,
    }
    assert "브리핑" not in await told("default", asking=only_asks)
    assert await told("집", asking=asking) == {"비밀 선물": 2}
    assert await told("없는 곳") == {}


async def test_without_words_a_conversation_is_called_by_its_file_or_by_what_sori_said(
    store: ConversationStore, conversations: ConversationList
) -> None:
    sent = await store.create()
    photo = Attachment(mime_type="image/png", name="cat.png", data=b"...")
    await store.add(sent, Message(role=Role.USER, text="", attachments=(photo,)))
    rung = await store.create()
    await store.add(rung, Message(role=Role.ASSISTANT, text="5분 타이머가 끝났어요."))
    assert await titles(conversations) == ["5분 타이머가 끝났어요.", "cat.png"]


def test_a_long_first_line_is_cut_to_a_title() -> None:
    title = title_of("가" * 200)
    assert len(title) == TITLE_LENGTH
    assert title.endswith("…")


async def test_a_title_of_the_users_stays_and_an_empty_one_gives_the_first_message_back(
    store: ConversationStore, conversations: ConversationList
) -> None:
    conversation = await begun(store, "What shall we cook?")
    assert await conversations.titling(conversation) == Titling(title="What shall we cook?", by="")
    assert await conversations.rename(conversation, "Dinner plans", "model")
    assert await conversations.rename(conversation, "  우리 \n 저녁 ")
    assert not await conversations.rename(conversation, "Dinner", "model")
    assert await conversations.titling(conversation) == Titling(title="우리 저녁", by="user")
    assert await conversations.rename(conversation, "")
    assert await conversations.titling(conversation) == Titling(title="What shall we cook?", by="")


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("단풍", True),
        ("단푸", True),
        ("단ㅍ", True),
        ("가을단풍", True),
        ("단풍 가을", True),
        ("COLOUR", True),
        ("단풍 겨울", False),
        ("100%", False),
        ("_", False),
    ],
)
async def test_a_search_finds_words_anywhere_in_messages_even_while_a_syllable_is_typed(
    store: ConversationStore, conversations: ConversationList, query: str, found: bool
) -> None:
    conversation = await begun(store, "여행", "가을 단풍은 어디가 좋아? What colour?")
    await begun(store, "다른 이야기")
    assert [entry.id for entry in await conversations.entries(query)] == ([conversation] if found else [])


async def test_a_search_shows_where_it_found_something_and_looks_at_titles_too(
    store: ConversationStore, conversations: ConversationList
) -> None:
    by_message = await begun(
        store, "여행", "지난번에 이야기한 대로 설악산에 가려고 하는데 가을 단풍은 언제가 제일 좋아?" + "요" * 190
    )
    by_title = await begun(store, "이름 붙일 것")
    await conversations.rename(by_title, "단풍 구경")

    titled, messaged = await conversations.entries("단풍")

    assert (titled.id, titled.message, titled.passage().text) == (by_title, "", "")
    assert messaged.id == by_message
    assert messaged.passage().text.startswith("…")
    assert "단풍은 언제가" in messaged.passage().text
    assert messaged.passage().text.endswith("…")


async def test_a_search_makes_the_passage_of_an_entry_when_it_is_shown_and_only_once(
    store: ConversationStore, conversations: ConversationList, monkeypatch: pytest.MonkeyPatch
) -> None:
    for _ in range(3):
        await begun(store, "여행", "가을 단풍")
    made = list[str]()
    passage = Query.passage_composed

    def counted(query: Query, text: str) -> Excerpt:
        made.append(text)
        return passage(query, text)

    monkeypatch.setattr(Query, "passage_composed", counted)
    entries = await conversations.entries("단풍")

    assert (len(entries), made) == (3, [])
    assert entries[0].passage() is entries[0].passage()
    assert entries[0].passage() == Excerpt("가을 단풍", ((3, 5),))
    assert made == ["가을 단풍"]


async def test_the_best_match_comes_first_and_of_equal_ones_the_newest(
    store: ConversationStore, conversations: ConversationList
) -> None:
    whole = await begun(store, "인사", "강릉에서 만나")
    stem = await begun(store, "인사", "강릉은 멀어")
    newer = await begun(store, "인사", "강릉에도 갔어")
    assert [entry.id for entry in await conversations.entries("강릉에서")] == [whole, newer, stem]
    assert [entry.id for entry in await conversations.entries("강릉에서", 1)] == [whole]


async def test_a_deleted_conversation_is_hidden_and_can_be_restored(
    store: ConversationStore, conversations: ConversationList
) -> None:
    kept, deleted = await begun(store, "kept"), await begun(store, "deleted")
    await conversations.mark_open(deleted)
    assert await conversations.delete(deleted)
    assert not await conversations.delete(deleted)
    assert await titles(conversations) == await titles(conversations, "e") == ["kept"]
    assert not await store.exists(deleted)
    assert not await conversations.mark_open(deleted)
    assert await conversations.last_open() == kept
    assert await conversations.restore(deleted)
    assert not await conversations.restore(deleted)
    assert await titles(conversations) == ["deleted", "kept"]
    assert await conversations.last_open() == deleted


async def test_what_is_purged_is_gone_from_the_disk_with_its_files(
    tmp_path: Path, store: ConversationStore, database: Database, conversations: ConversationList
) -> None:
    conversation = await store.create()
    secret = Attachment(mime_type="text/plain", name="diary.txt", data=b"attached-secret " * 9000)
    await store.add(conversation, Message(role=Role.USER, text="spoken-secret", attachments=(secret,)))
    kept = await begun(store, "kept-words")
    await conversations.delete(conversation)
    assert await conversations.purge(kept) == ()

    assert await conversations.purge() == (conversation,)

    def rows(connection: sqlite3.Connection) -> list[int]:
        queries = (
            "SELECT COUNT(*) FROM conversations",
            "SELECT COUNT(*) FROM messages",
            "SELECT COUNT(*) FROM attachments",
        )
        return [connection.execute(query).fetchone()[0] for query in queries]

    assert await database.read(rows) == [1, 1, 0]
    assert not await conversations.restore(conversation)
    on_disk = everything_in(tmp_path)
    assert b"kept-words" in on_disk
    assert b"secret" not in on_disk
    assert b"diary.txt" not in on_disk


async def test_what_was_open_last_is_found_again_and_else_what_was_written_in_last(
    store: ConversationStore, conversations: ConversationList
) -> None:
    assert await conversations.last_open() is None
    older, _newer = await begun(store, "older"), await begun(store, "newer")
    await store.add(older, Message(role=Role.USER, text="again"))
    assert await conversations.last_open() == older
    fresh = await store.create()
    assert await conversations.mark_open(fresh)
    assert await conversations.last_open() == fresh
    assert not await conversations.mark_open("nowhere")


async def test_empty_conversations_do_not_pile_up(store: ConversationStore, database: Database) -> None:
    clock = FakeClock()
    conversations = ConversationList(database, clock)
    said, empty, opened = await begun(store, "words"), await store.create(), await store.create()
    assert await conversations.is_empty(empty)
    assert not await conversations.is_empty(said)
    await conversations.remove_empty(opened)
    assert await store.exists(empty)  # Another process may have it open.
    clock.advance(EMPTY_STAYS.total_seconds() + 1)
    await conversations.remove_empty(opened)
    assert [await store.exists(each) for each in (said, empty, opened)] == [True, False, True]


async def test_what_is_purged_is_gone_from_the_lines_typed_in_the_terminal(
    tmp_path: Path, store: ConversationStore, database: Database
) -> None:
    typed = TypedLines(tmp_path / "typed.jsonl")
    typed.write(["/new", "spoken-secret", "kept-words", " spoken-secret"])
    conversations = ConversationList(database, FakeClock(), typed_lines=typed)
    conversation = await begun(store, "spoken-secret")
    await begun(store, "kept-words")
    await conversations.delete(conversation)
    assert len(typed.read()) == 4

    await conversations.purge()

    assert typed.read() == ["/new", "kept-words"]
    assert b"secret" not in everything_in(tmp_path)
