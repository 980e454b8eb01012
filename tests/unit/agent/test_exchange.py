import ast
import asyncio
from contextlib import aclosing
from dataclasses import fields, replace
from typing import Any

from assistant.agent.agent_request import AgentRequest
from assistant.agent.context.prompts import Prompts
from assistant.agent.exchange import AgentExchange
from assistant.agent.model_choice import ModelChoice
from assistant.agent.profile import AgentProfile, MemoryScope
from assistant.agent.questions import OpenQuestions
from assistant.agent.state_container import StateContainer
from assistant.agent.summaries.memory_shortening import MemoryStep
from assistant.agent.summaries.summarizer import Began, Compression, History
from assistant.core.errors import ErrorCode
from assistant.core.live_settings import LiveSettings
from assistant.core.machine.states import TurnId
from assistant.core.messages import Message, Role, Summary
from assistant.core.packets import ANSWER_YES, AnswerDelta, Ask, Done, Failure, Packet, Status, ToolCall, ToolResult
from assistant.core.permissions import LOCAL_ASSISTANT, Category
from assistant.core.records.usage import Exchange
from assistant.core.settings import ContextSettings, Language, LlmSettings, Provider, Settings
from assistant.core.texts import Texts
from assistant.host.places import PROJECT
from assistant.memory.facts import Fact
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


def runner(
    backend: FakeBackend,
    texts: Texts,
    used: list[Exchange],
    clock: FakeClock | None = None,
    tools: tuple[Tool, ...] = (LOOK,),
) -> AgentExchange:
    async def keep(exchange: Exchange) -> None:
        used.append(exchange)

    return AgentExchange(
        router=backend,
        live=LiveSettings(SETTINGS),
        texts=texts,
        tools=ToolRunner(tools, texts),
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


class Session:
    """The messages of a flow's session and their summary, in memory."""

    def __init__(self, *messages: Message) -> None:
        self.kept = list(messages)
        self.told = Summary()

    async def count(self, _: str, *, spoken: bool = False) -> int:
        return len(self.kept)

    async def messages(self, _: str, limit: int | None = None, *, after: str = "") -> tuple[Message, ...]:
        first = next((place + 1 for place, each in enumerate(self.kept) if each.id == after), 0)
        return tuple(self.kept[first:][-limit:] if limit else self.kept[first:])

    async def summary(self, _: str) -> Summary:
        return self.told

    async def keep_summary(self, _: str, summary: Summary) -> None:
        self.told = summary


async def test_a_flow_compresses_its_own_history_and_the_request_stays_last(all_texts: dict[Language, Texts]) -> None:
    talk = [
        Message(role=(Role.USER, Role.ASSISTANT)[place % 2], text=f"{place} {'words ' * 60}", id=str(place))
        for place in range(60)
    ]
    session = Session(*talk, replace(QUESTION, id="last"))
    backend = FakeBackend(says("They talked of words."), says("Three books."))
    agents = runner(backend, all_texts["en"], [])
    agents.live.change(replace(SETTINGS, context=ContextSettings(max_size=9_000)))
    summarizer = agents.summarizer(session)
    history = await History.given(session.kept, "shelf")
    request = AgentRequest(profile=CLERK, history=history, compression=Compression(summarizer, history, aloud=False))
    packets = [packet async for packet in agents.packets(request)]
    statuses = [packet.status for packet in packets if isinstance(packet, Status)]
    assert statuses == ["context_compressing", "context_compressed"]
    assert session.told.text == "They talked of words."
    asked_for = backend.requests[-1].messages
    assert "They talked of words." in backend.requests[-1].system
    assert QUESTION.text in asked_for[-1].text


async def test_a_flow_is_given_what_is_remembered_and_shorter_memories_when_there_is_no_room(
    all_texts: dict[Language, Texts],
) -> None:
    class Memory:
        def __init__(self) -> None:
            self.steps: list[MemoryStep] = []

        async def shorten(self, _: ModelChoice, step: MemoryStep, _limit_s: float, began: Began) -> bool:
            began()
            self.steps.append(step)
            return True

        async def recall(self) -> tuple[AgentProfile, tuple[Fact, ...]]:
            return profile, (Fact(text="The user reads."),)

    memory, profile = Memory(), replace(CLERK, memory=frozenset({MemoryScope.PERSONAL}))
    backend = FakeBackend(says("Three books."))
    agents = runner(backend, all_texts["en"], [])
    agents.live.change(replace(SETTINGS, context=ContextSettings(max_size=2_000)))
    request = AgentRequest(
        profile=profile,
        history=await History.given((QUESTION,)),
        facts=tuple(Fact(text=f"The user owns book {place}. {'x' * 80}") for place in range(40)),
        memory=memory,
    )
    assert isinstance([packet async for packet in agents.packets(request)][-1], Done)
    assert memory.steps[0] is MemoryStep.SHARED
    sent = "\n".join(message.text for message in backend.requests[-1].messages) + backend.requests[-1].system
    assert "The user reads." in sent
    assert "book 39" not in sent


async def test_a_flow_may_ask_its_user_before_a_tool_runs(all_texts: dict[Language, Texts]) -> None:
    ran: list[str] = []

    async def post(_: dict[str, Any], call: RunningCall) -> str:
        ran.append(call.conversation)
        return "posted"

    tool = replace(LOOK, name="post", category=Category.SENSITIVE, idempotent=False, run=post)
    backend = FakeBackend(calls(("post", {})), says("Done."))
    agents = runner(backend, all_texts["en"], [], tools=(tool,))
    profile = replace(CLERK, tools={"post"}, permissions=LOCAL_ASSISTANT)
    waiting, turn = OpenQuestions(), TurnId("1")
    history = await History.given((QUESTION,), "shelf")
    request = AgentRequest(profile=profile, history=history, turn=turn, can_ask=True, waiting=waiting)
    async for packet in agents.packets(request):
        if isinstance(packet, Ask):
            assert ran == []
            waiting.answer(turn, packet.question, ANSWER_YES)
    assert ran == ["shelf"]
    backend = FakeBackend(calls(("post", {})), says("I may not."))
    agents = runner(backend, all_texts["en"], [], tools=(tool,))
    alone = [packet async for packet in agents.packets(AgentRequest(profile=profile, history=history))]
    assert not any(isinstance(packet, Ask) for packet in alone)
    assert ran == ["shelf"]


def test_nothing_is_decided_by_the_state_container_while_a_turn_runs() -> None:
    """It is told (C-32). Only who saves it, and who ends the turn, read it."""
    readers = {"agent/ending.py", "chat/recorder.py", "agent/state_container.py"}
    kept = {field.name for field in fields(StateContainer)} - {"meter"} | {"answered"}
    read = [
        f"{name}:{node.lineno}: {ast.unparse(node)}"
        for path in (PROJECT / "assistant").rglob("*.py")
        if (name := path.relative_to(PROJECT / "assistant").as_posix()) not in readers
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Attribute) and node.attr in kept and ast.unparse(node.value).endswith("container")
    ]
    assert read == []
