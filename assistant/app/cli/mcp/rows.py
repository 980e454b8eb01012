"""MCP servers as rows of a table."""

from collections.abc import Iterable

from assistant.core.texts import Texts
from assistant.tools.mcp.approvals import Approvals
from assistant.tools.mcp.entries import ServerEntry
from assistant.tools.mcp.showing import command_line, shown_url


def server_rows(entries: Iterable[ServerEntry], approvals: Approvals, texts: Texts) -> list[list[str]]:
    """A heading, then the name of each server, whether it is used, and what it starts or reaches."""
    rows = [[texts(f"mcp.column.{column}") for column in ("name", "state", "what")]]
    for each in entries:
        what = shown_url(each.url) if each.url else command_line(each)
        rows.append([each.name, server_state(each, approvals, texts), what])
    return rows


def server_state(entry: ServerEntry, approvals: Approvals, texts: Texts) -> str:
    """Words for whether a server is used."""
    if not entry.enabled:
        return texts("mcp.state.disabled")
    if approvals.approved(entry):
        return texts("mcp.state.approved")
    return texts("mcp.state.changed" if approvals.outdated(entry) else "mcp.state.unapproved")
