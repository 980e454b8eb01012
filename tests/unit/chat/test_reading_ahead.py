"""Sori's own server reads a conversation before the next message comes."""

import asyncio
from dataclasses import replace

import pytest

from assistant.core.packets import AnswerDelta, Done
from assistant.core.settings import LlmSettings
from assistant.core.states import TurnId
from assistant.llm.backend import Finish, Finished, TextDelta
from tests.fakes.backend import FakeBackend, says
from tests.unit.chat.conftest import MakeWorld, World

EMBEDDED = LlmSettings(provider="embedded", model="some-model")


async def ask(world: World, text: str, turn: int = 1) -> None:
    *_, last = [packet async for packet in world.engine.run(TurnId(turn), world.conversation, text)]
    assert isinstance(last, Done)
    assert last.finish == "complete"


async def test_what_is_read_is_what_the_next_request_begins_with(make_world: MakeWorld) -> None:
    backend = FakeBackend(says("하나"), says("둘"))
    world = make_world(backend, llm=EMBEDDED)
    await ask(world, "첫째 질문")
    backend.has_read.set()
    await world.engine.read_ahead(world.conversation)
    await ask(world, "둘째 질문", 2)
    ((before, read),) = backend.read
    asked = backend.requests[1]
    assert before == 1
    assert len(read.messages) == 3
    assert read.messages[:-1] == asked.messages[:-1]
    assert read.messages[-1].role == "user"
    assert (read.system, read.tools, read.model, read.extra) == (asked.system, asked.tools, asked.model, asked.extra)


async def test_a_server_that_is_not_soris_own_reads_nothing_ahead(make_world: MakeWorld) -> None:
    backend = FakeBackend(says("하나"))
    world = make_world(backend)
    await world.engine.read_ahead(world.conversation)
    assert backend.read == []


async def test_the_conversations_own_model_reads(make_world: MakeWorld) -> None:
    backend = FakeBackend(says("하나"))
    backend.has_read.set()
    world = make_world(backend)
    await world.store.choose_model(world.conversation, "embedded/another")
    await world.engine.read_ahead(world.conversation)
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
    async for packet in world.engine.run(TurnId(1), world.conversation, "질문"):
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
