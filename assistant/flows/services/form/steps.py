"""What the service does: it saves what was confirmed."""

import asyncio
import json
from pathlib import Path

from assistant.core.permissions import Category
from assistant.tools.signature import tool_of
from assistant.tools.tool import Tool


def save_tool(folder: Path) -> Tool:
    """The tool that saves, in a file of ``folder``, one line each."""

    async def save_entry(what: str, when: str, count: int) -> str:
        """Saves an entry.

        Args:
            what: what it is about.
            when: its time, ISO 8601.
            count: how many people.
        """
        line = json.dumps({"what": what, "when": when, "count": count}, ensure_ascii=False)
        # If this raises an exception, nobody knows how much was written, and the user is told so.
        await asyncio.to_thread(_append, folder / "saved.jsonl", line)
        return line

    return tool_of(save_entry, category=Category.SENSITIVE, idempotent=False)


def _append(path: Path, line: str) -> None:
    with path.open("a", encoding="utf-8") as file:
        file.write(f"{line}\n")
