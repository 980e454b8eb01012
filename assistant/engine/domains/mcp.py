"""The domain of MCP servers: which there are, restarting them, and approving what they may do."""

import asyncio
import hashlib

from assistant.core.errors import ErrorCode, SoriError
from assistant.core.records.mcp import ConfiguredMcpServer, McpApproval, McpListing, McpPermission
from assistant.core.service.requests import mcp as rq
from assistant.engine.approving.rows import permission_of, what_of
from assistant.engine.approving.servers import ApprovalScope, Servers
from assistant.engine.serving.table import Asker, Handlers
from assistant.tools.mcp.running.servers import McpServers


class Mcp:
    """Owns the requests for MCP servers.

    Args:
        running: the servers that run.
        configured: the servers of ``mcp.json`` and what was approved.
    """

    def __init__(self, running: McpServers, configured: Servers) -> None:
        self._running, self._configured = running, configured

    def handlers(self) -> Handlers:
        """The requests of this domain."""
        return {
            rq.ListMcpServers: self.list,
            rq.RestartMcpServer: self.restart,
            rq.ShowMcpApproval: self.show,
            rq.ApproveMcpServer: self.approve,
        }

    async def list(self, _request: rq.ListMcpServers, _: Asker) -> McpListing:
        """List what is configured, and what runs."""
        configured = await asyncio.to_thread(self._listed)
        return McpListing(path=str(self._configured.file.path), configured=configured, states=self._running.states)

    async def restart(self, request: rq.RestartMcpServer, _: Asker) -> None:
        """Start a server again."""
        if not await self._running.restart(request.server):
            raise SoriError(
                ErrorCode.INVALID_REQUEST,
                f"no server is named {request.server!r}",
                message_key="mcp_not_running",
                values={"name": request.server},
            )

    async def show(self, request: rq.ShowMcpApproval, _: Asker) -> McpApproval:
        """Show what an approval would cover."""
        return (await asyncio.to_thread(self._offer, request.server))[1]

    async def approve(self, request: rq.ApproveMcpServer, _: Asker) -> None:
        """Approve what was shown, if it is still the same."""
        offer, shown = await asyncio.to_thread(self._offer, request.server)
        if shown.digest != request.digest:
            raise SoriError(
                ErrorCode.INVALID_REQUEST,
                f"{request.server!r} is not what was shown",
                message_key="mcp_changed",
                values={"name": request.server},
            )
        await asyncio.to_thread(self._configured.approve, offer)

    def _listed(self) -> tuple[ConfiguredMcpServer, ...]:
        approvals = self._configured.approvals
        return tuple(
            ConfiguredMcpServer(name=each.name, permission=permission_of(each, approvals), what=what_of(each))
            for each in self._configured.file.read().entries
        )

    def _offer(self, name: str) -> tuple[ApprovalScope, McpApproval]:
        servers = self._configured
        entry = servers.find(name)
        offer = servers.offer(entry)
        given = permission_of(entry, servers.approvals) is McpPermission.APPROVED and not offer.waiting
        digest = hashlib.sha256(repr(offer).encode()).hexdigest()
        return offer, McpApproval(server=name, lines=tuple(servers.shown(offer)), digest=digest, given=given)
