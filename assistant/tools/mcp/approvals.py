"""What the user approved: which commands and addresses, and which descriptions of tools."""

import hashlib
import json
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

from assistant.storage.atomic import alone_with
from assistant.storage.kept_object import damage_of, read_object, write_object
from assistant.tools.mcp.entries import ServerEntry

_OWNER_ONLY = 0o600


@dataclass(frozen=True, slots=True, kw_only=True)
class WaitingTool:
    """A new or changed tool that waits for approval.

    Attributes:
        hash: the hash of all that the server says of it.
        description: its description.
        former: the approved description; empty for a new tool.
        only_reads: whether the server says that it changes nothing. That is a hint, and no proof.
    """

    hash: str
    description: str
    former: str = ""
    only_reads: bool = False


NO_TOOLS: Mapping[str, WaitingTool] = MappingProxyType({})


class ApprovalChangedError(Exception):
    """A server is no longer approved as it was started."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """What the user has approved of one server.

    Attributes:
        approved: whether exactly its command or address is approved.
        waiting: new and changed tools that wait for approval, by name.
    """

    approved: bool
    waiting: Mapping[str, WaitingTool]


def tool_hash(description: Mapping[str, Any]) -> str:
    """SHA-256 of what a server says of a tool: name, description, schemas, annotations.

    Args:
        description: the tool as JSON. The order of its keys does not matter.
    """
    canonical = json.dumps(description, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return hashlib.sha256(canonical.encode()).hexdigest()


class Approvals:
    """The approvals in a file of Sori's folder. A damaged file approves nothing.

    Args:
        path: the file; it may be missing.
    """

    def __init__(self, path: Path) -> None:
        self._path = path

    @property
    def damage(self) -> str:
        """Why the file approves nothing although it exists; empty if it can be used."""
        return damage_of(self._path)

    def approved(self, entry: ServerEntry) -> bool:
        """Whether the user approved exactly this command or address with this environment."""
        return self._server(entry.name).get("fingerprint") == entry.fingerprint

    def outdated(self, entry: ServerEntry) -> bool:
        """Whether the user approved a server of this name, but with another command, address or environment."""
        former = self._server(entry.name).get("fingerprint")
        return former is not None and former != entry.fingerprint

    def approve(self, entry: ServerEntry, shown: Mapping[str, WaitingTool] = NO_TOOLS) -> None:
        """Remember that the user saw the entry as it is, and tools of it that wait, and approved them.

        Another command may bring other tools, so the tools that were approved with the former one are forgotten. A tool
        that has changed since it was shown goes on waiting.

        Args:
            entry: the entry as it was shown.
            shown: the tools as they were shown, by name.

        Raises:
            StorageError: the file cannot be written.
        """
        with alone_with(self._path):
            server = self._server(entry.name) if self.approved(entry) else {}
            waiting = _waiting_in(server)
            seen = {name: each for name, each in waiting.items() if name in shown and shown[name].hash == each.hash}
            if seen:
                left = {name: each for name, each in server.pop("waiting").items() if name not in seen}
                server["tools"] = {**(self.pins(entry.name) or {}), **{name: each.hash for name, each in seen.items()}}
                words = {name: each.description for name, each in seen.items()}
                server["described"] = {**_described_in(server), **words}
                if left:
                    server["waiting"] = left
            self._write(entry.name, {**server, "fingerprint": entry.fingerprint})

    def revoke(self, name: str) -> bool:
        """Forget all approvals of a server; returns whether there were any.

        Raises:
            StorageError: the file cannot be written.
        """
        if not self._server(name):
            return False
        with alone_with(self._path):
            self._write(name, None)
        return True

    def pins(self, name: str) -> Mapping[str, str] | None:
        """The hashes of a server's approved tools by tool name; ``None`` before the first start."""
        return _pins_in(self._server(name))

    def waiting(self, name: str) -> Mapping[str, WaitingTool]:
        """A server's new and changed tools that wait for approval, by tool name."""
        return _waiting_in(self._server(name))

    def standing(self, entries: Iterable[ServerEntry]) -> dict[str, Standing]:
        """What is approved of each server, by its name; the file is read once."""
        known = self._read()
        return {
            each.name: Standing(
                approved=_server_in(known, each.name).get("fingerprint") == each.fingerprint,
                waiting=_waiting_in(_server_in(known, each.name)),
            )
            for each in entries
        }

    def await_tools(
        self, entry: ServerEntry, tools: Mapping[str, tuple[str, str]], only_reading: Collection[str] = ()
    ) -> frozenset[str]:
        """Keep the new and changed tools of a server until the user approves them; replaces the former ones.

        The approvals are read and written under one lock. The user may approve at the same instant, and a tool that was
        compared before that would wait for ever.

        Args:
            entry: the server as it was started.
            tools: hash and description of each tool that it has. The descriptions of those that are as they were
                approved are kept as well, to be shown beside later ones.
            only_reading: the names of tools that change nothing, as the server says.

        Returns:
            The names of the tools that wait; before the first approval all of them.

        Raises:
            ApprovalChangedError: the user has approved another command or address meanwhile, or none.
            StorageError: the file cannot be written.
        """
        with alone_with(self._path):
            known = self._approved(entry)
            pins = _pins_in(known) or {}
            waiting = {
                tool: {"hash": hashed, "description": words, "only_reads": tool in only_reading}
                for tool, (hashed, words) in tools.items()
                if pins.get(tool) != hashed
            }
            server = {key: value for key, value in known.items() if key != "waiting"}
            approved = {tool: words for tool, (_, words) in tools.items() if tool not in waiting}
            server["described"] = {**_described_in(known), **approved}
            if waiting:
                server["waiting"] = waiting
            if server != known:
                self._write(entry.name, server)
        return frozenset(waiting)

    def _approved(self, entry: ServerEntry) -> dict[str, Any]:
        """What is known of a server that is approved as it is.

        Raises:
            ApprovalChangedError: it is not.
        """
        server = self._server(entry.name)
        if server.get("fingerprint") != entry.fingerprint:
            raise ApprovalChangedError(entry.name)
        return server

    def _server(self, name: str) -> dict[str, Any]:
        return _server_in(self._read(), name)

    def _read(self) -> dict[str, Any]:
        return read_object(self._path, ", so that no MCP server is approved")

    def _write(self, name: str, server: dict[str, Any] | None) -> None:
        servers = {**self._read(), name: server}
        if self._path.exists():
            self._path.chmod(_OWNER_ONLY)
        write_object(self._path, {each: kept for each, kept in servers.items() if kept is not None})


def _server_in(known: Mapping[str, Any], name: str) -> dict[str, Any]:
    server = known.get(name)
    return server if isinstance(server, dict) else {}


def _pins_in(server: Mapping[str, Any]) -> dict[str, str] | None:
    tools = server.get("tools")
    return {str(tool): str(pinned) for tool, pinned in tools.items()} if isinstance(tools, dict) else None


def _waiting_in(server: Mapping[str, Any]) -> dict[str, WaitingTool]:
    waiting, described = server.get("waiting"), _described_in(server)
    if not isinstance(waiting, dict):
        return {}
    return {
        str(tool): WaitingTool(
            hash=str(each.get("hash", "")),
            description=str(each.get("description", "")),
            former=described.get(str(tool), ""),
            only_reads=each.get("only_reads") is True,
        )
        for tool, each in waiting.items()
        if isinstance(each, dict)
    }


def _described_in(server: Mapping[str, Any]) -> dict[str, str]:
    """The approved descriptions; those of former versions of Sori are not known."""
    described = server.get("described")
    return {str(tool): str(words) for tool, words in described.items()} if isinstance(described, dict) else {}
