"""Whole conversations, as a person at the window opens, names and deletes them: real store, chat and session."""

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from assistant.core import updates as up
from assistant.core.errors import SoriError
from assistant.core.live_settings import LiveSettings
from assistant.core.messages import Completion, Message, Role, ToolUse
from assistant.core.records.agents import AgentId, AgentShown
from assistant.core.service.request import Request
from assistant.core.service.requests.conversations import (
    BranchConversation,
    DeleteConversation,
    DeleteMessage,
    ExportConversation,
    ExportForm,
    FollowConversation,
    ListConversations,
    ListVersions,
    LoadMessages,
    LoadTurn,
    NewConversation,
    OpenConversation,
    RenameConversation,
    RestoreConversation,
    RestoreMessages,
)
from assistant.core.settings import Settings
from assistant.engine.chat_wiring import Chat, build_chat
from assistant.engine.domains.conversations import PAGE_MESSAGES, Conversations, first_conversation
from assistant.engine.domains.stored.deleted_messages import UNDO_S
from assistant.host.texts import load_texts
from assistant.storage.conversation_list import EMPTY_STAYS, ConversationList
from assistant.tasks import TaskSupervisor
from assistant.voice.session.session import Session
from assistant.voice.work import Work
from tests.fakes.clock import FakeClock
from tests.fakes.front.asking import ask


def _ignore(*_: object) -> None:
    pass


class NoModels:
    """Notes which conversations were opened; the model of none is known."""

    def __init__(self) -> None:
        self.opened: list[str] = []

    async def recall(self, conversation: str) -> None:
        self.opened.append(conversation)

    async def choice(self, _conversation: str) -> tuple[up.Update, ...]:
        return ()


class Desk:
    """The domain, what it published to a client that follows the open conversation, and the session beside it."""

    def __init__(self, chat: Chat, clock: FakeClock) -> None:
        self.chat, self.clock = chat, clock
        self.updates: list[up.Update] = []
        self.jobs = TaskSupervisor()
        self.models: Any = NoModels()
        self.session: Session
        self.shelf: Conversations

    @property
    def opened(self) -> list[str]:
        return self.models.opened  # type: ignore[no-any-return]

    async def open(self, *, alone: bool = True) -> str:
        """Begin as the engine does; the conversation that is open."""
        chat = self.chat
        conversation = await first_conversation(chat.storage.conversations, chat.storage.conversation_list, alone=alone)
        hub: Any = SimpleNamespace(deliver=self.updates.append, enter=_ignore, follow=_ignore, changes=lambda _: 0)
        self.session = Session(
            chat.answers.board,
            chat.answers.engine,
            chat.basis.live,
            load_texts("ko"),
            meaning=chat.answers.commands.meaning,
            publish=self.updates.append,
            work=Work(),
            conversation=conversation,
        )
        self.shelf = Conversations(
            chat,
            load_texts("ko"),
            session=self.session,
            hub=hub,
            models=self.models,
            jobs=self.jobs,
        )
        await self.shelf.show_first()
        self.updates.append(await self.do(FollowConversation()))
        return conversation

    async def do(self, request: Request[Any]) -> Any:
        return await ask(self.shelf, request)

    async def refused(self, request: Request[Any]) -> str:
        with pytest.raises(SoriError) as raised:
            await self.do(request)
        return raised.value.reason

    async def begun(self, *texts: str) -> str:
        conversation = await self.chat.storage.conversations.create()
        for text in texts:
            await self.chat.storage.conversations.add(conversation, Message(role=Role.USER, text=text))
        return conversation

    @property
    def shown(self) -> up.ConversationOpened:
        return [each for each in self.updates if isinstance(each, up.ConversationOpened)][-1]

    async def listed(self, query: str = "") -> list[str]:
        return [entry.title for entry in await self.do(ListConversations(query=query))]


@pytest.fixture
async def desk(tmp_path: Path) -> AsyncIterator[Desk]:
    clock = FakeClock()
    chat = await build_chat(tmp_path, LiveSettings(Settings(language="ko")), load_texts("ko"), clock=clock)
    desk = Desk(chat, clock)
    yield desk
    await desk.jobs.close()
    await chat.close()


async def test_what_was_open_is_open_again_and_a_first_start_begins_anew(desk: Desk) -> None:
    first = await desk.open()
    assert desk.shown == up.ConversationOpened(conversation=first, messages=())
    older = await desk.begun("어제 이야기")
    await desk.begun("더 새로운 이야기")
    await desk.do(OpenConversation(conversation=older))
    assert [message.text for message in desk.shown.messages] == ["어제 이야기", ""]
    assert desk.session.conversation == older
    assert desk.opened == [first, older]

    desk.clock.advance(EMPTY_STAYS.total_seconds() + 1)
    assert await desk.open() == older
    assert not await desk.chat.storage.conversations.exists(first)  # Nothing was ever said in it.


