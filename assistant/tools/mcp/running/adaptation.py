"""Makes a server's tool one of Sori's, and its results readable. Pure but for the call itself."""

import base64
import binascii
import json
from collections.abc import Collection
from typing import Any

import mcp_types as types

from assistant.llm.backend import ModelAttachment
from assistant.tools.mcp.entries import ServerEntry
from assistant.tools.mcp.offering import CallTool, description_of, offered
from assistant.tools.tool import Tool, ToolError, ToolOutput

LONGEST_TEXT = 40_000
"""Characters of a result that are used."""
_MOST_FILE_SIZE = 8 * 1024 * 1024
"""Characters of base64 of all files of a result."""


def adapted(entry: ServerEntry, tool: types.Tool, taken: Collection[str], call: CallTool) -> Tool:
    """Sori's tool for a tool of a server that runs; see ``offered``."""
    return offered(entry, _words_of(tool), taken, call)


def described(server: str, tool: types.Tool) -> str:
    """The description for a model; see ``description_of``."""
    return description_of(server, _words_of(tool))


def _words_of(tool: types.Tool) -> dict[str, Any]:
    words = {"title": tool.title, "description": tool.description}
    return {"name": tool.name, "inputSchema": tool.input_schema, **words}


def only_reads(tool: types.Tool) -> bool:
    """Whether the server says that a tool changes nothing and reaches nothing else."""
    hints = tool.annotations
    return hints is not None and hints.read_only_hint is True and hints.open_world_hint is not True


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
        raise ToolError("tool_reason.foreign", words=text or "?")
    return ToolOutput(text=text or "Done, without a result.", attachments=tuple(files))


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
