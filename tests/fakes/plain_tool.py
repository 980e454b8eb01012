"""A tool of which a test needs no more than its name and words."""

from typing import Any

from assistant.core.permissions import Category
from assistant.tools.tool import Tool


async def _not_run(_: dict[str, Any]) -> str:
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
