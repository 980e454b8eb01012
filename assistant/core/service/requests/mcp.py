"""Requests for MCP servers."""

from typing import Any

from assistant.core.permissions import Category
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


class SwitchMcpServer(Request[None], right=Right.OWN):
    """Use an MCP server, or use it no longer and keep its entry and approval. Switching on approves nothing."""

    server: str
    enabled: bool


class SetMcpCategory(Request[None], right=Right.OWN):
    """Decide what the tools of an MCP server can affect, and so whether they ask.

    Attributes:
        server: its name.
        category: the category.
        tool: one of its tools, by its name at the server; empty for all that have no category of their own.
    """

    server: str
    category: Category
    tool: str = ""


class ReadMcpLog(Request[str], right=Right.OWN):
    """Read the end of what an MCP server has written to its log; empty if it has written nothing."""

    server: str


class RemoveMcpServer(Request[bool], right=Right.OWN):
    """Remove an MCP server and what was approved of it; the result tells whether the file had it."""

    server: str


class RevokeMcpServer(Request[bool], right=Right.OWN):
    """Forget what was approved of an MCP server; the result tells whether there was anything."""

    server: str
