"""The domain of MCP servers: which there are, restarting them, and approving what they may do."""

import asyncio
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from assistant.core.errors import ErrorCode, SettingsError, SoriError
from assistant.core.records.mcp import ConfiguredMcpServer, McpApproval, McpListing, McpPermission
from assistant.core.service.requests import mcp as rq
from assistant.engine.approving.rows import permission_of, what_of
from assistant.engine.approving.servers import Servers
from assistant.engine.serving.table import Domain, serves
from assistant.tools.mcp.entries import ServerEntry
from assistant.tools.mcp.log_file import end_of_log
from assistant.tools.mcp.mcp_json import EntryError, entry_of

if TYPE_CHECKING:
    from assistant.tools.mcp.running.servers import McpServers

T = TypeVar("T")

_LANE = "mcp"


class Mcp(Domain):
    """Owns the requests for MCP servers that need those that run.

    Args:
        running: the servers that run.
        configured: the servers of ``mcp.json`` and what was approved.
        logs: the folder of the servers' log files.
    """

    def __init__(self, running: "McpServers", configured: Servers, logs: Path) -> None:
        self._running, self._configured, self._logs = running, configured, logs

    @serves()
    async def _list_mcp_servers(self, _: rq.ListMcpServers) -> McpListing:
        configured, problems = await asyncio.to_thread(lambda: (self._listed(), self._problems()))
        path, states = str(self._configured.file.path), self._running.states
        return McpListing(path=path, configured=configured, states=states, problems=problems)

    @serves()
    async def _read_mcp_log(self, request: rq.ReadMcpLog) -> str:
        return await asyncio.to_thread(end_of_log, self._logs, self._configured.find(request.server).name)

    @serves()
    async def _restart_mcp_server(self, request: rq.RestartMcpServer) -> None:
        if not await self._running.restart(request.server):
            raise SoriError(
                ErrorCode.INVALID_REQUEST,
                f"no server is named {request.server!r}",
                message_key="mcp_not_running",
                values={"name": request.server},
            )

    def _listed(self) -> tuple[ConfiguredMcpServer, ...]:
        approvals = self._configured.approvals
        return tuple(
            ConfiguredMcpServer(
                name=each.name,
                permission=permission_of(each, approvals),
                what=what_of(each),
                category=each.category,
                tools=tuple((tool, each.tools.get(tool, each.category)) for tool in approvals.pins(each.name) or ()),
            )
            for each in self._configured.file.read().entries
        )

    def _problems(self) -> tuple[str, ...]:
        servers = self._configured
        troubles = [servers.trouble(servers.file.path, each.error, each.name) for each in servers.file.read().problems]
        if damage := servers.approvals.damage:
            troubles.append(servers.texts("mcp.approvals_damaged", reason=damage))
        return tuple(troubles)


class McpApprovals(Domain):
    """Owns the requests that change which MCP servers there are, and what was approved of them.

    Args:
        servers: the servers of ``mcp.json`` and what was approved.
    """

    def __init__(self, servers: Servers) -> None:
        self._servers = servers

    @serves()
    async def _show_mcp_approval(self, request: rq.ShowMcpApproval) -> McpApproval:
        return await asyncio.to_thread(self._approval, request.server)

    @serves(lane=_LANE)
    async def _approve_mcp_server(self, request: rq.ApproveMcpServer) -> None:
        offer = await asyncio.to_thread(lambda: self._servers.offer(self._servers.find(request.server)))
        if offer.digest != request.digest:
            raise SoriError(
                ErrorCode.INVALID_REQUEST,
                f"{request.server!r} is not what was shown",
                message_key="mcp_changed",
                values={"name": request.server},
            )
        await asyncio.to_thread(self._servers.approve, offer)

    @serves(lane=_LANE)
    async def _put_mcp_server(self, request: rq.PutMcpServer) -> None:
        """Add or replace a server.

        Raises:
            SoriError: the entry is not possible, or the present file is damaged.
            StorageError: the file cannot be written.
        """
        try:
            entry = entry_of(request.server, request.entry)
        except EntryError as error:
            raise self._servers.refused(error) from error
        await self._write(lambda: self._servers.file.put(entry))

    @serves(lane=_LANE)
    async def _switch_mcp_server(self, request: rq.SwitchMcpServer) -> None:
        await self._edit(request.server, lambda entry: replace(entry, enabled=request.enabled))

    @serves(lane=_LANE)
    async def _set_mcp_category(self, request: rq.SetMcpCategory) -> None:
        def with_category(entry: ServerEntry) -> ServerEntry:
            if request.tool:
                return replace(entry, tools={**entry.tools, request.tool: request.category})
            return replace(entry, category=request.category)

        await self._edit(request.server, with_category)

    async def _edit(self, server: str, change: Callable[[ServerEntry], ServerEntry]) -> None:
        """Change the entry of a server.

        Raises:
            SoriError: there is no such server, or the present file is damaged.
            StorageError: the file cannot be written.
        """
        entry = await asyncio.to_thread(self._servers.find, server)
        changed = change(entry)
        if changed != entry:
            await self._write(lambda: self._servers.file.put(changed))

    @serves(lane=_LANE)
    async def _remove_mcp_server(self, request: rq.RemoveMcpServer) -> bool:
        found = await self._write(lambda: self._servers.file.remove(request.server))
        await asyncio.to_thread(self._servers.approvals.revoke, request.server)
        return found

    @serves(lane=_LANE)
    async def _revoke_mcp_server(self, request: rq.RevokeMcpServer) -> bool:
        return await asyncio.to_thread(self._servers.approvals.revoke, request.server)

    async def _write(self, change: Callable[[], T]) -> T:
        try:
            return await asyncio.to_thread(change)
        except SettingsError as error:  # The file is damaged, so that writing it would lose something.
            values = {"problem": self._servers.trouble(self._servers.file.path, error)}
            raise SoriError(ErrorCode.INVALID_REQUEST, error.detail, message_key="mcp_entry", values=values) from error

    def _approval(self, name: str) -> McpApproval:
        servers = self._servers
        entry = servers.find(name)
        offer = servers.offer(entry)
        given = permission_of(entry, servers.approvals) is McpPermission.APPROVED and not offer.waiting
        return McpApproval(server=name, lines=tuple(servers.shown(offer)), digest=offer.digest, given=given)
