"""MCP servers as rows of a table."""

from collections.abc import Iterable

from assistant.core.records.mcp import McpPermission
from assistant.core.texts import Texts
from assistant.tools.mcp.approvals import Approvals
from assistant.tools.mcp.entries import ServerEntry
from assistant.tools.mcp.showing import command_line, shown_url


def server_rows(entries: Iterable[ServerEntry], approvals: Approvals, texts: Texts) -> list[list[str]]:
    """A heading, then the name of each server, whether it is used, and what it starts or reaches."""
    rows = [[texts(f"mcp.column.{column}") for column in ("name", "state", "what")]]
    return [*rows, *([each.name, server_state(each, approvals, texts), what_of(each)] for each in entries)]


def what_of(entry: ServerEntry) -> str:
    """What a server starts or reaches."""
    return shown_url(entry.url) if entry.url else command_line(entry)


def server_state(entry: ServerEntry, approvals: Approvals, texts: Texts) -> str:
    """Words for whether a server is used."""
    return texts(f"mcp.state.{permission_of(entry, approvals)}")


def permission_of(entry: ServerEntry, approvals: Approvals) -> McpPermission:
    """Whether a server may be used."""
    if not entry.enabled:
        return McpPermission.DISABLED
    if approvals.approved(entry):
        return McpPermission.APPROVED
    return McpPermission.CHANGED if approvals.outdated(entry) else McpPermission.UNAPPROVED
