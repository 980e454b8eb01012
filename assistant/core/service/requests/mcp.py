"""Requests for MCP servers."""

from dataclasses import dataclass
from typing import ClassVar

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
