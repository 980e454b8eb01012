"""The servers that the user configured, as data. Pure."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from assistant.core.permissions import Category

CALL_TIMEOUT_S = 60.0
"""Seconds that one call may take, unless the entry says otherwise."""
LONGEST_TIMEOUT_S = 3600.0
"""Most seconds that an entry may allow."""


class Transport(StrEnum):
    """How Sori talks to a server."""

    STDIO = "stdio"
    """Sori starts the server as a process."""
    HTTP = "http"
    """Sori sends requests to an address (streamable HTTP)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerEntry:
    """One server of ``mcp.json``. Exactly one of ``command`` and ``url`` is set.

    References to the user's environment, such as ``${TOKEN}``, are unexpanded.

    Attributes:
        name: its name in the file.
        command: the program that Sori starts.
        arguments: the program's arguments.
        environment: variables that the program gets beside the few that every server gets.
        folder: the folder in which the program starts; empty for the user's home.
        url: the address of a server that is already running.
        headers: headers of each request to the address.
        enabled: whether the server is used.
        timeout_s: seconds that one call may take.
        category: what its tools can affect. The user decides this, because a server may say anything of itself.
        tools: the categories of single tools, by the server's names for them, where the user decided otherwise.
    """

    name: str
    command: str = ""
    arguments: tuple[str, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict, hash=False)
    folder: str = ""
    url: str = ""
    headers: Mapping[str, str] = field(default_factory=dict, hash=False)
    enabled: bool = True
    timeout_s: float = CALL_TIMEOUT_S
    category: Category = Category.SENSITIVE
    tools: Mapping[str, Category] = field(default_factory=dict, hash=False)

    @property
    def transport(self) -> Transport:
        """How Sori talks to the server."""
        return Transport.HTTP if self.url else Transport.STDIO

    @property
    def fingerprint(self) -> str:
        """SHA-256 of all that decides what is started or reached, as hexadecimal digits."""
        decisive = {
            "command": self.command,
            "arguments": list(self.arguments),
            "environment": dict(self.environment),
            "folder": self.folder,
            "url": self.url,
            "headers": dict(self.headers),
        }
        return hashlib.sha256(json.dumps(decisive, sort_keys=True).encode()).hexdigest()
