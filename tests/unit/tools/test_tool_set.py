"""Which tools there are while sources change."""

from collections.abc import Mapping
from dataclasses import replace

import pytest

from assistant.core.texts import Texts
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
