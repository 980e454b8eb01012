"""Single messages are deleted, undone and purged; all that is left stays reachable."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assistant.core.machine.states import TurnId
from assistant.core.messages import Attachment, Message, Role, Summary, ToolUse
from assistant.storage.conversation_list import ConversationList
from assistant.storage.conversations import ConversationStore
from assistant.storage.database import Database
from assistant.storage.records.traces import TraceStore
from tests.fakes.clock import FakeClock
from tests.fakes.new_database import open_database

USER, ASSISTANT, TOOL = Role.USER, Role.ASSISTANT, Role.TOOL


@pytest.fixture
def shelf(database: Database) -> ConversationList:
    return ConversationList(database, FakeClock())


async def talk(store: ConversationStore, *texts: str) -> tuple[str, dict[str, str]]:
    """A conversation of questions and answers by turns; its id, and the ids of the messages by their texts."""
    conversation, ids = await store.create(), {}
    for at, text in enumerate(texts):
        said = Message(role=ASSISTANT if at % 2 else USER, text=text, turn=f"t{at // 2}")
        ids[text] = (await store.add(conversation, said)).id
    return conversation, ids


async def path(store: ConversationStore, conversation: str) -> str:
    return " ".join(each.text for each in await store.messages(conversation))


CASES = (
    ("q1 a1 q2 a2 q3", "q1", False, "a1 q2 a2 q3"),
    ("q1 a1 q2 a2 q3", "a1", False, "q1 q2 a2 q3"),
    ("q1 a1 q2 a2 q3", "q2", False, "q1 a1 a2 q3"),
    ("q1 a1 q2 a2 q3", "q3", False, "q1 a1 q2 a2"),
    ("q1 a1 q2 a2 q3", "q1", True, ""),
    ("q1 a1 q2 a2 q3", "a1", True, "q1"),
    ("q1 a1 q2 a2 q3", "q2", True, "q1 a1"),
    ("q1 a1 q2 a2 q3", "q3", True, "q1 a1 q2 a2"),
    ("질문 답", "질문", False, "답"),
    ("질문 답", "답", False, "질문"),
    ("질문", "질문", False, ""),
    ("질문", "질문", True, ""),
)


@pytest.mark.parametrize(("texts", "message", "after", "left"), CASES)
async def test_messages_are_deleted_and_come_back(
    store: ConversationStore, shelf: ConversationList, texts: str, message: str, after: bool, left: str
) -> None:
    conversation, ids = await talk(store, *texts.split())
    deletion = await shelf.delete_messages(conversation, ids[message], after=after)
    assert deletion is not None
    assert await path(store, conversation) == left
    assert [each.text for each in await store.every_message(conversation)] == left.split()
    assert len(await shelf.entries(message)) == int(message in left.split())
    assert await shelf.restore_messages(deletion)
    assert await path(store, conversation) == texts
    assert not await shelf.restore_messages(deletion)
    assert await shelf.purge() == ()


@pytest.mark.parametrize("text", ["elsewhere", "hidden", "nothing"])
async def test_what_the_conversation_does_not_show_is_not_deleted(
    store: ConversationStore, shelf: ConversationList, text: str
) -> None:
    conversation, ids = await talk(store, "q1", "a1")
    other, others = await talk(store, "x1", "y1")
    await store.add(conversation, Message(role=USER, text="q1 again"), instead=ids["q1"])
    wanted = {"elsewhere": others["x1"], "hidden": ids["a1"], "nothing": "none"}[text]
    assert await shelf.delete_messages(conversation, wanted, after=True) is None
    assert await path(store, other) == "x1 y1"
    assert await shelf.purge() == ()


async def test_an_answer_goes_with_its_calls_and_results_but_no_announcement(
    store: ConversationStore, shelf: ConversationList
) -> None:
    conversation = await store.create()
    use = ToolUse(id="1", name="clock")
    await store.add(conversation, Message(role=USER, text="q", turn="t"))
    await store.add(conversation, Message(role=ASSISTANT, text="", tool_uses=(use,), turn="t"))
    await store.add(conversation, Message(role=TOOL, text="noon", tool_use_id="1", turn="t"))
    answer = await store.add(conversation, Message(role=ASSISTANT, text="It is noon.", turn="t"))
    await store.add(conversation, Message(role=ASSISTANT, text="Ring!"))
    deletion = await shelf.delete_messages(conversation, answer.id, after=False)
    assert deletion is not None
    assert len(deletion.messages) == 3
    assert await path(store, conversation) == "q Ring!"
    await shelf.restore_messages(deletion)
    assert [each.text for each in await store.messages(conversation)] == ["q", "", "noon", "It is noon.", "Ring!"]


async def test_the_other_version_is_shown_in_the_place_of_a_deleted_one(
    store: ConversationStore, shelf: ConversationList
) -> None:
    conversation, ids = await talk(store, "q1", "a1")
    await store.rewind(conversation, ids["a1"])
    anew = await store.add(conversation, Message(role=ASSISTANT, text="b1"))
    deletion = await shelf.delete_messages(conversation, anew.id, after=False)
    assert await path(store, conversation) == "q1 a1"
    shown, _ = await store.page(conversation, 10)
    assert not any(each.versions for each in shown)
    assert deletion is not None
    await shelf.restore_messages(deletion)
    assert await path(store, conversation) == "q1 b1"
    shown, _ = await store.page(conversation, 10)
    assert shown[-1].versions == (ids["a1"], anew.id)


async def test_a_version_that_is_not_shown_can_still_be_reached_when_the_shown_one_is_deleted(
    store: ConversationStore, shelf: ConversationList
) -> None:
    conversation, ids = await talk(store, "q1", "a1")
    edited = await store.add(conversation, Message(role=USER, text="r1"), instead=ids["q1"])
    await store.add(conversation, Message(role=ASSISTANT, text="b1"))
    await shelf.delete_messages(conversation, edited.id, after=False)
    assert await path(store, conversation) == "b1"
    (shown,), _ = await store.page(conversation, 10)
    assert ids["q1"] in shown.versions
    await store.show_version(conversation, ids["q1"])
    assert await path(store, conversation) == "q1 a1"


@pytest.mark.parametrize("after", [False, True])
async def test_what_is_said_before_the_undoing_follows_what_comes_back(
    store: ConversationStore, shelf: ConversationList, after: bool
) -> None:
    conversation, ids = await talk(store, "q1", "a1", "q2", "a2")
    deletion = await shelf.delete_messages(conversation, ids["q2" if after else "a2"], after=after)
    await store.add(conversation, Message(role=USER, text="q3"))
    assert deletion is not None
    await shelf.restore_messages(deletion)
    assert await path(store, conversation) == "q1 a1 q2 a2 q3"


async def test_a_conversation_that_goes_on_in_another_version_keeps_it(
    store: ConversationStore, shelf: ConversationList
) -> None:
    conversation, ids = await talk(store, "q1", "a1")
    await store.rewind(conversation, ids["a1"])
    anew = await store.add(conversation, Message(role=ASSISTANT, text="b1"))
    deletion = await shelf.delete_messages(conversation, anew.id, after=False)
    await store.add(conversation, Message(role=USER, text="q2"))
    assert deletion is not None
    await shelf.restore_messages(deletion)
    assert await path(store, conversation) == "q1 a1 q2"
    await store.show_version(conversation, anew.id)
    assert await path(store, conversation) == "q1 b1"


@pytest.mark.parametrize(("message", "stays"), [("q1", False), ("a1", False), ("q2", True), ("a2", True)])
async def test_the_summary_goes_with_what_it_covers(
    store: ConversationStore, shelf: ConversationList, message: str, stays: bool
) -> None:
    conversation, ids = await talk(store, "q1", "a1", "q2", "a2")
    await store.keep_summary(conversation, Summary(text="talked", until=ids["a1"]))
    await shelf.delete_messages(conversation, ids[message], after=False)
    assert ((await store.summary(conversation)).text == "talked") == stays


@pytest.mark.parametrize(
    ("by", "message", "stays"), [("model", "q1", False), ("model", "q2", True), ("user", "q1", True)]
)
async def test_a_title_that_a_model_made_goes_with_the_first_question(
    store: ConversationStore, shelf: ConversationList, by: str, message: str, stays: bool
) -> None:
    conversation, ids = await talk(store, "q1", "a1", "q2", "a2")
    await shelf.rename(conversation, "A title", "model" if by == "model" else "user")
    deletion = await shelf.delete_messages(conversation, ids[message], after=False)
    assert ((await shelf.titling(conversation)).title == "A title") == stays
    assert deletion is not None
    await shelf.restore_messages(deletion)
    assert (await shelf.titling(conversation)).title == "A title"


async def test_a_purge_leaves_nothing_of_deleted_messages_in_the_files(tmp_path: Path) -> None:
    clock = FakeClock()
    database = await open_database(tmp_path / "sori.db", clock)
    store, shelf, traces = (
        ConversationStore(database, clock),
        ConversationList(database, clock),
        TraceStore(database, clock),
    )
    conversation = await store.create()
    phrase = "열려라 참깨 0451"
    file = Attachment(mime_type="text/plain", name="safe.txt", data=b"combination 7788")
    asked = await store.add(conversation, Message(role=USER, text=phrase, attachments=(file,), turn="t"))
    await store.add(conversation, Message(role=ASSISTANT, text="answer", turn="t"))
    await traces.save(conversation, TurnId("t"), [{"t": 0.0, "event": "transcript", "text": phrase}])
    await shelf.index()
    deletion = await shelf.delete_messages(conversation, asked.id, after=False)
    assert deletion is not None
    assert await shelf.purge(deletion.id) == (deletion.id,)
    assert await path(store, conversation) == "answer"
    assert await traces.newest(10) == ()
    await database.close()
    kept = bytes_in(tmp_path)
    for words in (phrase.encode(), b"combination 7788", b"safe.txt"):
        assert words not in kept


@pytest.mark.long
@settings(max_examples=40, deadline=None)
@given(
    st.lists(
        st.tuples(st.integers(0, 9), st.sampled_from(["delete", "after", "undo", "again", "edit", "ask"])), max_size=9
    )
)
async def test_one_whole_path_is_shown_and_every_message_that_is_left_can_be_reached(
    tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[int, str]]
) -> None:
    clock = FakeClock()
    database = await open_database(tmp_path_factory.mktemp("deleting") / "sori.db", clock)
    store, shelf = ConversationStore(database, clock), ConversationList(database, clock)
    conversation, _ = await talk(store, "q1", "a1", "q2", "a2")
    deletions = []
    for at, step in steps:
        shown = await store.messages(conversation)
        message = shown[at % len(shown)] if shown else None
        if step in {"delete", "after"} and message is not None:
            deletions.append(await shelf.delete_messages(conversation, message.id, after=step == "after"))
        elif step == "undo" and deletions and (last := deletions.pop()) is not None:
            assert await shelf.restore_messages(last)
        elif step == "again" and message is not None and await store.rewind(conversation, message.id) is not None:
            await store.add(conversation, Message(role=ASSISTANT, text=f"b{at}"))
        elif step == "edit" and message is not None and message.role is USER:
            await store.add(conversation, Message(role=USER, text=f"e{at}"), instead=message.id)
        elif step == "ask":
            await store.add(conversation, Message(role=USER, text=f"n{at}"))
        assert await chain(database, conversation)
    for each in await store.every_message(conversation):
        await store.show_version(conversation, each.id)
        assert await store.is_shown(conversation, each.id)
        assert await chain(database, conversation)
    await database.close()


def bytes_in(folder: Path) -> bytes:
    return b"".join(each.read_bytes() for each in folder.iterdir() if each.is_file())


async def chain(database: Database, conversation: str) -> bool:
    """Whether each shown message follows the one shown before it."""
    query = "SELECT id, parent FROM messages WHERE conversation = ? AND shown = 1 ORDER BY added, id"
    rows = await database.read(lambda connection: connection.execute(query, (conversation,)).fetchall())
    return [parent for _, parent in rows] == ["", *(identity for identity, _ in rows)][:-1] if rows else True
