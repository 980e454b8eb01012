"""Tools of which a test needs no more than a name, or that they ran."""

from typing import Any

from assistant.core.permissions import Category
from assistant.tools.calling import RunningCall
from assistant.tools.tool import Tool


async def _not_run(_: dict[str, Any], _call: RunningCall) -> str:
    raise AssertionError("no tool runs here")


def plain_tool(name: str, description: str = "", *search_words: str) -> Tool:
    """A harmless tool without parameters that must not run."""
    return Tool(
        name=name,
        description=description,
        parameters={"type": "object", "properties": {}},
        category=Category.SAFE,
        idempotent=True,
        run=_not_run,
        search_words=search_words,
    )


def counting_tool(ran: list[str]) -> Tool:
    """A harmless tool called note that adds to ``ran`` when it runs, and must not run twice."""

    async def run(_arguments: dict[str, Any], _call: RunningCall) -> str:
        ran.append("ran")
        return "fine"

    return Tool(
        name="note",
        description="note",
        parameters={"type": "object", "properties": {}},
        category=Category.SAFE,
        idempotent=False,
        run=run,
    )
