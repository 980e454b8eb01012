"""Makes what a server says of a tool one of Sori's tools. Pure, and without the SDK."""

from collections.abc import Awaitable, Callable, Collection, Mapping
from typing import Any

from assistant.core.permissions import Category
from assistant.llm.reply.argument_check import check_schema
from assistant.tools.calling import RunningCall
from assistant.tools.grants import SERVER, GrantScope
from assistant.tools.mcp.entries import ServerEntry
from assistant.tools.mcp.names import name_of
from assistant.tools.mcp.showing import in_one_line
from assistant.tools.tool import Tool, ToolOutput

LONGEST_DESCRIPTION = 1024
"""Characters of a description that a model is told."""
_BEYOND_S = 5.0
"""Seconds after which a call ends whose server's limit did not end it."""

CallTool = Callable[[str, dict[str, Any], RunningCall], Awaitable[ToolOutput]]
"""Calls a tool of the server by the server's own name for it, for the call that it serves."""


def offered(
    entry: ServerEntry, said: Mapping[str, Any], taken: Collection[str], call: CallTool, *, arriving: bool = False
) -> Tool:
    """Sori's tool for a tool of a server.

    The server may say anything about itself, so its hints change nothing: the user's entry gives the category, and its
    results are content from outside.

    Args:
        entry: the server's entry.
        said: what the server says of the tool, with the keys of the protocol.
        taken: names that other tools have already.
        call: calls it.
        arriving: whether the server is not ready yet.

    Raises:
        ValueError: its schema is not valid.
    """
    name = str(said["name"])
    parameters = {"type": "object", **_without_patterns(said.get("inputSchema") or {})}
    check_schema(parameters)

    async def run(arguments: dict[str, Any], running: RunningCall) -> ToolOutput:
        return await call(name, arguments, running)

    return Tool(
        name=name_of(entry.name, name, taken),
        description=description_of(entry.name, said),
        parameters=parameters,
        category=entry.tools.get(name, entry.category),
        idempotent=False,
        run=run,
        untrusted=True,
        foreign=True,
        reads_private=True,
        # A tool of a program on this computer that the user has called safe reads here, and need not ask.
        outbound=bool(entry.url) or entry.tools.get(name) is not Category.SAFE,
        arriving=arriving,
        server=entry.name,
        scope=lambda _: GrantScope(kind=SERVER, name=entry.name),
        timeout_s=entry.timeout_s + _BEYOND_S,
    )


def description_of(server: str, said: Mapping[str, Any]) -> str:
    """The description for a model: the server's words on one line, of limited length, after the server's name."""
    told = str(said.get("description") or said.get("title") or said["name"])
    whole = f"[{server}] {in_one_line(' '.join(told.split()))}"
    return whole if len(whole) <= LONGEST_DESCRIPTION else f"{whole[: LONGEST_DESCRIPTION - 1]}…"


def _without_patterns(schema: Any) -> Any:
    """A schema without regular expressions: a server's expression could take minutes to check an argument."""
    if isinstance(schema, dict):
        # A property may have such a name; its schema is an object and no text.
        kept = {
            key: each
            for key, each in schema.items()
            if not (key == "pattern" and isinstance(each, str)) and key != "patternProperties"
        }
        return {key: _without_patterns(each) for key, each in kept.items()}
    return [_without_patterns(each) for each in schema] if isinstance(schema, list) else schema
