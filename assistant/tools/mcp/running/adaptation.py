"""Makes a server's tool one of Sori's, and its results readable. Pure but for the call itself."""

import base64
import binascii
import json
from collections.abc import Awaitable, Callable, Collection
from typing import Any

import mcp_types as types

from assistant.llm.backend import ModelAttachment
from assistant.llm.reply.argument_check import check_schema
from assistant.tools.mcp.entries import ServerEntry
from assistant.tools.mcp.names import name_of
from assistant.tools.mcp.showing import in_one_line
from assistant.tools.tool import Tool, ToolError, ToolOutput

LONGEST_DESCRIPTION = 1024
"""Characters of a description that a model is told."""
LONGEST_TEXT = 40_000
"""Characters of a result that are used."""
_MOST_FILE_SIZE = 8 * 1024 * 1024
"""Characters of base64 of all files of a result."""
_BEYOND_S = 5.0
"""Seconds after which a call ends whose server's limit did not end it."""

Call = Callable[[str, dict[str, Any]], Awaitable[ToolOutput]]
"""Calls a tool of the server by the server's own name for it."""


def adapted(entry: ServerEntry, tool: types.Tool, taken: Collection[str], call: Call) -> Tool:
    """Sori's tool for a tool of a server.

    The server may say anything about itself, so its hints change nothing: the user's entry gives the category, and its
    results are content from outside.

    Args:
        entry: the server's entry.
        tool: what the server says of the tool.
        taken: names that other tools have already.
        call: calls it.

    Raises:
        ValueError: its schema is not valid.
    """
    parameters = {"type": "object", **_without_patterns(tool.input_schema)}
    check_schema(parameters)

    async def run(arguments: dict[str, Any]) -> ToolOutput:
        return await call(tool.name, arguments)

    return Tool(
        name=name_of(entry.name, tool.name, taken),
        description=described(entry.name, tool),
        parameters=parameters,
        category=entry.category,
        idempotent=False,
        run=run,
        untrusted=True,
        outbound=True,
        timeout_s=entry.timeout_s + _BEYOND_S,
    )


def described(server: str, tool: types.Tool) -> str:
    """The description for a model: the server's words on one line, of limited length, after the server's name."""
    words = in_one_line(" ".join((tool.description or tool.title or tool.name).split()))
    whole = f"[{server}] {words}"
    return whole if len(whole) <= LONGEST_DESCRIPTION else f"{whole[: LONGEST_DESCRIPTION - 1]}…"


def said_of(tool: types.Tool) -> dict[str, Any]:
    """All that a server says of a tool, for ``tool_hash``."""
    return tool.model_dump(mode="json", by_alias=True, exclude_none=True, exclude={"meta", "icons"})


def output_of(result: types.CallToolResult) -> ToolOutput:
    """The result as text and files.

    Raises:
        ToolError: the tool failed; the text is the server's.
    """
    texts: list[str] = []
    files: list[ModelAttachment] = []
    for number, block in enumerate(result.content, 1):
        match block:
            case types.TextContent():
                texts.append(block.text)
            case types.ImageContent() | types.AudioContent():
                texts.append(_with_file(block.data, block.mime_type, f"result-{number}", files))
            case types.ResourceLink():
                texts.append(f"{block.title or block.name}: {block.uri}")
            case types.EmbeddedResource(resource=types.TextResourceContents() as resource):
                texts.append(f"{resource.uri}:\n{resource.text}")
            case types.EmbeddedResource(resource=types.BlobResourceContents() as resource):
                kind = resource.mime_type or "application/octet-stream"
                texts.append(_with_file(resource.blob, kind, str(resource.uri), files))
            case _:
                texts.append(f"({block.type})")
    # Servers repeat a structured result as text for clients that do not know it.
    if result.structured_content is not None and not any(
        isinstance(each, types.TextContent) for each in result.content
    ):
        texts.append(json.dumps(result.structured_content, ensure_ascii=False))
    text = "\n".join(filter(None, texts))
    if len(text) > LONGEST_TEXT:
        text = f"{text[:LONGEST_TEXT]}\n(The result is longer.)"
    if result.is_error:
        raise ToolError(text or "The server reports an error without words.")
    return ToolOutput(text=text or "Done, without a result.", attachments=tuple(files))


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


def _with_file(data: str, mime_type: str, name: str, files: list[ModelAttachment]) -> str:
    """Add a file if it can be used; returns what to say of it."""
    try:
        base64.b64decode(data, validate=True)
    except (binascii.Error, ValueError):
        return f"({name}: {mime_type}, damaged)"
    if sum(len(each.data) for each in files) + len(data) > _MOST_FILE_SIZE:
        return f"({name}: {mime_type}, too large)"
    files.append(ModelAttachment(mime_type=mime_type, name=name, data=data))
    return f"({name}: {mime_type})"