async def test_an_opened_conversation_names_its_agent_also_after_a_switch(desk: Desk) -> None:
    workspaces = desk.chat.agents.workspaces
    workspaces.add_workspace("work", "업무")
    coach = AgentId(workspace="work", name="coach")
    workspaces.add_agent(coach, {"display_name": "코치"})
    await desk.open()
    assert desk.shown.agent == AgentShown()
    first = await desk.begun("안녕")
    desk.chat.storage.current.set(coach)
    await desk.do(NewConversation())
    assert desk.shown.agent == AgentShown(name="코치", workspace="업무")
    await desk.do(OpenConversation(conversation=first))
    assert desk.shown.agent == AgentShown()


async def test_beside_another_process_nothing_is_tidied_up(desk: Desk) -> None:
    empty, deleted, other = await desk.begun(), await desk.begun("지운 이야기"), await desk.begun("이야기")
    await desk.chat.storage.conversation_list.delete(deleted)
    await desk.chat.storage.conversation_list.mark_open(other)
    desk.clock.advance(EMPTY_STAYS.total_seconds() + 1)
    assert await desk.open(alone=False) == other
    assert await desk.chat.storage.conversations.exists(empty)
    assert await desk.chat.storage.conversation_list.restore(deleted)


async def test_a_new_conversation_is_not_made_twice(desk: Desk) -> None:
    first = await desk.open()
    await desk.do(NewConversation())
    assert desk.session.conversation == first
    await desk.chat.storage.conversations.add(first, Message(role=Role.USER, text="말"))
    await desk.do(NewConversation())
    assert desk.session.conversation == desk.shown.conversation != first


async def test_older_messages_come_a_page_at_a_time(desk: Desk) -> None:
    await desk.open()
    long = await desk.begun(*(str(number) for number in range(PAGE_MESSAGES + 5)))
    await desk.do(OpenConversation(conversation=long))
    newest = desk.shown
    earlier = await desk.do(LoadMessages(conversation=long, before=newest.messages[0].id))
    assert (len(newest.messages), newest.more) == (PAGE_MESSAGES + 1, True)
    assert ([message.text for message in earlier.messages], earlier.more) == (["0", "1", "2", "3", "4"], False)


async def test_what_is_stored_of_a_turn_is_found_behind_any_number_of_messages_and_if_it_is_hidden(desk: Desk) -> None:
    await desk.open()
    store = desk.chat.storage.conversations
    long = await desk.begun()
    await store.add(long, Message(role=Role.USER, text="물어요", turn="t1"))
    hidden = await store.add(long, Message(role=Role.ASSISTANT, text="답", turn="t1"))
    newest = await desk.do(LoadTurn(conversation=long, turn="t1"))
    assert ([each.text for each in newest.messages], newest.newest) == (["물어요", "답"], True)
    await store.rewind(long, hidden.id)
    for number in range(PAGE_MESSAGES + 5):
        await store.add(long, Message(role=Role.USER, text=str(number), turn=f"later{number}"))
    found = await desk.do(LoadTurn(conversation=long, turn="t1"))
    assert ([each.text for each in found.messages], found.newest) == (["물어요", "답"], False)
    assert (await desk.do(LoadTurn(conversation=long, turn="t2"))).messages == ()


async def test_conversations_are_listed_searched_and_renamed(desk: Desk) -> None:
    await desk.open()
    trip = await desk.begun("여행 이야기", "단풍이 좋은 곳")
    await desk.begun("요리")
    assert await desk.listed() == ["요리", "여행 이야기"]
    assert await desk.listed("단풍") == ["여행 이야기"]
    await desk.do(RenameConversation(conversation=trip, title="가을 여행"))
    assert desk.updates[-1] == up.ConversationsChanged()
    assert await desk.listed() == ["요리", "가을 여행"]


async def test_a_deletion_can_be_taken_back_until_its_time_is_over(desk: Desk) -> None:
    opened = await desk.open()
    trip = await desk.begun("여행")
    await desk.do(DeleteConversation(conversation=trip))
    assert up.ConversationDeleted(conversation=trip, title="여행", undo_s=UNDO_S) in desk.updates
    assert await desk.listed() == []

    await desk.do(RestoreConversation(conversation=trip))
    assert await desk.listed() == ["여행"]
    assert desk.session.conversation == opened  # It was not open before.

    await desk.do(DeleteConversation(conversation=trip))
    assert await desk.listed() == []
    desk.clock.advance(UNDO_S + 1)
    await desk.jobs.settle()
    assert await desk.refused(RestoreConversation(conversation=trip)) == "unknown_conversation"
    assert await desk.listed() == []


