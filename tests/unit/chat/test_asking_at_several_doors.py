"""Conversations in which turns ask, and several doors show and answer the questions of the same board."""

import asyncio
from collections.abc import AsyncGenerator
from typing import Any

import pytest

from assistant.agent.model_choice import EMBEDDED
from assistant.agent.profile import AgentProfile
from assistant.agent.questions import UNSEEN_WITHIN_S, Presented
from assistant.chat.board import TurnBoard
from assistant.chat.turn_request import TurnRequest
from assistant.core import packets as pk
from assistant.core import updates as up
from assistant.core.machine.effects import Origin
from assistant.core.machine.states import TurnId
from assistant.core.permissions import Category, Permissions
from assistant.core.records.conversations import ConversationMark
from assistant.core.settings import Language, LlmSettings, Provider
from assistant.core.texts import Texts
from assistant.llm.backend import ModelDelta, ModelRequest
from assistant.tools.calling import RunningCall
from assistant.tools.runner import ToolRunner
from assistant.tools.tool import Tool
from tests.fakes.backend import FakeBackend, calls, says
from tests.unit.conftest import MakeWorld, World

ALL = AgentProfile(name="all", permissions=Permissions(categories=frozenset(Category)))


class Door:
    """Somebody who follows a turn, and may show and answer its question."""

    def __init__(self, board: TurnBoard, turn: TurnId, after: int = 0) -> None:
        self.board, self.turn = board, turn
        self.seen: list[up.PacketEmitted] = []
        self.arrived = asyncio.Condition()
        self.task = asyncio.create_task(self._follow(after))

    async def _follow(self, after: int) -> None:
        async for each in self.board.follow(self.turn, after):
            async with self.arrived:
                self.seen.append(each)
                self.arrived.notify_all()

    def all(self, kind: type[Any]) -> list[Any]:
        return [each.packet for each in self.seen if isinstance(each.packet, kind)]

    async def until(self, kind: type[Any], count: int = 1) -> Any:
        async with self.arrived:
            await self.arrived.wait_for(lambda: len(self.all(kind)) >= count)
        return self.all(kind)[count - 1]

    def show(self, ask: pk.Ask, how: Presented = Presented.SHOWN) -> None:
        self.board.present(self.turn, ask.question, how)

    def answer(self, ask: pk.Ask, choice: str) -> bool:
        return self.board.answer(self.turn, ask.question, choice)


class DiaryModel(FakeBackend):
    """Calls its tools in every conversation, and ends when it has their results."""

    async def stream(self, provider: Provider, request: ModelRequest) -> AsyncGenerator[ModelDelta, None]:
        reads = request.messages[-1].role == "tool"
        for piece in says("끝") if reads else self._replies[0]:
            assert not isinstance(piece, Exception | asyncio.Event)
            yield piece


class Home:
    """A world whose model reads the diary, with a board."""

    def __init__(
        self, make_world: MakeWorld, texts: Texts, *days: str, model: FakeBackend | None = None, **options: Any
    ) -> None:
        self.ran: list[str] = []
        self.world: World = make_world(
            model or DiaryModel(calls(*[("read_diary", {"day": day}) for day in days])), **options
        )
        tool = Tool(
            name="read_diary",
            description="reads the diary",
            parameters={"type": "object", "properties": {"day": {"type": "string"}}},
            category=Category.SENSITIVE,
            idempotent=True,
            run=self._read,
        )
        self.world.answerer.exchange.tools = ToolRunner((tool,), texts)
        self.published: list[up.Update] = []
        self.board = TurnBoard(self.world.engine, self.published.append)

    async def _read(self, arguments: dict[str, Any], _call: RunningCall) -> str:
        self.ran.append(arguments["day"])
        return "비"

    def ask(self, turn: str, conversation: str = "") -> Door:
        request = TurnRequest(
            turn=TurnId(turn),
            conversation=conversation or self.world.conversation,
            text="일기 읽어 줘",
            origin=Origin.TEXT,
            profile=ALL,
            can_ask=True,
        )
        self.board.begin(request)
        return Door(self.board, TurnId(turn))

    async def pass_s(self, seconds: float) -> None:
        for _ in range(3):
            await asyncio.sleep(0)
        self.world.clock.advance(seconds)
        for _ in range(3):
            await asyncio.sleep(0)

    def marks(self, conversation: str) -> list[ConversationMark]:
        marks = [each for each in self.published if isinstance(each, up.ConversationMarked)]
        return [each.mark for each in marks if each.conversation == conversation]


