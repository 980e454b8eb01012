"""Titles: by a model, when nobody asks anything, and never in the place of the user's own."""

import asyncio
from collections.abc import Callable, Sequence

import pytest

from assistant.chat.titles import LONG_CHARS, LONGEST_CHARS, REST_S, Titler, title_in
from assistant.core.machine.effects import Origin
from assistant.core.machine.states import TurnId
from assistant.core.messages import Message, Role
from assistant.llm.backend import Finish, Finished, ModelDelta, TextDelta
from assistant.storage.conversation_list import ConversationList, Titling
from assistant.storage.database import Database
from tests.fakes.asking.turns import turn_packets
from tests.fakes.backend import FakeBackend
from tests.fakes.clock import FakeClock
from tests.unit.conftest import MakeWorld

LONG = "이번 가을에 부모님을 모시고 강원도에 가려는데 어디가 좋을까?"
ANSWER: Sequence[ModelDelta] = (TextDelta(text="설악산이 좋아요."), Finished(reason=Finish.STOP))
TITLE: Sequence[ModelDelta] = (TextDelta(text="“강원도 가을 여행.”\n"), Finished(reason=Finish.STOP))


class Naming:
    """A world with titles, and what came of them."""

    def __init__(self, make_world: MakeWorld, backend: FakeBackend, database: Database) -> None:
        self.world = world = make_world(backend, after_turn=self._title)
        self.list = ConversationList(database, world.clock)
        self.titled = 0
        self.read: list[str] = []
        self.titler = Titler(
            conversations=self.list,
            summarizer=world.answerer.summarizer,
            texts=world.answerer.texts,
            clock=world.clock,
            read_ahead=self._read,
            on_titled=self._note,
        )

    async def _title(self, conversation: str) -> None:
        await self.titler.title(conversation)

    async def _read(self, conversation: str) -> None:
        self.read.append(conversation)

    def _note(self) -> None:
        self.titled += 1

    async def ask(self, text: str, turn: int = 1) -> None:
        async for _ in turn_packets(self.world.engine, TurnId(str(turn)), self.world.conversation, text, Origin.TEXT):
            pass

    async def rest(self) -> None:
        """Nobody asks anything for a while."""
        self.world.clock.advance(REST_S)
        await self.world.engine.afterwards.settle()

    async def name(self) -> Titling:
        return await self.list.titling(self.world.conversation)


@pytest.fixture
def naming(make_world: MakeWorld, database: Database) -> Callable[[FakeBackend], Naming]:
    return lambda backend: Naming(make_world, backend, database)


async def test_a_long_first_message_is_put_into_a_few_words_when_nobody_asks_anything(
    naming: Callable[[FakeBackend], Naming],
) -> None:
    backend = FakeBackend(ANSWER, TITLE)
    it = naming(backend)
    await it.ask(LONG)
    await it.world.clock.until_sleeping()
    before = (await it.name(), len(backend.requests))
    await it.rest()

    assert before == (Titling(title=LONG, by=""), 1)
    assert await it.name() == Titling(title="강원도 가을 여행", by="model")
    asked = backend.requests[1]
    assert (asked.purpose, asked.kept_as) == ("title", None)
    assert LONG in asked.messages[0].text
    assert "설악산이 좋아요." in asked.messages[0].text
    assert it.titled == 1
    assert it.read == [it.world.conversation]


async def test_a_turn_that_begins_comes_first_and_the_title_after_it(naming: Callable[[FakeBackend], Naming]) -> None:
    backend = FakeBackend(ANSWER, ANSWER, TITLE)
    it = naming(backend)
    await it.ask(LONG)
    await it.world.clock.until_sleeping()
    await it.ask("그럼 언제?", turn=2)
    await it.world.clock.until_sleeping()
    await it.rest()
    assert [request.purpose for request in backend.requests] == ["answer", "answer", "title"]
    assert (await it.name()).by == "model"


async def test_a_short_message_is_the_best_title(naming: Callable[[FakeBackend], Naming]) -> None:
    backend = FakeBackend(ANSWER, TITLE)
    it = naming(backend)
    await it.ask("어" * LONG_CHARS)
    await it.world.clock.until_sleeping()
    await it.rest()
    assert len(backend.requests) == 1


async def test_what_the_user_chose_stays_even_when_it_is_chosen_meanwhile(
    naming: Callable[[FakeBackend], Naming],
) -> None:
    named = asyncio.Event()
    backend = FakeBackend(ANSWER, (named, *TITLE))
    it = naming(backend)
    await it.ask(LONG)
    await it.world.clock.until_sleeping()
    it.world.clock.advance(REST_S)
    while len(backend.requests) < 2:
        await it.name()
    await it.list.rename(it.world.conversation, "내 여행")
    named.set()
    await it.world.engine.afterwards.settle()
    assert await it.name() == Titling(title="내 여행", by="user")
    assert it.titled == 0


async def test_a_title_is_asked_for_once(naming: Callable[[FakeBackend], Naming]) -> None:
    backend = FakeBackend(ANSWER, (TextDelta(text="길" * (LONGEST_CHARS + 1)), Finished(reason=Finish.STOP)), ANSWER)
    it = naming(backend)
    await it.ask(LONG)
    await it.world.clock.until_sleeping()
    await it.rest()
    await it.ask("그럼 언제?", turn=2)
    await it.world.engine.afterwards.settle()
    assert await it.name() == Titling(title=LONG, by="")
    assert [request.purpose for request in backend.requests] == ["answer", "title", "answer"]


async def test_what_no_model_answered_needs_none(naming: Callable[[FakeBackend], Naming], clock: FakeClock) -> None:
    backend = FakeBackend(TITLE)
    it = naming(backend)
    await it.world.store.add(it.world.conversation, Message(role=Role.USER, text=LONG))
    await it.world.store.add(it.world.conversation, Message(role=Role.ASSISTANT, text="타이머를 맞췄어요."))
    naming_it = asyncio.create_task(it.titler.title(it.world.conversation))
    await clock.until_sleeping()
    clock.advance(REST_S)
    await naming_it
    assert backend.requests == []


@pytest.mark.parametrize(
    ("answer", "title"),
    [
        ("강원도 여행", "강원도 여행"),
        ("**제목: 강원도 여행.**", "강원도 여행"),
        ('Title: "Autumn leaves"\n\nI hope this helps!', "Autumn leaves"),
        ("\n# 여행 계획\n", "여행 계획"),
        ("", ""),
        ("…" * 60, ""),
        ("A", ""),
    ],
)
def test_a_title_is_taken_out_of_what_a_model_writes_around_it(answer: str, title: str) -> None:
    assert title_in(answer) == title
