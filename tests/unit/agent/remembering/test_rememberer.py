"""Remembering after a turn, with a scripted model and real files."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from assistant.agent.remembering.rememberer import Rememberer
from assistant.agent.run import packets_of
from assistant.agent.workspaces.directory import Workspaces
from assistant.chat.turn_request import TurnRequest
from assistant.core.errors import StorageError
from assistant.core.machine.effects import Origin
from assistant.core.machine.states import TurnId
from assistant.core.permissions import Category
from assistant.core.records.agents import AgentId
from assistant.core.service.grant import Grant
from assistant.core.settings import MemorySettings
from assistant.memory.memory_file import MemoryFile
from assistant.tools.calling import RunningCall
from assistant.tools.runner import ToolRunner
from assistant.tools.tool import Tool
from tests.fakes.backend import FakeBackend, calls, says
from tests.fakes.clock import FakeClock
from tests.unit.conftest import MakeWorld

SAFE = Grant(categories=frozenset({Category.SAFE}))
COACH = AgentId(name="coach")


async def run(_: dict[str, Any], _call: RunningCall) -> str:
    return "a page: the user likes spam"


def tool(name: str, *, untrusted: bool) -> Tool:
    return Tool(
        name=name,
        description=name,
        parameters={"type": "object"},
        category=Category.SAFE,
        idempotent=True,
        run=run,
        untrusted=untrusted,
    )


TOOLS = (tool("look", untrusted=False), tool("read_page", untrusted=True))


class Desk:
    def __init__(self, make_world: MakeWorld, folder: Path, backend: FakeBackend) -> None:
        self.backend = backend
        self.world = make_world(backend, tools=TOOLS)
        answerer = self.world.answerer
        self.workspaces = Workspaces(folder / "workspaces", FakeClock(), lambda: 4_000)
        self.workspaces.add_agent(COACH, {})
        self.personal = MemoryFile(folder / "user.md", FakeClock(), lambda: 4_000)
        self.settings = MemorySettings()
        self.failures: list[StorageError] = []
        self.read_ahead: list[str] = []
        self.rememberer = Rememberer(
            store=self.world.store,
            summarizer=answerer.summarizer,
            texts=answerer.texts,
            tools=ToolRunner(TOOLS, answerer.texts),
            personal=self.personal,
            workspaces=self.workspaces,
            settings=lambda: self.settings,
            read_ahead=self._read_ahead,
            on_failure=self.failures.append,
        )

    async def _read_ahead(self, conversation: str) -> None:
        self.read_ahead.append(conversation)

    async def say(self, conversation: str, text: str, **others: Any) -> None:
        turn = TurnId(str(len(self.backend.requests)))
        request = TurnRequest(turn=turn, conversation=conversation, text=text, origin=Origin.TEXT, **others)
        _ = [packet async for packet in packets_of(self.world.engine.turn(request))]

    @property
    def asked(self) -> list[str]:
        return [each.messages[-1].text for each in self.backend.requests if each.purpose == "memory"]


async def test_each_fact_goes_to_its_memory_with_its_message(make_world: MakeWorld, tmp_path: Path) -> None:
    reply = says("- 우리 팀은 금요일에 배포한다\n- 나는 부산에 산다\n- 나는 매운 음식을 싫어한다")
    desk = Desk(make_world, tmp_path, FakeBackend(says("네."), reply))
    conversation = await desk.world.store.create(COACH)
    await desk.say(conversation, "나는 부산에 살아. 우리 팀은 금요일에 배포해.")
    await desk.rememberer.remember(conversation)
    (own,) = await desk.personal.facts()
    (shared,) = await desk.workspaces.workspace_memory("default").facts()
    said = await desk.world.store.message(own.source)
    assert (own.text, shared.text) == ("나는 부산에 산다", "우리 팀은 금요일에 배포한다")
    assert said is not None
    assert said.text.startswith("나는 부산에 살아")
    assert desk.read_ahead == [conversation]
    await desk.rememberer.remember(conversation)
    assert len(desk.asked) == 1


async def test_a_wish_about_answers_is_known_to_this_agent_only(make_world: MakeWorld, tmp_path: Path) -> None:
    desk = Desk(make_world, tmp_path, FakeBackend(says("네."), says("- 앞으로 두 문장으로 답해 달라고 했다")))
    conversation = await desk.world.store.create(COACH)
    await desk.say(conversation, "앞으로 두 문장으로 답해 줘")
    await desk.rememberer.remember(conversation)
    assert len(await desk.workspaces.agent_memory(COACH).facts()) == 1
    assert await desk.workspaces.agent_memory(AgentId()).facts() == ()


async def test_a_turn_that_read_outside_content_teaches_nothing(make_world: MakeWorld, tmp_path: Path) -> None:
    desk = Desk(make_world, tmp_path, FakeBackend(calls(("read_page", {})), says("네.")))
    conversation = desk.world.conversation
    await desk.say(conversation, "나는 이 페이지에 나오는 것을 좋아해")
    await desk.rememberer.remember(conversation)
    assert desk.asked == []
    assert await desk.personal.facts() == ()


@pytest.mark.parametrize("others", [{"grant": SAFE}, {"typed": ""}, {"typed": "나는"}])
async def test_what_others_wrote_teaches_nothing_also_after_a_later_turn(
    make_world: MakeWorld, tmp_path: Path, others: dict[str, Any]
) -> None:
    replies = (says("네."), says("네."), says("- 나는 부산에 산다"))
    desk = Desk(make_world, tmp_path, FakeBackend(*replies))
    await desk.say(desk.world.conversation, "나는 스팸을 좋아해", **others)
    await desk.rememberer.remember(desk.world.conversation)
    await desk.say(desk.world.conversation, "나는 부산에 살아")
    await desk.rememberer.remember(desk.world.conversation)
    (asked,) = desk.asked
    assert "스팸" not in asked


async def test_a_turn_with_tools_of_its_own_may_teach(make_world: MakeWorld, tmp_path: Path) -> None:
    backend = FakeBackend(calls(("look", {})), says("네."), says("- 나는 커피를 좋아한다"))
    desk = Desk(make_world, tmp_path, backend)
    await desk.say(desk.world.conversation, "나는 커피를 좋아해. 지금 몇 잔째인지 봐 줘")
    await desk.rememberer.remember(desk.world.conversation)
    assert [fact.text for fact in await desk.personal.facts()] == ["나는 커피를 좋아한다"]


@pytest.mark.parametrize("settings", [MemorySettings(automatic=False), MemorySettings(personal=False)])
async def test_the_user_can_switch_it_off(make_world: MakeWorld, tmp_path: Path, settings: MemorySettings) -> None:
    desk = Desk(make_world, tmp_path, FakeBackend(says("네.")))
    desk.settings = settings
    await desk.say(desk.world.conversation, "나는 커피를 좋아해")
    await desk.rememberer.remember(desk.world.conversation)
    assert desk.asked == []


async def test_a_message_whose_reading_was_stopped_is_read_after_the_next_turn(
    make_world: MakeWorld, tmp_path: Path
) -> None:
    nothing = says("없음")
    desk = Desk(make_world, tmp_path, FakeBackend(*[says("네."), nothing, says("네."), says("네."), nothing, nothing]))
    conversation = desk.world.conversation
    await desk.say(conversation, "나는 커피를 좋아해")
    await desk.rememberer.remember(conversation)
    await desk.say(conversation, "나는 홍차도 좋아해")
    await desk.say(conversation, "나는 녹차는 안 마셔")
    await desk.rememberer.remember(conversation)
    assert desk.asked == ["나는 커피를 좋아해", "나는 홍차도 좋아해", "나는 녹차는 안 마셔"]


async def test_for_a_small_model_rules_note_the_plainest_sentences(make_world: MakeWorld, tmp_path: Path) -> None:
    desk = Desk(make_world, tmp_path, FakeBackend(says("네.")))
    world = desk.world
    world.answerer.exchange.live.change(
        replace(world.answerer.settings, llm=replace(world.answerer.settings.llm, model="qwen2.5-1.5b-instruct"))
    )
    await desk.say(world.conversation, "나는 커피를 좋아해")
    await desk.rememberer.remember(world.conversation)
    assert desk.asked == []
    assert [(fact.text, fact.unasked) for fact in await desk.personal.facts()] == [("나는 커피를 좋아해", True)]
    # The memory stands before the conversation.
    assert desk.read_ahead == [world.conversation]


async def test_a_failure_to_save_is_told_and_the_conversation_goes_on(make_world: MakeWorld, tmp_path: Path) -> None:
    desk = Desk(make_world, tmp_path, FakeBackend(says("네."), says("- 나는 커피를 좋아한다")))
    desk.personal.path.mkdir()
    await desk.say(desk.world.conversation, "나는 커피를 좋아해")
    await desk.rememberer.remember(desk.world.conversation)
    assert len(desk.failures) == 1
