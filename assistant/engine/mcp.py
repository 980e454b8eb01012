"""Makes the MCP servers of the engine, and tells the user what they need."""

import os
from collections.abc import Callable
from pathlib import Path

from assistant.core import updates as up
from assistant.core.records.egress import EgressLedger
from assistant.core.records.mcp import McpServerState, McpStatus
from assistant.core.texts import Texts
from assistant.host.places import Places
from assistant.tools.mcp.approvals import Approvals
from assistant.tools.mcp.known_tools import KnownTools
from assistant.tools.mcp.mcp_json import McpFile
from assistant.tools.mcp.running.asking import OpenPage
from assistant.tools.mcp.running.servers import McpServers

_TOLD = {McpStatus.UNAPPROVED: "notice.mcp_unapproved", McpStatus.STOPPED: "notice.mcp_stopped"}


def mcp_servers(
    home: Path, *, ledger: EgressLedger, texts: Texts, publish: Callable[[up.Update], None], open_page: OpenPage
) -> McpServers:
    """The MCP servers of a home; none is started yet."""
    places = Places(home)
    return McpServers(
        McpFile(places.mcp_servers),
        Approvals(places.mcp_approvals),
        KnownTools(places.mcp_tools),
        environment=os.environ,
        ledger=ledger,
        logs=places.logs,
        texts=texts,
        on_states=Teller(publish).take,
        open_page=open_page,
    )


class Teller:
    """Tells of servers that wait for the user, each once per reason.

    Args:
        publish: takes the notices.
    """

    def __init__(self, publish: Callable[[up.Update], None]) -> None:
        self._publish = publish
        self._told: set[tuple[str, str]] = set()

    def take(self, states: tuple[McpServerState, ...]) -> None:
        """Take the states of all servers."""
        due = {(state.name, key): state for state in states for key in _keys(state)}
        for (name, key), state in due.items():
            if (name, key) not in self._told:
                values = {"name": name, "reason": state.reason, "tools": ", ".join(state.waiting)}
                self._publish(up.NoticePosted(key=key, severity=up.Severity.WARNING, values=values, about=_about(name)))
        for name in sorted({name for name, _ in self._told} - {name for name, _ in due}):
            self._publish(up.NoticePosted(key="notice.mcp_goes_on", values={"name": name}, about=_about(name)))
        self._told = set(due)


def _about(name: str) -> str:
    return f"MCP server {name}"


def _keys(state: McpServerState) -> list[str]:
    keys = [_TOLD[state.status]] if state.status in _TOLD else []
    return [*keys, "notice.mcp_tools_changed"] if state.waiting else keys
