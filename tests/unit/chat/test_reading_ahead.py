"""Sori's own server reads a conversation before the next message comes."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from assistant.agent.context.project_texts import ProjectSize
from assistant.core.documents import Document
from assistant.core.machine.states import TurnId
from assistant.core.packets import AnswerDelta, Done
from assistant.core.permissions import Category
from assistant.core.settings import LlmSettings
from assistant.llm.backend import Finish, Finished, ModelToolCall, TextDelta
from assistant.tools.calling import RunningCall
from assistant.tools.tool import Baseline, Tool
from tests.fakes.asking.turns import turn_packets
from tests.fakes.backend import FakeBackend, says
from tests.unit.conftest import MakeWorld, World

EMBEDDED = LlmSettings(provider="embedded", model="some-model")


async def ask(world: World, text: str, turn: int = 1) -> None:
    *_, last = [packet async for packet in turn_packets(world.engine, TurnId(str(turn)), world.conversation, text)]
    assert isinstance(last, Done)
    assert last.finish == "complete"


async def test_what_is_read_is_what_the_next_request_begins_with(make_world: MakeWorld) -> None:
    backend = FakeBackend(says("하나"), says("둘"))
    world = make_world(backend, llm=EMBEDDED)
    await ask(world, "첫째 질문")
    backend.has_read.set()
    await world.answerer.read_ahead(world.conversation)
    await ask(world, "둘째 질문", 2)
    ((before, read),) = backend.read
    asked = backend.requests[1]
    assert before == 1
    assert len(read.messages) == 3
    assert read.messages[:-1] == asked.messages[:-1]
    assert read.messages[-1].role == "user"
    assert (read.system, read.tools, read.model, read.extra) == (asked.system, asked.tools, asked.model, asked.extra)


async def test_a_conversation_that_a_choice_of_tools_has_pushed_out_is_read_again(make_world: MakeWorld) -> None:
    async def run(_: dict[str, Any], _call: RunningCall) -> str:
        return "done"

    tool = Tool(
        name="do",
        description="",
        parameters={"type": "object"},
        category=Category.SAFE,
        idempotent=True,
        run=run,
        baseline=Baseline.ALL,
    )
    call = ModelToolCall(id="1", name="do", arguments={})
    backend = FakeBackend(says("네."), [Finished(reason=Finish.TOOL_CALLS, tool_calls=(call,))], says("했어요."))
    world = make_world(backend, llm=LlmSettings(provider="embedded", model="qwen2.5-coder-1.5b"), tools=(tool,))
    await ask(world, "안녕")
    assert world.engine.afterwards.idle
    backend.has_read.set()
    await ask(world, "해 줘", 2)
    await world.engine.afterwards.settle()
    ((before, read),) = backend.read
    assert before == 3
    assert [message.text for message in read.messages[:3]] == [
        "지금 시각: 2026년 11월 22일 일요일 15:05.\n\n안녕",
        "네.",
        "해 줘",
    ]


async def test_a_server_that_is_not_soris_own_reads_nothing_ahead(make_world: MakeWorld) -> None:
    backend = FakeBackend(says("하나"))
    world = make_world(backend)
    await world.answerer.read_ahead(world.conversation)
    assert backend.read == []


@dataclass
class Searched:
    """Implements ``ProjectTexts``; notes what was looked for."""

    characters: int
    looked_for: list[str] = field(default_factory=list)

    async def size(self) -> ProjectSize:
        return ProjectSize(files=1, tokens=self.characters, characters=self.characters)

    async def whole(self) -> Sequence[Document]:
        return ()

    async def found(self, question: str, most: int) -> Sequence[Document]:
        self.looked_for.append(question)
        return ()

    def sent(self, *, whole: bool) -> bool:
        return whole


@pytest.mark.parametrize(
    ("project", "characters", "own", "searched"),
    [
        ("p", 10**6, False, True),
        ("p", 10**6, True, True),
        ("p", 1000, True, True),
        ("p", 1000, False, False),
        ("p", 0, True, False),
        ("", 10**6, False, False),
    ],
)
async def test_what_finds_passages_is_loaded_before_the_question_unless_the_project_is_sent_whole(
    make_world: MakeWorld, project: str, characters: int, own: bool, searched: bool
) -> None:
    texts = Searched(characters)

    async def project_of(*_: object) -> Searched:
        return texts

    backend = FakeBackend(says("하나"))
    backend.has_read.set()
    world = make_world(backend, llm=EMBEDDED) if own else make_world(backend)
    await world.store.choose_project(world.conversation, project)
    await replace(world.answerer, project_of=project_of).read_ahead(world.conversation)
    assert texts.looked_for == ([""] if searched else [])


async def test_the_conversations_own_model_reads(make_world: MakeWorld) -> None:
    backend = FakeBackend(says("하나"))
    backend.has_read.set()
    world = make_world(backend)
    await world.store.choose_model(world.conversation, "embedded/another")
    await world.answerer.read_ahead(world.conversation)
    assert [request.model for _, request in backend.read] == ["another"]


async def test_a_message_stops_the_reading(make_world: MakeWorld) -> None:
    backend = FakeBackend(says("하나"))
    world = make_world(backend, llm=EMBEDDED)
    world.engine.begin_reading_ahead(world.conversation)
    await backend.reads.wait()
    await ask(world, "질문")
    assert backend.closed_early == 1


async def test_nothing_is_read_ahead_while_a_message_is_answered(make_world: MakeWorld) -> None:
    answered = asyncio.Event()
    backend = FakeBackend([TextDelta(text="하나"), answered, Finished(reason=Finish.STOP)])
    world = make_world(backend, llm=EMBEDDED)
    async for packet in turn_packets(world.engine, TurnId("1"), world.conversation, "질문"):
        if isinstance(packet, AnswerDelta):
            world.engine.begin_reading_ahead(world.conversation)
            assert world.engine.afterwards.idle
            answered.set()


async def test_what_cannot_be_read_ahead_ends_no_conversation(
    make_world: MakeWorld, caplog: pytest.LogCaptureFixture
) -> None:
    backend = FakeBackend(says("하나"))
    world = make_world(backend, llm=replace(EMBEDDED, provider="ghost"))
    world.engine.begin_reading_ahead(world.conversation)
    await world.engine.afterwards.settle()
    assert "ghost" in caplog.text