@pytest.fixture
def texts(all_texts: dict[Language, Texts]) -> Texts:
    return all_texts["ko"]


async def test_two_conversations_ask_at_once_and_neither_question_runs_out_unseen(
    make_world: MakeWorld, texts: Texts
) -> None:
    home = Home(make_world, texts, "어제")
    other = await home.world.store.create()
    one, two = home.ask("1"), home.ask("2", other)
    first, second = await one.until(pk.Ask), await two.until(pk.Ask)
    one.show(first)
    await home.pass_s(29)
    assert one.answer(first, "yes")
    await home.pass_s(500)
    assert home.marks(other)[-1] is ConversationMark.ASKING
    two.show(second)
    await home.pass_s(29)
    assert two.answer(second, "yes")
    await asyncio.gather(one.task, two.task)
    assert home.ran == ["어제", "어제"]


async def test_a_question_that_nobody_sees_is_a_no_after_ten_minutes_and_the_turn_goes_on(
    make_world: MakeWorld, texts: Texts
) -> None:
    home = Home(make_world, texts, "어제")
    door = home.ask("1")
    ask = await door.until(pk.Ask)
    await home.pass_s(UNSEEN_WITHIN_S - 1)
    assert not door.all(pk.Answered)
    await home.pass_s(2)
    await door.task
    assert [each.outcome for each in door.all(pk.Answered)] == ["unseen"]
    assert not door.answer(ask, "yes")
    assert home.ran == []


async def test_while_somebody_looks_closely_no_time_passes_and_then_there_is_all_of_it(
    make_world: MakeWorld, texts: Texts
) -> None:
    home = Home(make_world, texts, "어제")
    door = home.ask("1")
    ask = await door.until(pk.Ask)
    door.show(ask)
    await home.pass_s(29)
    home.board.present(TurnId("1"), ask.question, Presented.HELD)
    door.show(ask)  # Another door shows it meanwhile.
    await home.pass_s(3600)
    assert not door.all(pk.Answered)
    home.board.present(TurnId("1"), ask.question, Presented.RELEASED)
    await home.pass_s(29)
    assert door.answer(ask, "yes")
    await door.task
    assert home.ran == ["어제"]
    assert [bool(each.deadline) for each in door.all(pk.AskShown)] == [True, False, True]


async def test_two_calls_of_a_turn_ask_one_after_another_and_each_has_its_time(
    make_world: MakeWorld, texts: Texts
) -> None:
    home = Home(make_world, texts, "어제", "오늘", "내일")
    door = home.ask("1")
    for number, choice in enumerate(("yes", "no", "yes"), 1):
        ask = await door.until(pk.Ask, number)
        await home.pass_s(40)
        door.show(ask)
        await home.pass_s(29)
        assert door.answer(ask, choice)
    await door.task
    assert home.ran == ["어제", "내일"]


@pytest.mark.parametrize(("first", "second"), [("yes", "no"), ("no", "yes"), ("yes", "yes"), ("maybe", "yes")])
async def test_the_first_answer_counts_and_the_other_door_sees_it(
    make_world: MakeWorld, texts: Texts, first: str, second: str
) -> None:
    home = Home(make_world, texts, "어제")
    window = home.ask("1")
    browser = Door(home.board, TurnId("1"))
    ask = await window.until(pk.Ask)
    assert await browser.until(pk.Ask) == ask
    window.show(ask)
    browser.show(ask)
    assert (window.answer(ask, first), browser.answer(ask, second)) == (True, False)
    await asyncio.gather(window.task, browser.task)
    outcome = "no" if first == "maybe" else first
    for door in (window, browser):
        assert [each.outcome for each in door.all(pk.Answered)] == [outcome]
    assert home.ran == (["어제"] if outcome == "yes" else [])


