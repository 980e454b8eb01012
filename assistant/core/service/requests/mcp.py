"""Requests for MCP servers."""

from typing import Any

from assistant.core.records.mcp import McpApproval, McpListing
from assistant.core.service.request import Request, Right


class ListMcpServers(Request[McpListing]):
    """List the configured MCP servers, by name, and the states of those that run."""


class RestartMcpServer(Request[None], right=Right.MANAGE):
    """Start this MCP server again at once."""

    server: str


class ShowMcpApproval(Request[McpApproval], right=Right.OWN):
    """Show what an approval of this MCP server would cover now."""

    server: str


class ApproveMcpServer(Request[None], right=Right.OWN):
    """Approve an MCP server exactly as it was shown. It is refused if it has changed since.

    Attributes:
        server: its name.
        digest: ``McpApproval.digest`` of what was shown.
    """

    server: str
    digest: str


class PutMcpServer(Request[None], right=Right.OWN):
    """Add an MCP server to ``mcp.json``, or replace the one of this name. It is not used before it is approved.

    Attributes:
        server: its name.
        entry: its entry, in the form of the file.
    """

    server: str
    entry: dict[str, Any]


class RemoveMcpServer(Request[bool], right=Right.OWN):
    """Remove an MCP server and what was approved of it; the result tells whether the file had it."""

    server: str


class RevokeMcpServer(Request[bool], right=Right.OWN):
    """Forget what was approved of an MCP server; the result tells whether there was anything."""

    server: str
