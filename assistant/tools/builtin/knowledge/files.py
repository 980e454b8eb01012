"""Files in the folders that the settings allow."""

import asyncio
from collections.abc import Mapping
from typing import Any

from assistant.core.permissions import Category
from assistant.tools.folders.allowed import AllowedFolders
from assistant.tools.grants import FOLDER, GrantScope
from assistant.tools.signature import tool_of
from assistant.tools.tool import Tool, ToolError

_MOST_LINES = 400
_MOST_CHARS = 20_000
"""Maximum number of lines and characters in one result."""


def file_tools(folders: AllowedFolders) -> tuple[Tool, ...]:
    """The tools that list and read files. They are offered once the settings name a folder."""

    async def list_files(folder: str | None = None) -> str:
        """Lists a folder of the user's that the settings allow, or the allowed folders.

        Args:
            folder: path of the folder; left out for the allowed folders.
        """
        entries = await asyncio.to_thread(folders.entries, folder or "")
        lines = [each.name if each.size is None else f"{each.name} ({each.size} bytes)" for each in entries]
        return "\n".join(lines) or "The folder is empty."

    async def read_file(path: str, first_line: int = 1) -> str:
        """Reads a text file in a folder that the settings allow.

        Args:
            path: path of the file.
            first_line: the line to begin with, from 1.
        """
        file = await asyncio.to_thread(folders.read, path)
        lines = file.text.splitlines()
        if not lines:
            return "The file is empty."
        if not 1 <= first_line <= len(lines):
            raise ToolError("tool_reason.no_such_line", count=len(lines))
        shown = _fitting(lines[first_line - 1 : first_line - 1 + _MOST_LINES])
        last = first_line + len(shown) - 1
        more = last < len(lines) or file.cut
        note = f"\n(Lines {first_line} to {last}; read on with first_line = {last + 1}.)" if more else ""
        return "\n".join(shown) + note

    def scope(arguments: Mapping[str, Any]) -> GrantScope:
        path = str(arguments.get("path", ""))
        return GrantScope(
            kind=FOLDER, name=folders.folder_of(path or str(arguments.get("folder") or ""), of_file=bool(path))
        )

    return (
        tool_of(
            list_files,
            category=Category.SENSITIVE,
            idempotent=True,
            search_words=("파일", "폴더", "문서", "목록", "directory", "document"),
            untrusted=True,
            reads_private=True,
            scope=scope,
            available=lambda: bool(folders.roots),
        ),
        tool_of(
            read_file,
            category=Category.SENSITIVE,
            idempotent=True,
            search_words=("파일", "문서", "읽", "내용", "document", "content"),
            untrusted=True,
            reads_private=True,
            scope=scope,
            available=lambda: bool(folders.roots),
        ),
    )


def _fitting(lines: list[str]) -> list[str]:
    """The first lines that fit in a result; at least one, cut if necessary."""
    shown: list[str] = []
    size = 0
    for line in lines:
        size += len(line) + 1
        if size > _MOST_CHARS and shown:
            break
        shown.append(line[:_MOST_CHARS])
    return shown