async def test_a_door_that_is_killed_comes_back_to_the_open_question_and_its_deadline(
    make_world: MakeWorld, texts: Texts
) -> None:
    home = Home(make_world, texts, "어제")
    killed = home.ask("1")
    ask = await killed.until(pk.Ask)
    killed.show(ask)
    shown = await killed.until(pk.AskShown)
    killed.task.cancel()
    last = killed.seen[-1].number
    back, anew = Door(home.board, TurnId("1"), after=last), Door(home.board, TurnId("1"))
    assert (await anew.until(pk.Ask), await anew.until(pk.AskShown)) == (ask, shown)
    await home.pass_s(20)
    assert anew.answer(ask, "yes")
    await asyncio.gather(back.task, anew.task)
    assert [each.number for each in back.seen] == [*range(last + 1, last + 1 + len(back.seen))]
    assert back.all(pk.Ask) == []
    assert home.ran == ["어제"]


async def test_stopping_a_turn_closes_its_question_at_every_door(make_world: MakeWorld, texts: Texts) -> None:
    home = Home(make_world, texts, "어제")
    window = home.ask("1")
    browser = Door(home.board, TurnId("1"))
    ask = await browser.until(pk.Ask)
    window.show(ask)
    assert home.board.stop(TurnId("1"))
    await asyncio.gather(window.task, browser.task)
    for door in (window, browser):
        assert [each.outcome for each in door.all(pk.Answered)] == ["cancelled"]
        assert [each.finish for each in door.all(pk.Done)] == ["cancelled"]
    assert not window.answer(ask, "yes")
    assert home.ran == []
    assert home.marks(home.world.conversation)[-1] is not ConversationMark.ASKING


async def test_a_message_while_a_question_is_open_ends_the_turn_that_asks(make_world: MakeWorld, texts: Texts) -> None:
    home = Home(make_world, texts, "어제")
    first = home.ask("1")
    ask = await first.until(pk.Ask)
    second = home.ask("2")
    again = await second.until(pk.Ask)
    assert not first.answer(ask, "yes")
    assert second.answer(again, "no")
    await asyncio.gather(first.task, second.task)
    assert home.ran == []


async def test_while_a_question_is_read_aloud_nobody_who_sees_it_is_late(make_world: MakeWorld, texts: Texts) -> None:
    home = Home(make_world, texts, "어제")
    voice = home.ask("1")
    window = Door(home.board, TurnId("1"))
    ask = await window.until(pk.Ask)
    window.show(ask)
    voice.show(ask, Presented.READING)
    await home.pass_s(45)
    voice.show(ask, Presented.HEARD)
    await home.pass_s(29)
    assert window.answer(ask, "yes")
    await asyncio.gather(voice.task, window.task)
    assert len(window.all(pk.AskShown)) == 2
    assert home.ran == ["어제"]


async def test_a_turn_that_asks_leaves_soris_own_server_and_the_work_between_turns_to_others(
    make_world: MakeWorld, texts: Texts
) -> None:
    done: list[str] = []

    async def after_turn(conversation: str) -> None:
        done.append(conversation)

    model = FakeBackend(calls(("read_diary", {"day": "어제"})), says("둘."), says("하나."))
    home = Home(
        make_world,
        texts,
        "어제",
        llm=LlmSettings(provider=EMBEDDED.name, model="large-70b"),
        after_turn=after_turn,
        model=model,
    )
    other = await home.world.store.create()
    asking = home.ask("1")
    ask = await asking.until(pk.Ask)
    beside = home.ask("2", other)
    await beside.task
    assert [each.finish for each in beside.all(pk.Done)] == ["complete"]
    assert "own_server_busy" not in [each.status for each in beside.all(pk.Status)]
    await home.world.engine.afterwards.settle()
    assert done == [other]
    assert asking.answer(ask, "yes")
    await asking.task
    assert "".join(each.text for each in asking.all(pk.AnswerDelta)) == "하나."
    await home.world.engine.afterwards.settle()
    assert done == [other, home.world.conversation]


async def test_the_last_moment_counts_for_all_doors(make_world: MakeWorld, texts: Texts) -> None:
    home = Home(make_world, texts, "어제")
    window = home.ask("1")
    browser = Door(home.board, TurnId("1"))
    ask = await window.until(pk.Ask)
    window.show(ask)
    await home.pass_s(20)
    browser.show(ask)
    await home.pass_s(10)
    await asyncio.gather(window.task, browser.task)
    for door in (window, browser):
        assert [each.outcome for each in door.all(pk.Answered)] == ["late"]
    assert home.ran == []
