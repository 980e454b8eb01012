"""Which tools there are while sources change."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from assistant.core.texts import Texts
from assistant.llm.backend import ModelToolCall
from assistant.tools.calling import RunningCall
from assistant.tools.runner import ToolRunner
from assistant.tools.tool import Tool
from assistant.tools.tool_set import ToolSet
from tests.fakes.plain_tool import plain_tool


def test_tools_of_a_source_come_after_the_built_in_ones_and_leave_with_it() -> None:
    outside = [plain_tool("far")]
    tools = ToolSet([plain_tool("near")])
    tools.add_source(lambda: outside)
    assert [each.name for each in tools] == ["near", "far"]
    assert tools.get("far") is outside[0]
    outside.clear()
    assert [each.name for each in tools] == ["near"]
    assert tools.get("far") is None


def test_a_source_cannot_replace_a_built_in_tool() -> None:
    own = plain_tool("near", "own")
    tools = ToolSet([own])
    tools.add_source(lambda: [plain_tool("near", "foreign")])
    assert list(tools) == [own]
    assert tools.get("near") is own


def test_a_narrowed_set_sees_later_sources_and_only_its_names() -> None:
    tools = ToolSet([plain_tool("a"), plain_tool("b")])
    narrowed = tools.narrowed(["b", "c"])
    tools.add_source(lambda: [plain_tool("c"), plain_tool("d")])
    assert [each.name for each in narrowed] == ["b", "c"]
    assert narrowed.get("a") is None
    assert narrowed.get("d") is None
    assert [each.name for each in narrowed.narrowed(["a", "c"])] == ["c"]
    assert [each.name for each in narrowed.narrowed(None)] == ["b", "c"]


def test_an_invalid_schema_names_its_tool() -> None:
    broken = replace(plain_tool("broken"), parameters={"type": "nonsense"})
    with pytest.raises(ValueError, match="broken"):
        ToolSet([broken])


def test_a_runner_offers_what_a_source_gives_now(all_texts: Mapping[str, Texts]) -> None:
    outside: list[Tool] = []
    tools = ToolSet([plain_tool("near")])
    tools.add_source(lambda: outside)
    runner = ToolRunner(tools, all_texts["en"])
    assert [schema.name for schema in runner.offered()] == ["near"]
    outside.append(plain_tool("far"))
    assert [schema.name for schema in runner.offered()] == ["near", "far"]
    assert runner.is_idempotent("far")


async def test_a_call_waits_for_the_server_that_brings_its_tool(all_texts: Mapping[str, Texts]) -> None:
    brought: list[Tool] = []
    waited: list[float] = []

    async def answer(_: dict[str, Any], _call: RunningCall) -> str:
        return "done"

    async def arrival(name: str, limit_s: float) -> str:
        waited.append(limit_s)
        if name == "late":
            brought.append(replace(plain_tool("late"), run=answer))
            return ""
        return "slow server" if name == "slow" else ""

    tools = ToolSet()
    tools.add_source(lambda: brought, arrival)
    runner = ToolRunner(tools, all_texts["en"], timeout_s=3)
    calls = [ModelToolCall(id=name, name=name, arguments={}) for name in ("late", "slow", "unknown", "late")]
    outcomes = [outcome async for outcome in runner.run(calls)]
    assert [outcome.is_error for outcome in outcomes] == [False, True, True, False]
    assert "MCP server slow server is not ready" in outcomes[1].text
    assert "There is no tool named unknown" in outcomes[2].text
    assert waited == [3, 3, 3]


async def test_nothing_is_waited_for_outside_a_narrowed_set(all_texts: Mapping[str, Texts]) -> None:
    async def arrival(name: str, limit_s: float) -> str:
        raise AssertionError(name)

    tools = ToolSet()
    tools.add_source(tuple, arrival)
    runner = ToolRunner(tools.narrowed({"other"}), all_texts["en"])
    outcomes = [outcome async for outcome in runner.run([ModelToolCall(id="1", name="late", arguments={})])]
    assert "There is no tool named late" in outcomes[0].text
