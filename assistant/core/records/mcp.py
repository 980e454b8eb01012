"""The state of the MCP servers, as the user sees it."""

from dataclasses import dataclass
from enum import StrEnum

from assistant.core.permissions import Category

SERVER_ENDED = "it has ended"
"""``McpServerState.reason`` of a server whose process has ended."""
SENT_TOO_MUCH = "it sent"
"""Beginning of ``McpServerState.reason`` of a server that sent more than is read."""


class McpStatus(StrEnum):
    """What a server does."""

    OFF = "off"
    """The user has turned it off."""
    UNAPPROVED = "unapproved"
    """Its command or address waits for approval."""
    STARTING = "starting"
    READY = "ready"
    FAILED = "failed"
    """It failed and is started again soon."""
    STOPPED = "stopped"
    """It failed too often. It is started again when the user asks for it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class McpServerState:
    """The state of one server.

    Attributes:
        name: its name.
        status: what it does.
        tools: how many tools it brings at present.
        waiting: names of its tools that wait for approval.
        reason: why it failed; empty otherwise.
        left_out: names of its tools that cannot be used.
    """

    name: str
    status: McpStatus
    tools: int = 0
    waiting: tuple[str, ...] = ()
    reason: str = ""
    left_out: tuple[str, ...] = ()


class McpPermission(StrEnum):
    """Whether a configured server may be used."""

    DISABLED = "disabled"
    APPROVED = "approved"
    CHANGED = "changed"
    """It was approved, and its command or address is another one now."""
    UNAPPROVED = "unapproved"


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfiguredMcpServer:
    """A server as the configuration names it.

    Attributes:
        name: its name.
        permission: whether it may be used.
        what: the command that it starts, or its address, in a form in which nothing hides.
        category: what its tools can affect, as the user decided.
        tools: its approved tools, by their names at the server, each with its category.
    """

    name: str
    permission: McpPermission
    what: str
    category: Category = Category.SENSITIVE
    tools: tuple[tuple[str, Category], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class McpListing:
    """The MCP servers.

    Attributes:
        path: the file that names them.
        configured: the servers in the file.
        states: the states of the servers that the engine knows.
        problems: what of the files cannot be used as it is, in the user's words, with its line.
    """

    path: str
    configured: tuple[ConfiguredMcpServer, ...]
    states: tuple[McpServerState, ...]
    problems: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class McpApproval:
    """What an approval of a server covers.

    Attributes:
        server: its name.
        lines: all that it covers, in the user's words: command or address, and tools that wait.
        digest: names exactly this approval.
        given: whether the server is approved already, with all its tools.
    """

    server: str
    lines: tuple[str, ...]
    digest: str
    given: bool
