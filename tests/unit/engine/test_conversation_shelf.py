"""Whole conversations, as a person at the window opens, names and deletes them: real store, chat and session."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress
from pathlib import Path

import pytest

from assistant.chat.board import TurnBoard
from assistant.core import controls as ct
from assistant.core import updates as up
from assistant.core.errors import StorageError
from assistant.core.live_settings import LiveSettings
from assistant.core.messages import Message, Role
from assistant.core.records.agents import AgentId, AgentShown
from assistant.core.settings import Settings
from assistant.engine.chat_wiring import Chat, build_chat
from assistant.engine.conversation_shelf import PAGE_MESSAGES, UNDO_S, ConversationShelf
from assistant.host.texts import load_texts
from assistant.storage.conversation_list import EMPTY_STAYS, ConversationList
from assistant.voice.session.session import Session
from assistant.voice.work import Work
from tests.fakes.clock import FakeClock


class Desk:
    """A shelf, what it published, and the session beside it."""

    def __init__(self, chat: Chat, clock: FakeClock) -> None:
        self.chat, self.clock = chat, clock
        self.updates: list[up.Update] = []
        self.arrived = asyncio.Event()
        self.errors: list[StorageError] = []
        self.jobs: set[asyncio.Task[None]] = set()
        self.opened: list[str] = []
        self.session: Session
        self.board = TurnBoard(chat.engine, self._publish)
        self.shelf = ConversationShelf(
            chat.conversations,
            chat.conversation_list,
            clock,
            board=self.board,
            written=chat.engine.written,
            publish=self._publish,
            tell_of=self.errors.append,
            start_job=lambda job: self.jobs.add(asyncio.create_task(job)),
            on_opened=self._note,
            agent_of=chat.profiles.shown,
        )

    def _publish(self, update: up.Update) -> None:
        self.updates.append(update)
        self.arrived.set()

    async def _note(self, conversation: str) -> None:
        self.opened.append(conversation)

    async def open(self) -> str:
        """Begin as the engine does; the conversation that is open."""
        conversation = await self.shelf.open_last()
        self.session = Session(
            self.board,
            self.chat.engine,
            self.chat.live,
            load_texts("ko"),
            meaning=self.chat.commands.meaning,
            publish=self.updates.append,
            work=Work(),
            conversation=conversation,
        )
        return conversation

    async def do(self, control: ct.ConversationControl) -> None:
        await self.shelf.obey(control, self.session)

    async def begun(self, *texts: str) -> str:
        conversation = await self.chat.conversations.create()
        for text in texts:
            await self.chat.conversations.add(conversation, Message(role=Role.USER, text=text))
        return conversation

    @property
    def shown(self) -> up.ConversationOpened:
        return [each for each in self.updates if isinstance(each, up.ConversationOpened)][-1]

    async def listed(self, query: str = "") -> list[str]:
        self.updates.clear()
        self.arrived.clear()
        await self.do(ct.ListConversations(query=query))
        await self.arrived.wait()
        (update,) = self.updates
        assert isinstance(update, up.ConversationsListed)
        assert update.query == query
        return [entry.title for entry in update.entries]


@pytest.fixture
async def desk(tmp_path: Path) -> AsyncIterator[Desk]:
    clock = FakeClock()
    chat = await build_chat(tmp_path, LiveSettings(Settings(language="ko")), load_texts("ko"), clock=clock)
    desk = Desk(chat, clock)
    yield desk
    for job in desk.jobs:
        job.cancel()
        with suppress(asyncio.CancelledError):
            await job
    await chat.close()


async def test_what_was_open_is_open_again_and_a_first_start_begins_anew(desk: Desk) -> None:
    first = await desk.open()
    assert desk.shown == up.ConversationOpened(conversation=first, messages=())
    older = await desk.begun("어제 이야기")
    await desk.begun("더 새로운 이야기")
    await desk.do(ct.OpenConversation(conversation=older))
    assert [message.text for message in desk.shown.messages] == ["어제 이야기"]
    assert desk.session.conversation == older
    assert desk.opened == [first, older]

    desk.clock.advance(EMPTY_STAYS.total_seconds() + 1)
    assert await desk.open() == older
    assert not await desk.chat.conversations.exists(first)  # Nothing was ever said in it.


async def test_an_opened_conversation_names_its_agent_also_after_a_switch(desk: Desk) -> None:
    workspaces = desk.chat.workspaces
    workspaces.add_workspace("work", "업무")
    coach = AgentId(workspace="work", name="coach")
    workspaces.add_agent(coach, {"display_name": "코치"})
    await desk.open()
    assert desk.shown.agent == AgentShown()
    first = await desk.begun("안녕")
    desk.chat.current.set(coach)
    await desk.do(ct.NewConversation())
    assert desk.shown.agent == AgentShown(name="코치", workspace="업무")
    await desk.do(ct.OpenConversation(conversation=first))
    assert desk.shown.agent == AgentShown()


async def test_beside_another_process_nothing_is_tidied_up(desk: Desk) -> None:
    empty, deleted, other = await desk.begun(), await desk.begun("지운 이야기"), await desk.begun("이야기")
    await desk.chat.conversation_list.delete(deleted)
    await desk.chat.conversation_list.mark_open(other)
    desk.clock.advance(EMPTY_STAYS.total_seconds() + 1)
    assert await desk.shelf.open_last(alone=False) == other
    assert await desk.chat.conversations.exists(empty)
    assert await desk.chat.conversation_list.restore(deleted)


async def test_a_new_conversation_is_not_made_twice(desk: Desk) -> None:
    first = await desk.open()
    await desk.do(ct.NewConversation())
    assert desk.session.conversation == first
    await desk.chat.conversations.add(first, Message(role=Role.USER, text="말"))
    await desk.do(ct.NewConversation())
    assert desk.session.conversation == desk.shown.conversation != first


async def test_older_messages_come_a_page_at_a_time(desk: Desk) -> None:
    await desk.open()
    long = await desk.begun(*(str(number) for number in range(PAGE_MESSAGES + 5)))
    await desk.do(ct.OpenConversation(conversation=long))
    newest = desk.shown
    await desk.do(ct.LoadEarlier(before=newest.messages[0].id))
    earlier = desk.updates[-1]
    assert isinstance(earlier, up.EarlierLoaded)
    assert (len(newest.messages), newest.more) == (PAGE_MESSAGES, True)
    assert ([message.text for message in earlier.messages], earlier.more) == (["0", "1", "2", "3", "4"], False)
    assert earlier.conversation == long


async def test_conversations_are_listed_searched_and_renamed(desk: Desk) -> None:
    await desk.open()
    trip = await desk.begun("여행 이야기", "단풍이 좋은 곳")
    await desk.begun("요리")
    assert await desk.listed() == ["요리", "여행 이야기"]
    assert await desk.listed("단풍") == ["여행 이야기"]
    await desk.do(ct.RenameConversation(conversation=trip, title="가을 여행"))
    assert desk.updates[-1] == up.ConversationsChanged()
    assert await desk.listed() == ["요리", "가을 여행"]


async def test_a_deletion_can_be_taken_back_until_its_time_is_over(desk: Desk) -> None:
    opened = await desk.open()
    trip = await desk.begun("여행")
    await desk.do(ct.DeleteConversation(conversation=trip))
    assert up.ConversationDeleted(conversation=trip, title="여행", undo_s=UNDO_S) in desk.updates
    assert await desk.listed() == []

    await desk.do(ct.RestoreConversation(conversation=trip))
    assert await desk.listed() == ["여행"]
    assert desk.session.conversation == opened  # It was not open before.

    await desk.do(ct.DeleteConversation(conversation=trip))
    assert await desk.listed() == []
    first, second = desk.jobs
    desk.clock.advance(UNDO_S + 1)
    await asyncio.gather(first, second)
    await desk.do(ct.RestoreConversation(conversation=trip))
    assert await desk.listed() == []


async def test_one_deletion_after_another_each_has_its_own_time(desk: Desk) -> None:
    await desk.open()
    trip = await desk.begun("여행")
    await desk.do(ct.DeleteConversation(conversation=trip))
    (first,) = desk.jobs
    await desk.clock.until_sleeping()
    desk.clock.advance(UNDO_S)
    await desk.do(ct.RestoreConversation(conversation=trip))
    await desk.do(ct.DeleteConversation(conversation=trip))
    desk.clock.advance(1)
    await first
    await desk.do(ct.RestoreConversation(conversation=trip))
    assert await desk.listed() == ["여행"]


async def test_the_open_conversation_gives_its_place_to_a_new_one_and_comes_back_when_restored(desk: Desk) -> None:
    await desk.open()
    trip = await desk.begun("여행")
    await desk.do(ct.OpenConversation(conversation=trip))
    await desk.do(ct.DeleteConversation(conversation=trip))
    assert desk.shown.messages == ()
    assert desk.session.conversation == desk.shown.conversation != trip
    await desk.do(ct.OpenConversation(conversation=trip))
    assert desk.session.conversation != trip

    await desk.do(ct.RestoreConversation(conversation=trip))
    assert desk.session.conversation == desk.shown.conversation == trip


async def test_a_deletion_holds_when_sori_ends_or_dies_before_its_time_is_over(desk: Desk) -> None:
    await desk.open()
    trip, other = await desk.begun("여행"), await desk.begun("요리")
    await desk.do(ct.DeleteConversation(conversation=trip))
    await desk.shelf.close()
    assert not await desk.chat.conversation_list.restore(trip)
    await desk.do(ct.DeleteConversation(conversation=other))
    await desk.open()
    assert not await desk.chat.conversation_list.restore(other)


async def test_what_the_store_refuses_is_told_and_changes_nothing(desk: Desk) -> None:
    opened = await desk.open()
    trip = await desk.begun("여행")
    await desk.chat.database.write(
        lambda connection: connection.execute(
            "CREATE TRIGGER full BEFORE UPDATE ON conversations BEGIN SELECT RAISE(ABORT, 'full'); END"
        )
    )
    await desk.do(ct.DeleteConversation(conversation=trip))
    assert len(desk.errors) == 1
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
    await asyncio.gather(*desk.jobs)
    assert indexed == [30.0]
    await desk.listed("바다")
    await asyncio.gather(*desk.jobs)
    assert len(indexed) == 2
    await desk.listed()
    await asyncio.gather(*desk.jobs)
    assert len(indexed) == 2


async def test_a_new_conversation_belongs_to_the_current_agent_even_if_it_was_there_before(desk: Desk) -> None:
    empty = await desk.open()
    coach = AgentId(name="coach")
    desk.chat.current.set(coach)
    await desk.do(ct.NewConversation())
    assert desk.session.conversation == empty
    assert await desk.chat.conversations.agent_of(empty) == coach


async def test_a_conversation_opens_at_an_old_message_with_all_that_follow(desk: Desk) -> None:
    await desk.open()
    texts = [f"{number}" for number in range(PAGE_MESSAGES + 20)]
    long = await desk.begun(*texts)
    said = await desk.chat.conversations.messages(long)
    await desk.do(ct.OpenConversation(conversation=long, message=said[5].id))
    assert [message.text for message in desk.shown.messages] == texts[5:]
    assert desk.shown.wanted == said[5].id
    assert desk.shown.more
