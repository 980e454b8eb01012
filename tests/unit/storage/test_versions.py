"""Versions of messages: one path is shown, and nothing is lost."""

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assistant.core.machine.effects import Origin
from assistant.core.messages import Attachment, Completion, Message, Role, Summary
from assistant.storage.conversation_list import ConversationList
from assistant.storage.conversations import ConversationStore
from assistant.storage.database import Database
from assistant.storage.identities import new_id
from assistant.storage.stored_message import StoredMessage
from assistant.storage.transfer import sori_format
from assistant.storage.transfer.exporting import portable
from tests.fakes.clock import FakeClock
from tests.fakes.importing import import_file
from tests.fakes.new_database import open_database

USER, ASSISTANT = Role.USER, Role.ASSISTANT


async def talk(store: ConversationStore, conversation: str, *texts: str) -> list[Message]:
    """Questions and answers by turns."""
    roles = [USER, ASSISTANT] * len(texts)
    return [
        await store.add(conversation, Message(role=role, text=text)) for role, text in zip(roles, texts, strict=False)
    ]


async def path(store: ConversationStore, conversation: str) -> list[str]:
    return [each.text for each in await store.messages(conversation)]


async def versions(store: ConversationStore, conversation: str) -> dict[str, list[str]]:
    """The texts of the versions of each shown message that has several."""
    texts = {each.id: each.text for each in await store.every_message(conversation)}
    shown, _ = await store.page(conversation, 1000)
    return {each.text: [texts[version] for version in each.versions] for each in shown if each.versions}


async def test_an_edited_question_hides_what_followed_and_keeps_it(store: ConversationStore) -> None:
    conversation = await store.create()
    first, *_ = await talk(store, conversation, "q1", "a1", "q2", "a2")
    assert await versions(store, conversation) == {}
    edited = await store.add(conversation, Message(role=USER, text="q1, again"), instead=first.id)
    await store.add(conversation, Message(role=ASSISTANT, text="b1"))
    assert await path(store, conversation) == ["q1, again", "b1"]
    assert await versions(store, conversation) == {"q1, again": ["q1", "q1, again"]}
    assert await store.count(conversation) == 2
    assert await store.show_version(conversation, first.id)
    assert await path(store, conversation) == ["q1", "a1", "q2", "a2"]
    assert await versions(store, conversation) == {"q1": ["q1", "q1, again"]}
    assert not await store.show_version(conversation, first.id)
    assert await store.show_version(conversation, edited.id)
    assert await path(store, conversation) == ["q1, again", "b1"]


async def test_an_answer_is_made_anew_and_the_former_one_stays(store: ConversationStore) -> None:
    conversation = await store.create()
    _, _, question, answer, *_ = await talk(store, conversation, "q1", "a1", "q2", "a2", "q3", "a3")
    assert await store.rewind(conversation, answer.id) == question
    assert await path(store, conversation) == ["q1", "a1", "q2"]
    await store.add(conversation, Message(role=ASSISTANT, text="b2"))
    assert await versions(store, conversation) == {"b2": ["a2", "b2"]}
    await store.show_version(conversation, answer.id)
    assert await path(store, conversation) == ["q1", "a1", "q2", "a2", "q3", "a3"]


async def test_what_is_not_shown_cannot_be_answered_anew(store: ConversationStore) -> None:
    conversation = await store.create()
    question, answer = await talk(store, conversation, "q1", "a1")
    await store.add(conversation, Message(role=USER, text="q"), instead=question.id)
    assert await store.rewind(conversation, answer.id) is None
    assert await store.rewind(conversation, "nothing") is None
    assert await path(store, conversation) == ["q"]
    other = await store.create()
    assert await store.rewind(other, answer.id) is None
    assert not await store.show_version(other, answer.id)


async def test_a_version_that_did_not_come_about_leaves_the_former_one(store: ConversationStore) -> None:
    conversation = await store.create()
    _, answer = await talk(store, conversation, "q1", "a1")
    assert not await store.settle(conversation)
    await store.rewind(conversation, answer.id)
    assert await store.settle(conversation)
    assert await path(store, conversation) == ["q1", "a1"]


async def test_a_crash_before_the_new_answer_leaves_the_former_one(
    store: ConversationStore, database: Database
) -> None:
    conversation = await store.create()
    _, answer = await talk(store, conversation, "q1", "a1")
    await store.rewind(conversation, answer.id)
    reopened = await ConversationStore.open(database, FakeClock())
    await reopened.recover()
    assert await path(reopened, conversation) == ["q1", "a1"]


