"""The domain of MCP servers: which there are, restarting them, and approving what they may do."""

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

from assistant.core.errors import ErrorCode, SettingsError, SoriError
from assistant.core.records.mcp import ConfiguredMcpServer, McpApproval, McpListing, McpPermission
from assistant.core.service.requests import mcp as rq
from assistant.engine.approving.rows import permission_of, what_of
from assistant.engine.approving.servers import Servers
from assistant.engine.serving.table import Domain, serves
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
    """

    def __init__(self, running: "McpServers", configured: Servers) -> None:
        self._running, self._configured = running, configured

    @serves()
    async def _list_mcp_servers(self, _: rq.ListMcpServers) -> McpListing:
        configured = await asyncio.to_thread(self._listed)
        return McpListing(path=str(self._configured.file.path), configured=configured, states=self._running.states)

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
            ConfiguredMcpServer(name=each.name, permission=permission_of(each, approvals), what=what_of(each))
            for each in self._configured.file.read().entries
        )


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
