"""The state of the MCP servers, as the user sees it."""

from dataclasses import dataclass
from enum import StrEnum


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
