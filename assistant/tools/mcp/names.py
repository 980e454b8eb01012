"""Names of the tools of MCP servers. Pure, and without the SDK, which is imported with the first server."""

import hashlib
import re
from collections.abc import Collection

LONGEST_NAME = 64
"""Characters of a tool's name that every API accepts."""
_DIGITS = 6


def name_of(server: str, tool: str, taken: Collection[str]) -> str:
    """A name of the characters ``[a-z0-9_]`` that says whose tool it is, and that no other tool has."""
    name = f"mcp_{_plain(server)}_{_plain(tool)}"
    short = name[: LONGEST_NAME - _DIGITS - 1].rstrip("_")
    attempt = 0
    while len(name) > LONGEST_NAME or name in taken:
        digits = hashlib.sha256(f"{server}\0{tool}\0{attempt}".encode()).hexdigest()[:_DIGITS]
        name, attempt = f"{short}_{digits}", attempt + 1
    return name


def is_of(tool: str, server: str) -> bool:
    """Whether a tool of this name may be one of the server's."""
    whole = f"mcp_{_plain(server)}_"
    begin = whole[: LONGEST_NAME - _DIGITS - 1]
    return tool.startswith(whole if begin == whole else begin.rstrip("_"))


def _plain(text: str) -> str:
    """The text in the characters of tool names; digits of its hash where nothing is left, as of a Korean name."""
    plain = re.sub(r"[^a-z0-9]+", "_", text.lower()).strip("_")
    return plain or hashlib.sha256(text.encode()).hexdigest()[:_DIGITS]
