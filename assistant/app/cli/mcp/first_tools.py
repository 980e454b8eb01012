"""Starts one server for a moment, so that the user reads what it says of its tools before any model is told."""

import asyncio
import os
from pathlib import Path

from typing_extensions import override

from assistant.core.texts import Texts
from assistant.host.places import Places
from assistant.tools.mcp.approvals import Approvals
from assistant.tools.mcp.entries import ServerEntry
from assistant.tools.mcp.known_tools import KnownTools
from assistant.tools.mcp.mcp_json import Configuration, McpFile
from assistant.tools.mcp.running.servers import McpServers
from assistant.tools.tool import ToolError

_START_S = 90.0
"""Longest wait, in seconds: the first start may fetch the server's package."""


class _OneEntry(McpFile):
    """A file with a single server."""

    def __init__(self, path: Path, entry: ServerEntry) -> None:
        super().__init__(path)
        self._entry = entry

    @override
    def read(self) -> Configuration:
        return Configuration(entries=(self._entry,))


async def learn_tools(places: Places, entry: ServerEntry, texts: Texts) -> str:
    """Start an approved server, and keep what it says of its tools until the user approves them.

    Returns:
        Why the server is not ready; empty if it was.
    """

    def open_nothing(_url: str) -> None:
        raise ToolError("tool_reason.not_approved")

    servers = McpServers(
        _OneEntry(places.mcp_servers, entry),
        Approvals(places.mcp_approvals),
        KnownTools(places.mcp_tools),
        environment=os.environ,
        ledger=None,
        logs=places.logs,
        texts=texts,
        on_states=lambda _: None,
        open_page=open_nothing,
    )
    try:
        failed = await servers.start_and_wait(_START_S)
        await asyncio.sleep(0)
        return failed[0].reason or failed[0].status.value if failed else ""
    finally:
        await servers.close()
