"""A call that a chat may not run is kept, and runs exactly as it was after the user's yes at the computer (G-02)."""

import asyncio
import json
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from assistant.agent.run import packets_of
from assistant.chat.turn_request import TurnRequest
from assistant.core import packets as pk
from assistant.core.display.calls import tool_title
from assistant.core.machine.effects import Origin
from assistant.core.machine.states import TurnId
from assistant.core.permissions import LOCAL_ASSISTANT, Category
from assistant.core.service.grant import OWNER, TELEGRAM, Grant
from assistant.host.texts import load_texts
from assistant.tools.calling import RunningCall
from assistant.tools.frozen_call import FrozenCall
from assistant.tools.tool import Tool
from tests.fakes.backend import FakeBackend, calls, says
from tests.unit.conftest import MakeWorld, World


@dataclass
class Ran:
    """A tool that notes its calls."""

    name: str
    category: Category
    arguments: list[dict[str, Any]] = field(default_factory=list)

    @property
    def tool(self) -> Tool:
        async def run(arguments: dict[str, Any], _call: RunningCall) -> str:
            self.arguments.append(arguments)
            return "the result"

        parameters = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": []}
        return Tool(
            name=self.name,
            description=self.name,
            parameters=parameters,
            category=self.category,
            idempotent=False,
            run=run,
        )


def asked(world: World, text: str, grant: Grant, call: FrozenCall | None = None) -> TurnRequest:
    return TurnRequest(
        turn=TurnId(f"{text} {call is not None}"),
        conversation=world.conversation,
        text=text,
        origin=Origin.TEXT,
        can_ask=True,
        grant=grant,
        call=call,
    )


async def packets(world: World, request: TurnRequest, answer: str = "") -> list[pk.Packet]:
    """What a turn shows; a question gets this answer."""
    shown: list[pk.Packet] = []
    async for packet in packets_of(world.engine.turn(request)):
        shown.append(packet)
        if isinstance(packet, pk.Ask):
            loop = asyncio.get_running_loop()
            loop.call_soon(world.engine.answer_question, request.turn, packet.question, answer)
    return shown


def kept_by(world: World) -> list[tuple[str, FrozenCall]]:
    kept: list[tuple[str, FrozenCall]] = []

    async def keep(conversation: str, call: FrozenCall) -> None:
        kept.append((conversation, call))

    world.answerer.referred.add(keep)
    return kept


@pytest.mark.parametrize("name", ["open_door", *sorted(LOCAL_ASSISTANT.unasked)[:4]])
async def test_a_sensitive_call_of_a_chat_does_not_run_and_is_kept(make_world: MakeWorld, name: str) -> None:
    door = Ran(name, Category.SENSITIVE)
    world = make_world(FakeBackend(calls((name, {"n": 3})), says("앱에서 해 주세요.")), tools=(door.tool,))
    kept = kept_by(world)
    shown = await packets(world, asked(world, "문을 열어 주실래요", TELEGRAM))
    assert door.arguments == []
    assert not any(isinstance(each, pk.Ask) for each in shown)
    ((conversation, call),) = kept
    assert (conversation, call.name, json.loads(call.source)) == (world.conversation, name, {"n": 3})
    (told,) = [each.detail for each in shown if isinstance(each, pk.Status) and each.status == "only_in_app"]
    assert told.startswith("이 작업은 앱에서 직접 실행해주세요")


@pytest.mark.parametrize(
    ("category", "grant"),
    [
        (Category.RESTRICTED, TELEGRAM),
        (Category.SENSITIVE, Grant(categories=frozenset({Category.SAFE}))),
        (Category.SENSITIVE, Grant(categories=frozenset())),
    ],
)
async def test_nothing_is_kept_of_restricted_tools_and_of_other_callers(
    make_world: MakeWorld, category: Category, grant: Grant
) -> None:
    door = Ran("open_door", category)
    backend = FakeBackend(calls(("open_door", {})), says("못 해요."))
    world = make_world(backend, tools=(door.tool,))
    kept = kept_by(world)
    await packets(world, asked(world, "문을 열어 주실래요", grant))
    assert (kept, door.arguments) == ([], [])
    assert "open_door" not in [each.name for each in backend.requests[0].tools]


async def test_a_safe_call_that_would_ask_is_kept_too(make_world: MakeWorld) -> None:
    # It sends out what nobody at the computer has asked for.
    opened = Ran("open_url", Category.SAFE)
    parameters = {"type": "object", "properties": {"url": {"type": "string"}}, "required": ["url"]}
    tool = replace(opened.tool, parameters=parameters, outbound=True)
    world = make_world(FakeBackend(calls(("open_url", {"url": "https://a.example/?q=1"})), says("네.")), tools=(tool,))
    kept = kept_by(world)
    await packets(world, asked(world, "아무 데나 열어 주실래요", TELEGRAM))
    assert (opened.arguments, [call.name for _, call in kept]) == ([], ["open_url"])


async def test_a_call_that_is_not_valid_is_not_kept(make_world: MakeWorld) -> None:
    door = Ran("open_door", Category.SENSITIVE)
    world = make_world(FakeBackend(calls(("open_door", {"n": "x"})), says("못 해요.")), tools=(door.tool,))
    kept = kept_by(world)
    await packets(world, asked(world, "문을 열어 주실래요", TELEGRAM))
    assert (kept, door.arguments) == ([], [])


@pytest.mark.parametrize("name", ["open_door", "set_volume"])
@pytest.mark.parametrize(
    ("answer", "runs"), [(pk.ANSWER_YES, True), (pk.ANSWER_NO, False), (pk.ANSWER_NO_TO_ALL, False)]
)
async def test_exactly_the_kept_call_runs_after_one_yes_at_the_computer(
    make_world: MakeWorld, name: str, answer: str, runs: bool
) -> None:
    door = Ran(name, Category.SENSITIVE)
    backend = FakeBackend()
    world = make_world(backend, tools=(door.tool,))
    call = FrozenCall(id="c", name=name, source='{"n": 3}')
    shown = await packets(world, asked(world, "앱에서 실행: 문", OWNER, call), answer)
    (question,) = [each for each in shown if isinstance(each, pk.Ask)]
    assert (question.tool, question.arguments, question.digest) == (name, {"n": 3}, call.digest)
    assert door.arguments == ([{"n": 3}] if runs else [])
    answered = "".join(each.text for each in shown if isinstance(each, pk.AnswerDelta))
    title = tool_title(load_texts("ko"), name)
    assert answered == (f"앱에서 실행했어요: {title}" if runs else f"실행하지 않았어요: {title}")
    assert pk.ANSWER_ALWAYS not in question.choices
    assert backend.requests == []


async def test_a_kept_call_does_not_run_for_a_caller_with_safe_tools(make_world: MakeWorld) -> None:
    door = Ran("open_door", Category.SENSITIVE)
    world = make_world(FakeBackend(), tools=(door.tool,))
    call = FrozenCall(id="c", name="open_door", source="{}")
    shown = await packets(world, asked(world, "앱에서 실행: 문", TELEGRAM, call), pk.ANSWER_YES)
    assert door.arguments == []
    assert not any(isinstance(each, pk.Ask) for each in shown)
