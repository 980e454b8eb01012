"""A connection to a server of the newest protocol, in this process."""

import asyncio
from collections.abc import Mapping
from typing import Any

import mcp_types as types
import pytest
from mcp.server.mcpserver import Context, MCPServer
from mcp.server.subscriptions import InMemorySubscriptionBus, ToolsListChanged

from assistant.tools.mcp.running.asking import DECLINED, Elicited
from assistant.tools.mcp.running.session import ServerSession, Surroundings

LIMIT_S = 60.0
SIZE = {"type": "object", "properties": {"size": {"type": "string"}}}
BUS = InMemorySubscriptionBus()
SERVER = MCPServer("coffee", subscriptions=BUS)


def asks(message: str) -> types.ElicitRequest:
    return types.ElicitRequest(params=types.ElicitRequestFormParams(message=message, requested_schema=SIZE))


@SERVER.tool()
async def order(ctx: Context) -> str | types.InputRequiredResult:
    """Asks two questions at once, as the newest protocol does: by a result that wants input."""
    if ctx.input_responses is None:
        return types.InputRequiredResult(input_requests={"one": asks("One?"), "two": asks("Two?")}, request_state="s")
    answers = (ctx.input_responses[key] for key in ("one", "two"))
    return " ".join(f"{each.action} {each.content}" for each in answers if isinstance(each, types.ElicitResult))


@SERVER.tool()
async def wait() -> str:
    """Never answers."""
    await asyncio.sleep(3600)
    return "late"


class User:
    """Answers the questions of a server, each after a while."""

    def __init__(self, answer: Elicited, takes_s: float = 0.0) -> None:
        self.answer, self.takes_s = answer, takes_s
        self.open = self.most_open = 0
        self.asked: list[str] = []

    async def elicit(self, message: str, schema: Mapping[str, Any] | None, url: str) -> Elicited:
        self.asked.append(message)
        self.open += 1
        self.most_open = max(self.most_open, self.open)
        await asyncio.sleep(self.takes_s)
        self.open -= 1
        return self.answer

    @property
    def surroundings(self) -> Surroundings:
        return Surroundings(progress=lambda _: None, elicit=self.elicit)


def text_of(result: types.CallToolResult) -> str:
    return "".join(each.text for each in result.content if isinstance(each, types.TextContent))


async def test_questions_of_the_newest_protocol_are_asked_one_after_another() -> None:
    session = ServerSession(SERVER)
    user = User(Elicited("accept", {"size": "small"}), takes_s=0.02)
    async with session.connected():
        result = await session.call("order", {}, LIMIT_S, user.surroundings)
        assert sorted(user.asked) == ["One?", "Two?"]
        assert user.most_open == 1
        assert text_of(result) == "accept {'size': 'small'} accept {'size': 'small'}"
        declined = await session.call("order", {}, LIMIT_S, User(DECLINED).surroundings)
        assert text_of(declined) == "decline None decline None"


async def test_the_time_of_a_call_counts_only_while_nobody_is_asked() -> None:
    session = ServerSession(SERVER)
    async with session.connected():
        slow = User(Elicited("accept", {}), takes_s=0.15)
        assert text_of(await session.call("order", {}, 0.2, slow.surroundings))
        with pytest.raises(TimeoutError):
            await session.call("wait", {}, 0.05, slow.surroundings)


async def test_changes_of_the_tools_are_told_while_the_server_runs() -> None:
    session = ServerSession(SERVER)
    async with session.connected(), asyncio.timeout(LIMIT_S):
        while not BUS._listeners:  # noqa: ASYNC110 - nothing tells of it
            await asyncio.sleep(0)
        session.changed.clear()
        await BUS.publish(ToolsListChanged())
        await session.changed.wait()
