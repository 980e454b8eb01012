from pathlib import Path

import pytest

from assistant.core.permissions import LOCAL_ASSISTANT, Verdict
from assistant.core.settings import Language, MemorySettings
from assistant.core.texts import Texts
from assistant.memory.personal import PersonalMemory
from assistant.tools.builtin.knowledge.memory import memory_tools
from assistant.tools.runner import ToolRunner
from assistant.tools.tool import ToolError
from tests.fakes.asking.no_memory import no_memory
from tests.fakes.clock import FakeClock


async def test_a_model_remembers_and_forgets(tmp_path: Path) -> None:
    memory = PersonalMemory(tmp_path / "user.md", FakeClock(), MemorySettings)
    remember, forget = memory_tools(memory)
    assert await remember.run({"fact": "The user has a cat."}) == "Remembered: The user has a cat."
    assert await remember.run({"fact": "the user has a cat"}) == "Known already: The user has a cat."
    assert await forget.run({"words": "cat"}) == "Forgotten: The user has a cat."
    assert await forget.run({"words": "cat"}) == "No remembered fact contains these words."
    with pytest.raises(ToolError, match="empty"):
        await remember.run({"fact": " "})


async def test_a_memory_that_is_off_takes_nothing() -> None:
    for tool, arguments in zip(memory_tools(no_memory()), ({"fact": "x"}, {"words": "x"}), strict=True):
        with pytest.raises(ToolError, match="switched off"):
            await tool.run(arguments)


def test_each_call_of_a_model_needs_a_confirmation_and_small_models_are_not_told(
    all_texts: dict[Language, Texts],
) -> None:
    tools = memory_tools(no_memory())
    assert {LOCAL_ASSISTANT.verdict(tool.name, tool.category) for tool in tools} == {Verdict.ASK}
    runner = ToolRunner(tools, all_texts["en"], permissions=LOCAL_ASSISTANT)
    assert [schema.name for schema in runner.offered()] == ["remember", "forget"]
    assert runner.offered(small=True) == ()