async def test_one_deletion_after_another_each_has_its_own_time(desk: Desk) -> None:
    await desk.open()
    trip = await desk.begun("여행")
    await desk.do(DeleteConversation(conversation=trip))
    (first,) = (task for task in asyncio.all_tasks() if task.get_name() == "purge a conversation")
    await desk.clock.until_sleeping()
    desk.clock.advance(UNDO_S)
    await desk.do(RestoreConversation(conversation=trip))
    await desk.do(DeleteConversation(conversation=trip))
    desk.clock.advance(1)
    await first
    await desk.do(RestoreConversation(conversation=trip))
    assert await desk.listed() == ["여행"]


async def test_the_open_conversation_gives_its_place_to_a_new_one_and_comes_back_when_restored(desk: Desk) -> None:
    await desk.open()
    trip = await desk.begun("여행")
    await desk.do(OpenConversation(conversation=trip))
    await desk.do(DeleteConversation(conversation=trip))
    assert desk.shown.messages == ()
    assert desk.session.conversation == desk.shown.conversation != trip
    assert await desk.refused(OpenConversation(conversation=trip)) == "unknown_conversation"
    assert desk.session.conversation != trip

    await desk.do(RestoreConversation(conversation=trip))
    assert desk.session.conversation == desk.shown.conversation == trip


async def test_a_deletion_holds_when_sori_ends_or_dies_before_its_time_is_over(desk: Desk) -> None:
    await desk.open()
    trip, other = await desk.begun("여행"), await desk.begun("요리")
    await desk.do(DeleteConversation(conversation=trip))
    await desk.shelf.close()
    assert not await desk.chat.storage.conversation_list.restore(trip)
    await desk.do(DeleteConversation(conversation=other))
    await desk.open()
    assert not await desk.chat.storage.conversation_list.restore(other)


async def test_what_the_store_refuses_is_told_and_changes_nothing(desk: Desk) -> None:
    opened = await desk.open()
    trip = await desk.begun("여행")
    await desk.chat.storage.database.write(
        lambda connection: connection.execute(
            "CREATE TRIGGER full BEFORE UPDATE ON conversations BEGIN SELECT RAISE(ABORT, 'full'); END"
        )
    )
    assert await desk.refused(DeleteConversation(conversation=trip)) == "storage"
    assert desk.session.conversation == opened
    assert await desk.listed() == ["여행"]


