"""Changes of MCP servers: by the engine that runs, or in the process of the command."""

from typing import TYPE_CHECKING, TypeVar

from assistant.app.cli.asking import carry_out
from assistant.core.service.request import Request
from assistant.core.service.requests.mcp import ApproveMcpServer, PutMcpServer, RemoveMcpServer, RevokeMcpServer
from assistant.engine.approving.servers import ApprovalScope, Servers
from assistant.host.places import Places
from assistant.tools.mcp.entries import ServerEntry
from assistant.tools.mcp.mcp_json import written

if TYPE_CHECKING:
    from assistant.engine.serving.hub import Hub
    from assistant.engine.serving.table import Domain

R = TypeVar("R")


class McpChanges:
    """Changes ``mcp.json`` and the approvals.

    Args:
        places: the user's files.
        servers: the servers, as the command shows them.
    """

    def __init__(self, places: Places, servers: Servers) -> None:
        self._places, self._servers = places, servers

    def put(self, entry: ServerEntry) -> None:
        """Add or replace a server.

        Raises:
            RefusedError: the engine that runs says so.
            SoriError: the present file is damaged.
            StorageError: the file cannot be written.
        """
        self._ask(PutMcpServer(server=entry.name, entry=written(entry)))

    def remove(self, name: str) -> bool:
        """Remove a server and its approval; returns whether there was one. Errors are those of ``put``."""
        return self._ask(RemoveMcpServer(server=name))

    def revoke(self, name: str) -> bool:
        """Forget an approval; returns whether there was one. Errors are those of ``put``."""
        return self._ask(RevokeMcpServer(server=name))

    def approve(self, offer: ApprovalScope) -> None:
        """Approve what was shown, if it is still the same. Errors are those of ``put``."""
        self._ask(ApproveMcpServer(server=offer.entry.name, digest=offer.digest))

    def _ask(self, request: Request[R]) -> R:
        return carry_out(self._places, self._servers.texts, self._own, request)

    def _own(self, _: "Hub") -> "Domain":
        from assistant.engine.domains.mcp import McpApprovals

        return McpApprovals(self._servers)
