import asyncio
from contextlib import aclosing
from typing import Any

from assistant.agent.context.prompts import Prompts
from assistant.agent.exchange import AgentExchange, AgentRequest
from assistant.agent.profile import AgentProfile
from assistant.agent.summaries.summarizer import History
from assistant.core.errors import ErrorCode
from assistant.core.live_settings import LiveSettings
from assistant.core.messages import Message, Role
from assistant.core.packets import AnswerDelta, Done, Failure, Packet, Status, ToolCall, ToolResult
from assistant.core.permissions import Category
from assistant.core.records.usage import Exchange
from assistant.core.settings import Language, LlmSettings, Provider, Settings
from assistant.core.texts import Texts
from assistant.tools.calling import RunningCall
from assistant.tools.runner import ToolRunner
from assistant.tools.tool import Tool
from tests.fakes.backend import FakeBackend, calls, fails, says
from tests.fakes.clock import FakeClock

SETTINGS = Settings(
    language="en",
    llm=LlmSettings(provider="fake", model="m"),
    providers=(Provider(name="fake", kind="openai", base_url="http://127.0.0.1:1/v1"),),
)
CLERK = AgentProfile(name="clerk", instructions={"en": "You are a clerk."}, tools={"look"})
QUESTION = Message(role=Role.USER, text="What is on the shelf?")


async def _look(_: dict[str, Any], _call: RunningCall) -> str:
    return "three books"


LOOK = Tool(
    name="look",
    description="Looks.",
    parameters={"type": "object"},
    category=Category.SAFE,
    idempotent=True,
    run=_look,
)


def runner(backend: FakeBackend, texts: Texts, used: list[Exchange], clock: FakeClock | None = None) -> AgentExchange:
    async def keep(exchange: Exchange) -> None:
        used.append(exchange)

    return AgentExchange(
        router=backend,
        live=LiveSettings(SETTINGS),
        texts=texts,
        tools=ToolRunner((LOOK,), texts),
        prompts_in={"en": Prompts(system="Sori", small="Sori", placeholder="Sori", summary="")},
        clock=clock or FakeClock(),
        keep=keep,
    )


async def asked() -> AgentRequest:
    return AgentRequest(profile=CLERK, history=await History.given((QUESTION,), "shelf"))


async def answered(agents: AgentExchange) -> list[Packet]:
    return [packet async for packet in agents.packets(await asked())]


async def test_an_agent_answers_with_a_tool_and_after_a_retry_without_any_database(
    all_texts: dict[Language, Texts],
) -> None:
    backend = FakeBackend(fails(ErrorCode.OVERLOADED), calls(("look", {})), says("Three books."))
    used: list[Exchange] = []
    clock = FakeClock()
    answering = asyncio.create_task(answered(runner(backend, all_texts["en"], used, clock)))
    await clock.until_sleeping()
    clock.advance(clock.next_s)
    packets = await answering
    kinds = [type(packet) for packet in packets if not isinstance(packet, AnswerDelta)]
    assert kinds == [Status, ToolCall, ToolResult, Done]
    assert "".join(packet.text for packet in packets if isinstance(packet, AnswerDelta)) == "Three books."
    assert [request.system.startswith("You are a clerk.") for request in backend.requests] == [True] * 3
    assert [tool.name for tool in backend.requests[0].tools] == ["look"]
    assert used[-1].requests == 3
    assert used[-1].outcome == "complete"


async def test_what_an_agent_fails_with_is_a_packet_and_the_last_is_done(all_texts: dict[Language, Texts]) -> None:
    *_, failure, done = await answered(runner(FakeBackend(fails(ErrorCode.AUTHENTICATION)), all_texts["en"], []))
    assert isinstance(failure, Failure)
    assert failure.code == ErrorCode.AUTHENTICATION.value
    assert isinstance(done, Done)


async def test_who_stops_listening_stops_the_agent(all_texts: dict[Language, Texts]) -> None:
    backend = FakeBackend(says("A long story about books."))
    agents = runner(backend, all_texts["en"], [])
    async with aclosing(agents.packets(await asked())) as packets:
        await anext(packets)
    assert not [task for task in asyncio.all_tasks() if task.get_name().startswith("agent ")]
