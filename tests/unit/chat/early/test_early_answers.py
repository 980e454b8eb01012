"""Answers that begin before it is certain that the user has finished speaking."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace

import pytest

from assistant.agent.run import packets_of
from assistant.chat.early.early_answers import EarlyAnswer
from assistant.chat.turn_request import TurnRequest
from assistant.core.errors import ErrorCode
from assistant.core.machine.effects import Origin
from assistant.core.machine.states import TurnId
from assistant.core.messages import Role
from assistant.core.packets import AnswerDelta, Done, Packet
from assistant.core.records.usage import CANCELLED
from tests.fakes.backend import FakeBackend, calls, fails, says
from tests.fakes.plain_tool import counting_tool
from tests.unit.conftest import MakeWorld, World

TURN = TurnId("1")


def request(world: World, text: str = "내일 뭐 입을까?", turn: TurnId = TURN) -> TurnRequest:
    return TurnRequest(turn=turn, conversation=world.conversation, text=text, origin=Origin.VOICE, aloud=True)


async def begun(world: World, text: str = "내일 뭐 입을까?") -> tuple[EarlyAnswer, list[str]]:
    heard: list[str] = []
    early = world.engine.prepare(request(world, text), heard.append)
    assert early is not None
    await early.settled()
    return early, heard


async def answered(world: World, text: str = "내일 뭐 입을까?") -> list[Packet]:
    return [packet async for packet in packets_of(world.engine.turn(request(world, text)))]


def text_of(packets: Sequence[Packet]) -> str:
    return "".join(packet.text for packet in packets if isinstance(packet, AnswerDelta))


async def stored(world: World) -> list[tuple[Role, str]]:
    return [(message.role, message.text) for message in await world.store.messages(world.conversation)]


async def test_the_turn_goes_on_where_its_early_answer_is(make_world: MakeWorld) -> None:
    backend = FakeBackend(says("코트를 입으세요."))
    world = make_world(backend)
    _, heard = await begun(world)
    assert "".join(heard) == "코트를 입으세요."
    assert await stored(world) == []
    packets = await answered(world)
    assert len(backend.requests) == 1
    assert text_of(packets) == "코트를 입으세요."
    assert isinstance(packets[-1], Done)
    assert await stored(world) == [(Role.USER, "내일 뭐 입을까?"), (Role.ASSISTANT, "코트를 입으세요.")]


async def test_an_early_request_is_the_one_that_the_turn_would_send(make_world: MakeWorld) -> None:
    backend = FakeBackend(says("하나"), says("둘"), says("셋"))
    world = make_world(backend)
    await answered(world, "첫 질문이야")
    early, _ = await begun(world, "둘째 질문이야")
    world.engine.discard(TURN)
    await asyncio.wait({early.work})
    await answered(world, "둘째 질문이야")
    _, ahead, certain = backend.requests
    assert ahead == certain


async def test_a_discarded_answer_leaves_only_the_record_of_its_tokens(make_world: MakeWorld) -> None:
    backend = FakeBackend([*says("코트를")[:1], asyncio.Event()])
    world = make_world(backend)
    heard = asyncio.Event()
    assert world.engine.prepare(request(world), lambda _text: heard.set()) is not None
    await heard.wait()
    world.engine.discard(TURN)
    await world.engine.close()
    assert backend.closed_early == 1
    assert await stored(world) == []
    (exchange,) = await world.usage.exchanges()
    assert (exchange.outcome, exchange.requests) == (CANCELLED, 1)


async def test_another_request_discards_the_early_answer(make_world: MakeWorld) -> None:
    backend = FakeBackend(says("코트요."), says("장화요."))
    world = make_world(backend)
    await begun(world, "내일 뭐")
    assert text_of(await answered(world, "내일 뭐 신을까?")) == "장화요."
    assert [role for role, _ in await stored(world)] == [Role.USER, Role.ASSISTANT]
    assert len(backend.requests) == 2


async def test_a_request_of_another_conversation_does_not_wait_for_the_early_answer(make_world: MakeWorld) -> None:
    backend = FakeBackend(calls(("note", {})), says("장화요."))
    world = make_world(backend, tools=(counting_tool([]),))
    settings = world.answerer.exchange.live.written
    own = replace(settings.providers[0], kind="local", base_url="")
    world.answerer.exchange.live.change(replace(settings, providers=(own,)))
    early, _ = await begun(world)
    asked = replace(request(world), conversation=await world.store.create())
    async with asyncio.timeout(20):
        packets = [packet async for packet in packets_of(world.engine.turn(asked))]
    assert text_of(packets) == "장화요."
    assert early.work.cancelled()


async def test_no_tool_runs_before_the_request_is_certain(make_world: MakeWorld) -> None:
    ran: list[str] = []
    backend = FakeBackend(calls(("note", {})), says("적었어요."))
    world = make_world(backend, tools=(counting_tool(ran),))
    early, _ = await begun(world)
    assert (ran, early.work.done(), len(backend.requests)) == ([], False, 1)
    assert text_of(await answered(world)) == "적었어요."
    assert (ran, len(backend.requests)) == (["ran"], 2)


async def test_a_tool_of_a_discarded_answer_never_runs(make_world: MakeWorld) -> None:
    ran: list[str] = []
    world = make_world(FakeBackend(calls(("note", {})), says("적었어요.")), tools=(counting_tool(ran),))
    early, _ = await begun(world)
    world.engine.discard(TURN)
    await world.engine.close()
    assert (ran, early.work.cancelled()) == ([], True)


async def test_after_a_failed_early_answer_the_turn_asks_itself(make_world: MakeWorld) -> None:
    backend = FakeBackend(fails(ErrorCode.INVALID_REQUEST), says("코트요."))
    world = make_world(backend)
    await begun(world)
    assert text_of(await answered(world)) == "코트요."


async def test_a_plain_command_is_not_begun_early(make_world: MakeWorld) -> None:
    backend = FakeBackend(says("?"))
    world = make_world(backend)
    assert world.engine.prepare(request(world, "지금 몇 시야?"), lambda _text: None) is None
    assert backend.requests == []


@pytest.mark.parametrize(("url", "asked"), [("https://models.example/v1", 0), ("http://127.0.0.1:1/v1", 1)])
async def test_a_model_elsewhere_is_not_asked_early_if_the_user_wants_that(
    make_world: MakeWorld, url: str, asked: int
) -> None:
    backend = FakeBackend(says("코트요."))
    world = make_world(backend)
    settings = world.answerer.exchange.live.written
    (provider,) = settings.providers
    settings = replace(
        settings,
        providers=(replace(provider, base_url=url),),
        voice=replace(settings.voice, early_answers="local"),
    )
    world.answerer.exchange.live.change(settings)
    await begun(world)
    assert len(backend.requests) == asked
    assert text_of(await answered(world)) == "코트요."
    assert len(backend.requests) == 1


async def test_a_cancelled_turn_stops_its_early_answer(make_world: MakeWorld) -> None:
    backend = FakeBackend([*says("코트를 입으세요.")[:1], asyncio.Event()])
    world = make_world(backend)
    assert world.engine.prepare(request(world), lambda _text: None) is not None
    packets: list[Packet] = []
    async for packet in packets_of(world.engine.turn(request(world))):
        packets.append(packet)
        if isinstance(packet, AnswerDelta):
            world.engine.cancel(TURN)
    assert packets[-1].finish == "cancelled"  # type: ignore[union-attr]
    assert backend.closed_early == 1


async def test_while_a_turn_runs_nothing_is_begun_early(make_world: MakeWorld) -> None:
    go_on = asyncio.Event()
    backend = FakeBackend([*says("첫 답")[:1], go_on, *says("이에요.")], says("둘째 답이에요."))
    world = make_world(backend)
    async for packet in packets_of(world.engine.turn(request(world))):
        if isinstance(packet, AnswerDelta) and not go_on.is_set():
            assert world.engine.prepare(request(world, "둘째 질문이야", TurnId("2")), lambda _text: None) is None
            go_on.set()
    assert go_on.is_set()