async def test_a_crash_within_the_new_answer_shows_what_there_is_of_it(store: ConversationStore) -> None:
    conversation = await store.create()
    _, answer = await talk(store, conversation, "q1", "a1")
    await store.rewind(conversation, answer.id)
    begun = Message(
        role=ASSISTANT, text="b", id=new_id(), created_at=answer.created_at, completion=Completion.STREAMING
    )
    await store.save([StoredMessage.of(begun, conversation, Origin.TEXT)])
    await store.recover()
    assert await path(store, conversation) == ["q1", "b"]
    assert await versions(store, conversation) == {"b": ["a1", "b"]}


async def test_text_that_grows_stays_where_it_is(store: ConversationStore) -> None:
    conversation = await store.create()
    question, answer = await talk(store, conversation, "q1", "a1")
    growing = Message(role=ASSISTANT, text="b", id=new_id(), created_at=answer.created_at)
    await store.save([StoredMessage.of(growing, conversation, Origin.TEXT)])
    await store.show_version(conversation, question.id)
    await store.add(conversation, Message(role=USER, text="q"), instead=question.id)
    await store.save([StoredMessage.of(growing, conversation, Origin.TEXT)])
    assert await path(store, conversation) == ["q"]


async def test_the_summary_goes_with_the_messages_that_it_covers(store: ConversationStore) -> None:
    conversation = await store.create()
    first, answer, second, last = await talk(store, conversation, "q1", "a1", "q2", "a2")
    await store.keep_summary(conversation, Summary(text="talked", until=answer.id))
    await store.rewind(conversation, last.id)
    assert (await store.summary(conversation)).text == "talked"
    await store.add(conversation, Message(role=USER, text="q"), instead=first.id)
    assert await store.summary(conversation) == Summary()
    # A summary that was being made meanwhile is of messages that are hidden now.
    await store.keep_summary(conversation, Summary(text="late", until=second.id))
    assert await store.summary(conversation) == Summary()


async def test_the_title_and_the_count_are_those_of_the_shown_messages(
    store: ConversationStore, database: Database
) -> None:
    conversation = await store.create()
    first, _ = await talk(store, conversation, "날씨", "맑아요")
    await store.add(conversation, Message(role=USER, text="내일 날씨"), instead=first.id)
    listed = ConversationList(database, FakeClock())
    assert [each.title for each in await listed.entries()] == ["내일 날씨"]
    assert (await listed.titling(conversation)).title == "내일 날씨"
    assert await listed.message_counts() == {conversation: 1}


async def test_a_search_finds_former_versions_too(store: ConversationStore, database: Database) -> None:
    conversation = await store.create()
    first, answer = await talk(store, conversation, "q", "해바라기는 칠월에 펴요")
    await store.add(conversation, Message(role=USER, text="q2"), instead=first.id)
    (found,) = await ConversationList(database, FakeClock()).entries("해바라기")
    assert found.message == answer.id


async def test_a_branch_begins_with_copies_and_the_two_do_not_know_each_other(
    store: ConversationStore, database: Database
) -> None:
    conversation = await store.create()
    file = Attachment(mime_type="text/plain", name="a.txt", data=b"hello")
    await store.add(conversation, Message(role=USER, text="q1", attachments=(file,)))
    called = await store.add(conversation, Message(role=ASSISTANT, text="", tool_uses=()))
    await store.add(conversation, Message(role=Role.TOOL, text="done"))
    await store.add(conversation, Message(role=ASSISTANT, text="a1"))
    await talk(store, conversation, "q2", "a2")
    listed = ConversationList(database, FakeClock())
    await listed.rename(conversation, "정원")
    await store.choose_model(conversation, "cloud/big")
    branch = await listed.branch(conversation, called.id)
    assert await path(store, branch) == ["q1", "", "done", "a1"]
    assert (await store.messages(branch))[0].attachments[0].read() == b"hello"
    assert (await listed.titling(branch)).title == "정원 (2)"
    assert await store.chosen_model(branch) == "cloud/big"
    await store.add(branch, Message(role=USER, text="other"))
    assert await path(store, conversation) == ["q1", "", "done", "a1", "q2", "a2"]
    assert await listed.delete(conversation)
    await listed.purge(conversation)
    assert await path(store, branch) == ["q1", "", "done", "a1", "other"]
    assert (await store.messages(branch))[0].attachments[0].read() == b"hello"


