"""Requests for MCP servers."""

from dataclasses import dataclass
from typing import Any, ClassVar

from assistant.core.records.mcp import McpApproval, McpListing
from assistant.core.service.request import Request, Right


@dataclass(frozen=True, slots=True, kw_only=True)
class ListMcpServers(Request[McpListing]):
    """List the configured MCP servers, by name, and the states of those that run."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RestartMcpServer(Request[None]):
    """Start this MCP server again at once."""

    right: ClassVar[Right] = Right.MANAGE
    server: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ShowMcpApproval(Request[McpApproval]):
    """Show what an approval of this MCP server would cover now."""

    right: ClassVar[Right] = Right.OWN
    server: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ApproveMcpServer(Request[None]):
    """Approve an MCP server exactly as it was shown. It is refused if it has changed since.

    Attributes:
        server: its name.
        digest: ``McpApproval.digest`` of what was shown.
    """

    right: ClassVar[Right] = Right.OWN
    server: str
    digest: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PutMcpServer(Request[None]):
    """Add an MCP server to ``mcp.json``, or replace the one of this name. It is not used before it is approved.

    Attributes:
        server: its name.
        entry: its entry, in the form of the file.
    """

    right: ClassVar[Right] = Right.OWN
    server: str
    entry: dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class RemoveMcpServer(Request[bool]):
    """Remove an MCP server and what was approved of it; the result tells whether the file had it."""

    right: ClassVar[Right] = Right.OWN
    server: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RevokeMcpServer(Request[bool]):
    """Forget what was approved of an MCP server; the result tells whether there was anything."""

    right: ClassVar[Right] = Right.OWN
    server: str
