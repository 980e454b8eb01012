"""What a caller with a token was granted bounds its turns, whatever the agent may do (X-05, F-08)."""

import asyncio
from dataclasses import fields
from typing import Any

import pytest

from assistant.agent.run import packets_of
from assistant.chat.command_answers import CommandAnswers
from assistant.chat.commands import HARMLESS, TOOL_OF_THE_KIND, Commands, Grammar, Intent
from assistant.chat.turn_request import TurnRequest
from assistant.core import packets as pk
from assistant.core.machine.effects import Origin
from assistant.core.machine.states import TurnId
from assistant.core.permissions import Category
from assistant.core.records.people import Person
from assistant.core.service.grant import OWNER, TELEGRAM, UNATTENDED, Grant
from assistant.core.settings import Language
from assistant.core.texts import Texts
from assistant.storage.conversations import Wanted
from assistant.tools.calling import RunningCall
from assistant.tools.registry import ToolNeeds, built_in_tools
from assistant.tools.tool import Tool
from tests.fakes.asking.no_memory import no_memory
from tests.fakes.backend import FakeBackend, calls, says
from tests.unit.conftest import MakeWorld, World

SAFE = Grant(categories=frozenset({Category.SAFE}))
SENSITIVE = Grant(categories=frozenset({Category.SAFE, Category.SENSITIVE}))
WANTED = Wanted(newest=lambda _: 1)
NOTHING = Grant(categories=frozenset())
ABSENT: Any = None
OWN_TOOLS = tuple(
    each
    for each in built_in_tools(ToolNeeds(**{need.name: ABSENT for need in fields(ToolNeeds)}))
    if each.name in TOOL_OF_THE_KIND.values()
)
"""Sori's own tools, whose categories count here; none of them is run."""
MOTHER = Person(name="박영희", relation="엄마", aliases=("mom",), phone="010-1234-5678", birthday="1962-03-04")


def tool(name: str, category: Category, ran: list[str]) -> Tool:
    async def run(_: dict[str, Any], _call: RunningCall) -> str:
        ran.append(name)
        return "done"

    return Tool(name=name, description=name, parameters={"type": "object"}, category=category, idempotent=True, run=run)


async def ask(world: World, text: str, grant: Grant) -> list[pk.Packet]:
    request = TurnRequest(
        turn=TurnId(text), conversation=world.conversation, text=text, origin=Origin.TEXT, can_ask=False, grant=grant
    )
    return [packet async for packet in packets_of(world.engine.turn(request))]


@pytest.mark.parametrize(
    ("grant", "offered", "runs"),
    [
        (OWNER, ["look", "set_volume"], ["look", "set_volume"]),
        (SENSITIVE, ["look", "set_volume"], ["look", "set_volume"]),
        (SAFE, ["look"], ["look"]),
        (NOTHING, [], []),
    ],
)
async def test_only_granted_tools_are_offered_and_run(
    make_world: MakeWorld, grant: Grant, offered: list[str], runs: list[str]
) -> None:
    ran: list[str] = []
    tools = (tool("look", Category.SAFE, ran), tool("set_volume", Category.SENSITIVE, ran))
    backend = FakeBackend(calls(("look", {}), ("set_volume", {})), says("네."))
    world = make_world(backend, tools=tools)
    await ask(world, "둘 다 불러 줘요", grant)
    assert [each.name for each in backend.requests[0].tools] == offered
    assert ran == runs


async def test_a_tool_that_needs_consent_is_refused_unasked_to_a_caller_with_safe_tools(make_world: MakeWorld) -> None:
    ran: list[str] = []
    world = make_world(
        FakeBackend(calls(("open_door", {})), says("네.")), tools=(tool("open_door", Category.SENSITIVE, ran),)
    )
    packets = await ask(world, "문을 열어 주실래요", SAFE)
    assert not any(isinstance(each, pk.Ask) for each in packets)
    assert ran == []


@pytest.mark.parametrize(
    "text",
    [
        "5분 타이머 맞춰 줘",
        "타이머 다 취소해 줘",
        "내일 아침 7시에 깨워 줘",
        "볼륨 줄여 줘",
        "소리 꺼 줘",
        "내 동생은 부산에 산다고 기억해 줘",
        "set a timer for five minutes",
        "cancel all timers",
        "wake me up at seven tomorrow",
        "turn the volume down",
        "mute",
        "remember that my sister lives in Busan",
        "그만",
        "그만해",
        "멈춰",
        "대화 끝내자",
        "stop",
        "stop it",
        "goodbye",
    ],
)
async def test_a_plain_command_with_an_effect_is_left_to_the_model_of_a_caller_with_safe_tools(
    make_world: MakeWorld, text: str
) -> None:
    backend = FakeBackend(says("그건 못 해요."))
    world = make_world(backend)
    await ask(world, text, SAFE)
    assert len(backend.requests) == 1


