import asyncio
from collections.abc import Sequence
from dataclasses import replace

from assistant.agent.model_choice import EMBEDDED
from assistant.core.errors import ErrorCode, ProviderError, StorageError
from assistant.core.machine.effects import Origin
from assistant.core.machine.states import TurnId
from assistant.core.messages import Message, Role
from assistant.core.packets import AnswerDelta, Failure, Packet, Status
from assistant.core.settings import LlmSettings, Provider
from assistant.llm.backend import TextDelta
from assistant.memory.facts import Fact
from assistant.storage.base_prompts import BasePromptStore
from assistant.storage.database import Database
from tests.fakes.asking.turns import turn_packets
from tests.fakes.backend import FakeBackend, Piece, fails, says
from tests.fakes.clock import FakeClock
from tests.unit.conftest import MakeWorld, World


class Preparing(FakeBackend):
    """A backend that is to be made ready; ``prepared`` tells for whom, and how many requests there had been."""

    def __init__(self, *replies: Sequence[Piece], refuses: bool = False) -> None:
        super().__init__(*replies)
        self.refuses = refuses
        self.prepared: list[tuple[str, int]] = []
        self.begun = asyncio.Event()
        self.held: asyncio.Event | None = None

    async def prepare(self, provider: Provider, model: str = "") -> None:
        self.prepared.append((provider.name, len(self.requests)))
        self.begun.set()
        if self.held is not None:
            await self.held.wait()
        if self.refuses:
            raise ProviderError(ErrorCode.AUTHENTICATION, "no key", provider=provider.name)


async def ask(world: World, turn: int = 1) -> list[Packet]:
    return [
        packet
        async for packet in turn_packets(world.engine, TurnId(str(turn)), world.conversation, "안녕?", Origin.TEXT)
    ]


def statuses(packets: list[Packet]) -> list[str]:
    return [packet.status for packet in packets if isinstance(packet, Status)]


async def test_a_model_is_made_ready_before_it_is_asked(make_world: MakeWorld) -> None:
    backend = Preparing(says("네."))
    await ask(make_world(backend))
    assert backend.prepared == [("mine", 0)]


async def test_a_model_that_cannot_be_made_ready_is_not_asked(make_world: MakeWorld) -> None:
    backend = Preparing(says("네."), refuses=True)
    packets = await ask(make_world(backend))
    assert [packet.code for packet in packets if isinstance(packet, Failure)] == ["authentication"]
    assert backend.requests == []


async def test_who_makes_a_summary_is_made_ready_too(make_world: MakeWorld) -> None:
    backend = Preparing(fails(ErrorCode.CONTEXT_TOO_LONG), says("- 짧게"), says("네."))
    world = make_world(backend)
    for number in range(12):
        role = Role.ASSISTANT if number % 2 else Role.USER
        await world.store.add(world.conversation, Message(role=role, text="가" * 200))
    assert "context_compressed" in statuses(await ask(world))
    assert backend.prepared == [("mine", 0), ("mine", 1)]


async def test_loading_the_embedded_model_is_said_until_it_was_loaded_once(make_world: MakeWorld) -> None:
    world = make_world(Preparing(says("Yes.")), llm=LlmSettings(provider=EMBEDDED.name))
    assert statuses(await ask(world)) == ["loading_model"]
    assert statuses(await ask(world, 2)) == []


async def test_one_conversation_waits_while_another_is_answered_by_the_own_server(make_world: MakeWorld) -> None:
    go = asyncio.Event()
    backend = Preparing([TextDelta(text="One"), go, *says(".")], says("Two."))
    world = make_world(backend, llm=LlmSettings(provider=EMBEDDED.name))
    first = asyncio.create_task(ask(world))
    await backend.begun.wait()
    other = replace(world, conversation=await world.store.create())
    second = turn_packets(world.engine, TurnId("2"), other.conversation, "안녕?", Origin.TEXT)
    waiting = await anext(second)
    assert isinstance(waiting, Status)
    assert (waiting.status, len(backend.prepared)) == ("own_server_busy", 1)
    go.set()
    packets = [packet async for packet in second]
    assert "Two." in "".join(packet.text for packet in packets if isinstance(packet, AnswerDelta))
    await first
    assert statuses(await ask(world, 3)) == []


async def test_a_turn_that_is_stopped_leaves_the_own_server_to_others(make_world: MakeWorld) -> None:
    backend = Preparing(says("Two."))
    backend.held = asyncio.Event()
    world = make_world(backend, llm=LlmSettings(provider=EMBEDDED.name))
    first = asyncio.create_task(ask(world))
    await backend.begun.wait()
    world.engine.cancel(TurnId("1"))
    await first
    backend.held = None
    assert "own_server_busy" not in statuses(await ask(world, 2))


async def test_a_model_that_was_loaded_beforehand_is_not_said_to_be_loading(make_world: MakeWorld) -> None:
    backend = Preparing(says("Yes."))
    world = make_world(backend, llm=LlmSettings(provider=EMBEDDED.name))
    await world.answerer.exchange.backend(world.answerer.choice)
    assert backend.prepared == [(EMBEDDED.name, 0)]
    assert statuses(await ask(world)) == []


async def test_a_memory_that_cannot_be_read_costs_no_answer(make_world: MakeWorld) -> None:
    async def unreadable() -> tuple[Fact, ...]:
        raise StorageError("user.md", "not UTF-8")

    world = make_world(FakeBackend(says("네.")))
    world.answerer.facts_about_user = unreadable
    assert AnswerDelta(turn_index=0, text="네.") in await ask(world)


async def test_the_users_own_base_prompt_applies_from_the_next_turn_on(
    make_world: MakeWorld, database: Database
) -> None:
    backend = FakeBackend(says("네."), says("네."), says("네."))
    world, prompts = make_world(backend), BasePromptStore(database, FakeClock())
    await ask(world)
    await prompts.put("ko", "너는 노바야.")
    await ask(world, 2)
    await prompts.reset("ko")
    await ask(world, 3)
    assert [request.system.partition("\n")[0] for request in backend.requests] == [
        "기본 프롬프트",
        "너는 노바야.",
        "기본 프롬프트",
    ]