async def test_each_branch_has_a_title_of_its_own(store: ConversationStore, database: Database) -> None:
    conversation = await store.create()
    question, _ = await talk(store, conversation, "내일 날씨", "맑아요")
    listed = ConversationList(database, FakeClock())
    branches = [await listed.branch(conversation, question.id) for _ in range(2)]
    (first, *_) = await store.messages(branches[0])
    branches.append(await listed.branch(branches[0], first.id))
    titles = [await listed.titling(each) for each in branches]
    assert [each.title for each in titles] == ["내일 날씨 (2)", "내일 날씨 (3)", "내일 날씨 (4)"]
    # A title that a model made is not made again.
    assert {each.by for each in titles} == {"model"}
    assert (await listed.titling(conversation)).title == "내일 날씨"


async def test_no_branch_of_what_is_not_shown(store: ConversationStore, database: Database) -> None:
    conversation = await store.create()
    first, answer = await talk(store, conversation, "q", "a")
    await store.add(conversation, Message(role=USER, text="q2"), instead=first.id)
    before = await store.ids()
    assert await ConversationList(database, FakeClock()).branch(conversation, answer.id) == ""
    assert await store.ids() == before


async def exported(database: Database, store: ConversationStore, conversation: str) -> dict[str, Any]:
    found = await portable(database, store, conversation)
    assert found is not None
    value: dict[str, Any] = json.loads(sori_format.to_json(found))
    return value


class Tree:
    """What the store must show, as plain lists."""

    def __init__(self) -> None:
        self.parents: dict[str, str] = {}
        self.path: list[str] = []

    def add(self, identity: str) -> None:
        self.parents[identity] = self.path[-1] if self.path else ""
        self.path.append(identity)

    def cut(self, place: int) -> None:
        del self.path[place:]

    def show(self, identity: str) -> None:
        if identity in self.path:
            return
        way = [identity]
        while parent := self.parents[way[0]]:
            way.insert(0, parent)
        while children := [each for each, parent in self.parents.items() if parent == way[-1]]:
            way.append(children[-1])
        self.path = way


STEPS = st.lists(st.tuples(st.sampled_from(["ask", "edit", "anew", "show", "fail"]), st.integers(0, 99)), max_size=12)


@pytest.mark.long
@given(steps=STEPS)
@settings(max_examples=40)
async def test_any_sequence_shows_one_path_and_loses_nothing(
    steps: Sequence[tuple[str, int]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder: Path = tmp_path_factory.mktemp("versions")
    database = await open_database(folder / "sori.db", FakeClock())
    store = await ConversationStore.open(database, FakeClock())
    conversation, tree = await store.create(), Tree()

    async def add(role: Role, instead: str = "") -> None:
        message = Message(role=role, text=f"{role.value} {len(tree.parents)}")
        tree.add((await store.add(conversation, message, instead=instead)).id)

    for step, number in steps:
        if step == "ask" or not tree.path:
            await add(USER)
            await add(ASSISTANT)
            continue
        place = number % (len(tree.path) // 2) * 2
        if step == "edit":
            edited = tree.path[place]
            tree.cut(place)
            await add(USER, edited)
            await add(ASSISTANT)
        elif step in {"anew", "fail"}:
            question = await store.rewind(conversation, tree.path[place + 1])
            assert question is not None
            assert question.id == tree.path[place]
            tree.cut(place + 1)
            if step == "anew":
                await add(ASSISTANT)
            else:
                assert await store.settle(conversation)
                tree.show([each for each, parent in tree.parents.items() if parent == question.id][-1])
        else:
            chosen = list(tree.parents)[number % len(tree.parents)]
            await store.show_version(conversation, chosen)
            tree.show(chosen)
        shown = await store.messages(conversation)
        assert [each.id for each in shown] == tree.path
        assert [each.role for each in shown] == [USER, ASSISTANT] * (len(shown) // 2)
        assert {each.id for each in await store.every_message(conversation)} == set(tree.parents)
    if tree.path:
        await _import_anew(database, store, conversation, folder)
    await database.close()


async def _import_anew(database: Database, store: ConversationStore, conversation: str, folder: Path) -> None:
    """Export, import into an empty database, and export again: nothing may differ but whose words they count as."""
    first = await exported(database, store, conversation)
    file = folder / "all.json"
    text = sori_format.beginning("2026-11-23T00:00:00+00:00") + json.dumps(first) + sori_format.ending()
    file.write_text(text, encoding="utf-8")
    other = await open_database(folder / "other.db", FakeClock())
    await import_file(other, file)
    again = await ConversationStore.open(other, FakeClock())
    assert await exported(other, again, conversation) == first
    foreign = [
        replace(each, own_words="" if each.role is USER else None) for each in await store.messages(conversation)
    ]
    assert [*await again.messages(conversation)] == foreign
    await other.close()
