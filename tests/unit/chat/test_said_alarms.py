"""A small model that forgets what was said of the time sets the alarm that was said, or none."""

from typing import Any

import pytest

from assistant.agent.run import packets_of
from assistant.chat.turn_request import TurnRequest
from assistant.core.machine.effects import Origin
from assistant.core.messages import Role
from assistant.core.packets import AnswerDelta, Packet, ToolCall
from assistant.core.permissions import Category
from assistant.core.settings import LlmSettings, Settings
from assistant.tools.calling import RunningCall
from assistant.tools.tool import Baseline, Tool
from tests.fakes.backend import FakeBackend, Piece, calls, says
from tests.unit.conftest import MakeWorld, World

SMALL = Settings(language="ko", llm=LlmSettings(model="qwen2.5-coder-1.5b"))
LOST = {"when": "2026-11-30T09:00", "what": "분리수거"}
KEPT = {"when": "격주 월요일 아침 9시에", "what": "분리수거"}
ASKED = "격주 월요일 아침 9시에 분리수거 좀 챙겨 줄래"


class Alarms:
    """A small model's world in which alarms can be set, after as many messages as wanted."""

    def __init__(self, make_world: MakeWorld, *replies: list[Piece], before: int) -> None:
        self.set: list[dict[str, Any]] = []
        self.backend = FakeBackend(*[says("네.")] * before, *replies)
        tool = Tool(
            name="set_alarm",
            description="",
            parameters={"type": "object"},
            category=Category.SAFE,
            idempotent=True,
            run=self._run,
            baseline=Baseline.ALL,
        )
        self.world: World = make_world(self.backend, tools=(tool,))
        self.world.answerer.exchange.live.change(SMALL)
        self._before = before

    async def _run(self, arguments: dict[str, Any], _call: RunningCall) -> str:
        self.set.append(arguments)
        return "set"

    async def hears(self, text: str) -> list[Packet]:
        for _ in range(self._before):
            await self._turn("안녕")
        return await self._turn(text)

    async def _turn(self, text: str) -> list[Packet]:
        engine = self.world.engine
        request = TurnRequest(
            turn=engine.new_turn(), conversation=self.world.conversation, text=text, origin=Origin.TEXT
        )
        return [packet async for packet in packets_of(engine.turn(request))]


@pytest.mark.parametrize("before", [0, 1])
async def test_what_runs_is_shown_and_kept_with_the_repetition_that_was_said(
    make_world: MakeWorld, before: int
) -> None:
    it = Alarms(make_world, calls(("set_alarm", LOST)), says("맞췄어요."), before=before)
    shown = [packet.arguments for packet in await it.hears(ASKED) if isinstance(packet, ToolCall)]
    assert (shown, it.set) == ([KEPT], [KEPT])
    messages = await it.world.store.messages(it.world.conversation)
    assert [use.arguments for message in messages for use in message.tool_uses] == [KEPT]


@pytest.mark.parametrize("before", [0, 1])
async def test_a_contradiction_is_asked_about_once_with_the_words_of_the_user(
    make_world: MakeWorld, before: int
) -> None:
    wrong = calls(("set_alarm", {**LOST, "when": "2026-11-30T11:30"}))
    it = Alarms(make_world, wrong, calls(("set_alarm", LOST)), says("맞췄어요."), before=before)
    await it.hears(ASKED)
    assert it.set == [KEPT]
    assert "‘격주 월요일 아침 9시에’" in it.backend.requests[before + 1].messages[-1].text


@pytest.mark.parametrize("before", [0, 1])
async def test_nothing_is_set_where_the_model_contradicts_twice(make_world: MakeWorld, before: int) -> None:
    wrong = calls(("set_alarm", {**LOST, "when": "2026-11-30T11:30"}))
    it = Alarms(make_world, wrong, wrong, says("몇 시에 울릴까요?"), before=before)
    packets = await it.hears(ASKED)
    assert it.set == []
    assert "".join(packet.text for packet in packets if isinstance(packet, AnswerDelta)) == "몇 시에 울릴까요?"
    last = it.backend.requests[-1]
    assert last.tools == ()
    assert "맞췄다고 말하지 말고" in last.messages[-1].text
    messages = await it.world.store.messages(it.world.conversation)
    assert [message.role for message in messages][-2:] == [Role.USER, Role.ASSISTANT]
    assert not any(message.tool_uses for message in messages)


async def test_a_large_model_is_believed(make_world: MakeWorld) -> None:
    it = Alarms(make_world, calls(("set_alarm", LOST)), says("맞췄어요."), before=0)
    it.world.answerer.exchange.live.change(Settings(language="ko", llm=LlmSettings(model="qwen2.5-72b")))
    await it.hears(ASKED)
    assert it.set == [LOST]
