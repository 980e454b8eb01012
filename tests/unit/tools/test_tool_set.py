"""Which tools there are while sources change."""

from collections.abc import Mapping

import pytest

from assistant.core.permissions import Category
from assistant.core.texts import Texts
from assistant.tools.runner import ToolRunner
from assistant.tools.tool import Tool
from assistant.tools.tool_set import ToolSet


async def _nothing(arguments: dict[str, object]) -> str:
    return f"{arguments}"


def tool(name: str, description: str = "") -> Tool:
    return Tool(
        name=name,
        description=description,
        parameters={"type": "object", "properties": {}},
        category=Category.SAFE,
        idempotent=True,
        run=_nothing,
    )


def test_tools_of_a_source_come_after_the_built_in_ones_and_leave_with_it() -> None:
    outside = [tool("far")]
    tools = ToolSet([tool("near")])
    tools.add_source(lambda: outside)
    assert [each.name for each in tools] == ["near", "far"]
    assert tools.get("far") is outside[0]
    outside.clear()
    assert [each.name for each in tools] == ["near"]
    assert tools.get("far") is None


def test_a_source_cannot_replace_a_built_in_tool() -> None:
    own = tool("near", "own")
    tools = ToolSet([own])
    tools.add_source(lambda: [tool("near", "foreign")])
    assert list(tools) == [own]
    assert tools.get("near") is own


def test_a_narrowed_set_sees_later_sources_and_only_its_names() -> None:
    tools = ToolSet([tool("a"), tool("b")])
    narrowed = tools.narrowed(["b", "c"])
    tools.add_source(lambda: [tool("c"), tool("d")])
    assert [each.name for each in narrowed] == ["b", "c"]
    assert narrowed.get("a") is None
    assert narrowed.get("d") is None
    assert [each.name for each in narrowed.narrowed(["a", "c"])] == ["c"]
    assert [each.name for each in narrowed.narrowed(None)] == ["b", "c"]


def test_an_invalid_schema_names_its_tool() -> None:
    broken = Tool(
        name="broken",
        description="",
        parameters={"type": "nonsense"},
        category=Category.SAFE,
        idempotent=True,
        run=_nothing,
    )
    with pytest.raises(ValueError, match="broken"):
        ToolSet([broken])


def test_a_runner_offers_what_a_source_gives_now(all_texts: Mapping[str, Texts]) -> None:
    outside: list[Tool] = []
    tools = ToolSet([tool("near")])
    tools.add_source(lambda: outside)
    runner = ToolRunner(tools, all_texts["en"])
    assert [schema.name for schema in runner.offered()] == ["near"]
    outside.append(tool("far"))
    assert [schema.name for schema in runner.offered()] == ["near", "far"]
    assert runner.is_idempotent("far")