@pytest.mark.parametrize(
    "text", ["5분 타이머 맞춰 줘", "볼륨 줄여 줘", "set a timer for five minutes", "turn the volume down"]
)
@pytest.mark.parametrize("grant", [OWNER, SENSITIVE])
async def test_whoever_was_granted_more_gives_plain_commands(make_world: MakeWorld, text: str, grant: Grant) -> None:
    backend = FakeBackend()
    await ask(make_world(backend), text, grant)
    assert backend.requests == []


@pytest.mark.parametrize(
    "text",
    [
        "지금 몇 시야?",
        "오늘 며칠이야?",
        "오늘 무슨 요일이야?",
        "what time is it?",
        "what's the date today?",
        "타이머 얼마나 남았어?",
        "알람 뭐 있어?",
        "볼륨 몇이야?",
        "how much time is left on the timer?",
        "what's the volume?",
    ],
)
async def test_plain_questions_are_answered_for_everybody(make_world: MakeWorld, text: str) -> None:
    backend = FakeBackend()
    packets = await ask(make_world(backend, tools=OWN_TOOLS), text, SAFE)
    assert backend.requests == []
    assert any(isinstance(each, pk.AnswerDelta) and each.text for each in packets)


async def test_the_words_of_a_confined_caller_are_not_the_users_own(make_world: MakeWorld) -> None:
    world = make_world(FakeBackend(says("네."), says("네.")))
    await ask(world, "안녕하세요, 반가워요", SENSITIVE)
    assert not (await world.store.recent(world.conversation, WANTED)).provenance.outside
    await ask(world, "저도 반갑습니다, 정말로요", SAFE)
    assert (await world.store.recent(world.conversation, WANTED)).provenance.outside


@pytest.mark.parametrize(
    "text",
    [
        "엄마 전화번호 알려줘",
        "엄마 연락처가 뭐야?",
        "어머니 생신 언제지?",
        "박영희 전화번호가 뭐야?",
        "엄마 생일이 언제야?",
        "what's mom's number?",
        "What's Mom's phone number?",
        "when is mom's birthday?",
    ],
)
@pytest.mark.parametrize(
    ("grant", "is_told"), [(OWNER, True), (SENSITIVE, True), (SAFE, False), (TELEGRAM, False), (UNATTENDED, False)]
)
async def test_what_is_kept_of_somebody_is_told_by_code_only_to_whoever_may_use_the_tool_for_it(
    make_world: MakeWorld,
    grammars: dict[Language, Grammar],
    all_texts: dict[Language, Texts],
    text: str,
    grant: Grant,
    is_told: bool,
) -> None:
    backend = FakeBackend(says("그건 못 알려 드려요."))
    world = make_world(backend, tools=OWN_TOOLS)
    answers = CommandAnswers(world.clock, world.timers, world.volume, all_texts, no_memory(), people=lambda: (MOTHER,))
    world.answerer.commands = Commands(grammars, answers)
    told = "".join(each.text for each in await ask(world, text, grant) if isinstance(each, pk.AnswerDelta))
    assert (not backend.requests) is is_told
    assert ("1234" in told or "1962" in told) is is_told


@pytest.mark.parametrize("text", ["그만", "그만해", "이제 끝", "멈춰", "stop", "stop it", "goodbye"])
@pytest.mark.parametrize(("grant", "silences"), [(OWNER, True), (SAFE, False), (TELEGRAM, False)])
async def test_what_rings_here_is_silenced_only_by_whoever_may_cancel_it(
    make_world: MakeWorld, text: str, grant: Grant, silences: bool
) -> None:
    world = make_world(FakeBackend(says("네.")), tools=OWN_TOOLS)
    await world.timers.set(30.0, "라면", "ko")
    world.clock.advance(30)
    running = asyncio.create_task(world.timers.run())
    await world.clock.until_sleeping()
    assert len(await world.timers.ringing()) == 1
    await ask(world, text, grant)
    assert (not await world.timers.ringing()) is silences
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)


def test_each_command_without_effects_is_worth_a_tool_that_there_is() -> None:
    assert {*TOOL_OF_THE_KIND} == HARMLESS - {Intent.YES, Intent.NO}
    assert {*TOOL_OF_THE_KIND.values()} == {each.name for each in OWN_TOOLS}