async def test_messages_are_indexed_some_time_after_the_start_and_after_a_search(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    indexed: list[float] = []

    async def index(_: ConversationList, **_how: float) -> int:
        indexed.append(desk.clock.monotonic())
        return 0

    monkeypatch.setattr(ConversationList, "index", index)
    await desk.open()
    desk.shelf.index_later()
    await desk.clock.until_sleeping()
    await desk.listed("바다")
    desk.clock.advance(29.0)
    assert indexed == []
    desk.clock.advance(1.0)
    await desk.jobs.settle()
    assert indexed == [30.0]
    await desk.listed("바다")
    await desk.jobs.settle()
    assert len(indexed) == 2
    await desk.listed()
    await desk.jobs.settle()
    assert len(indexed) == 2


async def test_a_new_conversation_belongs_to_the_current_agent_even_if_it_was_there_before(desk: Desk) -> None:
    empty = await desk.open()
    coach = AgentId(name="coach")
    desk.chat.storage.current.set(coach)
    await desk.do(NewConversation())
    assert desk.session.conversation == empty
    assert await desk.chat.storage.conversations.agent_of(empty) == coach


async def test_a_conversation_opens_at_an_old_message_with_all_that_follow(desk: Desk) -> None:
    await desk.open()
    texts = [f"{number}" for number in range(PAGE_MESSAGES + 20)]
    long = await desk.begun(*texts)
    said = await desk.chat.storage.conversations.messages(long)
    await desk.do(OpenConversation(conversation=long, message=said[5].id))
    assert [message.text for message in desk.shown.messages] == [*texts[5:], ""]
    assert desk.shown.wanted == said[5].id
    assert desk.shown.more


STRANGERS = (
    FollowConversation(conversation="nobody"),
    OpenConversation(conversation="nobody"),
    RenameConversation(conversation="nobody", title="제목"),
    DeleteConversation(conversation="nobody"),
    RestoreConversation(conversation="nobody"),
    LoadMessages(conversation="nobody"),
    LoadTurn(conversation="nobody", turn="t"),
    ExportConversation(conversation="nobody"),
)


@pytest.mark.parametrize("request_sent", STRANGERS, ids=lambda each: type(each).__name__)
async def test_an_unknown_conversation_is_refused(desk: Desk, request_sent: Request[Any]) -> None:
    await desk.open()
    assert await desk.refused(request_sent) == "unknown_conversation"


async def test_a_conversation_is_exported_and_its_versions_are_read(desk: Desk) -> None:
    opened = await desk.open()
    said = await desk.chat.storage.conversations.add(opened, Message(role=Role.USER, text="제주는 따뜻해?"))
    page = await desk.do(ExportConversation(conversation=opened))
    assert "제주는 따뜻해?" in page
    whole = await desk.do(ExportConversation(conversation=opened, form=ExportForm.JSON))
    assert json.loads(whole)["conversations"][0]["messages"][0]["text"] == "제주는 따뜻해?"
    other = await desk.begun("다른 이야기")
    assert await desk.refused(ListVersions(conversation=other, message=said.id)) == "unknown_message"
    assert await desk.refused(BranchConversation(conversation=other, message=said.id)) == "unknown_message"
    branch = await desk.do(BranchConversation(conversation=opened, message=said.id))
    assert desk.session.conversation == branch != opened
    assert [each.text for each in desk.shown.messages] == ["제주는 따뜻해?", ""]


async def test_an_event_while_the_page_is_read_makes_it_be_read_again(desk: Desk) -> None:
    """Whoever follows a conversation gets what changes after its reply, and must miss nothing before."""
    opened = await desk.open()
    changes = iter([0, 1, 1, 1])
    desk.shelf._hub.changes = lambda _: next(changes)  # type: ignore[method-assign, assignment]
    await desk.do(FollowConversation(conversation=opened))
    assert next(changes, None) is None


ASKED = Message(role=Role.USER, text="비 와?")
CALLED = Message(role=Role.ASSISTANT, text="", tool_uses=(ToolUse(id="1", name="clock"),))
RESULT = Message(role=Role.TOOL, text="9시", tool_use_id="1")
ANSWER = Message(role=Role.ASSISTANT, text="네, 와요.")


@pytest.mark.parametrize(
    ("stored", "cut"),
    [
        ((), False),
        ((ASKED,), True),
        ((ASKED, ASKED), True),
        ((ASKED, CALLED, RESULT), True),
        ((ASKED, ANSWER, ASKED), True),
        ((ASKED, ANSWER), False),
        ((ASKED, CALLED, RESULT, ANSWER), False),
        ((ANSWER,), False),
        ((ASKED, Message(role=Role.ASSISTANT, text="", completion=Completion.FAILED, error="network")), False),
        ((ASKED, Message(role=Role.ASSISTANT, text="네", completion=Completion.INCOMPLETE)), False),
    ],
)
async def test_a_request_whose_turn_was_killed_before_its_answer_is_shown_as_one_without_an_answer(
    desk: Desk, stored: tuple[Message, ...], cut: bool
) -> None:
    await desk.open()
    conversation = await desk.begun()
    for message in stored:
        await desk.chat.storage.conversations.add(conversation, message)
    await desk.do(OpenConversation(conversation=conversation))
    loaded = await desk.do(LoadMessages(conversation=conversation))
    followed = await desk.do(FollowConversation(conversation=conversation))
    for shown in (desk.shown, loaded, followed):
        end = [(each.role, each.completion, each.text) for each in shown.messages[len(stored) :]]
        assert end == ([(Role.ASSISTANT, Completion.INCOMPLETE, "")] if cut else [])


async def test_a_deleted_message_is_gone_everywhere_and_comes_back_within_the_time(desk: Desk) -> None:
    conversation = await desk.open()
    store = desk.chat.storage.conversations
    for role, text in ((Role.USER, "q1"), (Role.ASSISTANT, "a1"), (Role.USER, "q2"), (Role.ASSISTANT, "a2")):
        await store.add(conversation, Message(role=role, text=text))
    first, _, second, _ = await store.messages(conversation)
    await desk.do(DeleteMessage(conversation=conversation, message=second.id, after=True))
    told = desk.updates[-2]
    assert isinstance(told, up.MessagesDeleted)
    assert (told.conversation, told.count, told.undo_s) == (conversation, 2, UNDO_S)
    assert [each.text for each in desk.shown.messages] == ["q1", "a1"]
    await desk.do(RestoreMessages(deletion=told.deletion))
    assert [each.text for each in desk.shown.messages] == ["q1", "a1", "q2", "a2"]
    assert desk.shown.wanted == second.id
    assert await desk.refused(RestoreMessages(deletion=told.deletion)) == "deletion_over"
    assert await desk.refused(DeleteMessage(conversation=conversation, message="none")) == "unknown_message"
    await desk.do(DeleteMessage(conversation=conversation, message=first.id))
    again = desk.updates[-2]
    assert isinstance(again, up.MessagesDeleted)
    await asyncio.sleep(0)  # Its purge begins to wait.
    desk.clock.advance(UNDO_S + 1.5)
    await desk.jobs.settle()
    assert await desk.refused(RestoreMessages(deletion=again.deletion)) == "deletion_over"
    assert await store.message(first.id) is None
    assert [each.text for each in await store.messages(conversation)] == ["a1", "q2", "a2"]
