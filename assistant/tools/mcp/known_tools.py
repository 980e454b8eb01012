"""What servers said of their tools at their last start. So the tools are offered while a server starts."""

import json
import logging
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NoReturn

from assistant.core.errors import StorageError
from assistant.storage.atomic import write_text
from assistant.storage.kept_object import read_object
from assistant.tools.calling import RunningCall
from assistant.tools.mcp.approvals import Approvals, tool_hash
from assistant.tools.mcp.entries import ServerEntry
from assistant.tools.mcp.offering import offered
from assistant.tools.tool import NotRunError, Tool

_LARGEST = 1_000_000
"""Characters of a server's tools that are kept. The tools of a server that says more come when it is ready."""

log = logging.getLogger(__name__)


class KnownTools:
    """Keeps the tools of servers in a file of Sori's folder.

    Nothing in the file is trusted: a tool is offered only if it has the hash that the user's approval has pinned.

    Args:
        path: the file; it may be missing.
    """

    def __init__(self, path: Path) -> None:
        self._path = path

    def arriving(self, entries: Iterable[ServerEntry], approvals: Approvals) -> dict[str, tuple[Tool, ...]]:
        """The tools that these approved servers are expected to have, by the server's name. Waits for the disk."""
        known = read_object(self._path)
        found = {each.name: tuple(_tools(each, known.get(each.name), approvals)) for each in entries if known}
        return {name: tools for name, tools in found.items() if tools}

    def keep(self, server: str, said: Sequence[Mapping[str, Any]]) -> None:
        """Keep what a server that is ready says of the tools that it offers. Waits for the disk."""
        known = read_object(self._path)
        kept = list(said) if len(json.dumps(said)) <= _LARGEST else []
        if known.get(server) == kept:
            return
        try:
            write_text(self._path, json.dumps({**known, server: kept}, ensure_ascii=False))
        except StorageError as error:
            # At the next start the tools come when the server is ready.
            log.warning("the tools of the MCP server %s are not kept: %s", server, error)


def _tools(entry: ServerEntry, said: object, approvals: Approvals) -> Iterable[Tool]:
    async def not_ready(tool: str, _arguments: dict[str, Any], _call: RunningCall) -> NoReturn:
        raise NotRunError("tools.server_not_ready", server=entry.name, name=tool)

    pins, taken = approvals.pins(entry.name) or {}, set[str]()
    for each in said if isinstance(said, list) else []:
        name = each.get("name") if isinstance(each, dict) else None
        if not isinstance(name, str) or pins.get(name) != tool_hash(each):
            continue
        try:
            tool = offered(entry, each, taken, not_ready, arriving=True)
        except ValueError as error:
            log.warning("the tool %s of the MCP server %s cannot be used: %s", name, entry.name, error)
        else:
            taken.add(tool.name)
            yield tool
