"""What the user has decided for good (X-05): what no longer asks, which tools always do, and which are off."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import Any, Protocol

from assistant.storage.atomic import alone_with
from assistant.storage.kept_object import damage_of, read_object, write_object


@dataclass(frozen=True, slots=True, kw_only=True)
class GrantScope:
    """What the answer "always" to a question covers.

    Attributes:
        kind: ``server`` or ``folder``, kept for good, or ``conversation``.
        name: the server, the folder's path, or the tool.
    """

    kind: str
    name: str

    @property
    def key(self) -> str:
        """The scope as one text."""
        return f"{self.kind}:{self.name}"

    @property
    def lasts(self) -> bool:
        """Whether the answer holds in other conversations too."""
        return self.kind != CONVERSATION


SERVER, FOLDER, CONVERSATION = "server", "folder", "conversation"


class Grants(Protocol):
    """Keeps the lasting answers."""

    def covers(self, scope: GrantScope) -> bool:
        """Whether the user has allowed this, or a folder around it."""
        ...

    def asks(self, tool: str) -> bool:
        """Whether the user wants a tool to ask that usually runs unasked."""
        ...

    def is_off(self, tool: str) -> bool:
        """Whether the user has switched a tool off."""
        ...

    def add(self, scope: GrantScope) -> None:
        """Remember the answer. Waits for the disk.

        Raises:
            StorageError: it cannot be kept.
        """
        ...


class NoGrants:
    """Keeps nothing."""

    def covers(self, scope: GrantScope) -> bool:  # noqa: ARG002 - nothing is covered
        """Never."""
        return False

    def asks(self, tool: str) -> bool:  # noqa: ARG002 - nothing was chosen
        """Never."""
        return False

    def is_off(self, tool: str) -> bool:  # noqa: ARG002 - nothing was chosen
        """Never."""
        return False

    def add(self, scope: GrantScope) -> None:
        """Forget it."""


class GrantFile:
    """The lasting answers in a file of Sori's folder. A damaged file allows nothing, and lets every tool ask.

    Args:
        path: the file; it may be missing.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._read: tuple[object, dict[str, Any], bool] | None = None

    @property
    def path(self) -> Path:
        """The file."""
        return self._path

    @property
    def damage(self) -> str:
        """Why the file allows nothing although it exists; empty if it can be used."""
        return damage_of(self._path)

    def all(self) -> tuple[GrantScope, ...]:
        """What is allowed, in the order in which it was."""
        pairs = [each.partition(":") for each in self._listed("always")]
        return tuple(GrantScope(kind=kind, name=name) for kind, _, name in pairs if kind in {SERVER, FOLDER})

    def covers(self, scope: GrantScope) -> bool:
        """Whether the user has allowed this server, or this folder or one around it."""
        wanted = PurePath(scope.name)
        return any(
            each.kind == scope.kind
            and (each.name == scope.name or (scope.kind == FOLDER and wanted.is_relative_to(each.name)))
            for each in self.all()
        )

    def add(self, scope: GrantScope) -> None:
        """Allow a server or a folder from now on; see ``Grants.add``."""
        with alone_with(self._path):
            self._write("always", [*(each.key for each in self.all() if each != scope), scope.key])

    def asks(self, tool: str) -> bool:
        """Whether the user wants a tool to ask that usually runs unasked."""
        _, is_damaged = self._kept()
        return is_damaged or tool in self._listed("ask")

    def let_ask(self, tools: Iterable[str], *, asks: bool) -> None:
        """Let tools ask from now on, or run unasked as usual.

        Raises:
            StorageError: it cannot be kept.
        """
        self._put("ask", tools, listed=asks)

    @property
    def off(self) -> tuple[str, ...]:
        """The tools that are switched off."""
        return tuple(self._listed("off"))

    def is_off(self, tool: str) -> bool:
        """Whether the user has switched a tool off. A damaged file does not tell; then every tool asks."""
        return tool in self._listed("off")

    def switch(self, tools: Iterable[str], *, on: bool) -> None:
        """Switch tools on or off.

        Raises:
            StorageError: it cannot be kept.
        """
        self._put("off", tools, listed=not on)

    def _put(self, name: str, tools: Iterable[str], *, listed: bool) -> None:
        with alone_with(self._path):
            before = set(self._listed(name))
            self._write(name, sorted(before | {*tools} if listed else before - {*tools}))

    def remove(self, key: str) -> bool:
        """Ask again from now on; returns whether it was allowed.

        Raises:
            StorageError: it cannot be kept.
        """
        with alone_with(self._path):
            kept = [each.key for each in self.all()]
            if key not in kept:
                return False
            self._write("always", [each for each in kept if each != key])
        return True

    def _listed(self, name: str) -> list[str]:
        listed = self._kept()[0].get(name, [])
        return [str(each) for each in listed] if isinstance(listed, list) else []

    def _kept(self) -> tuple[dict[str, Any], bool]:
        """The content of the file and whether it is damaged; read anew only when the file has changed.

        Every tool is asked about in each turn, on the event loop.
        """
        try:
            status = self._path.stat()
            state: object = (status.st_mtime_ns, status.st_size, status.st_ino)
        except FileNotFoundError:
            return {}, False
        except OSError as error:
            state = error.errno
        if self._read is None or self._read[0] != state:
            self._read = state, read_object(self._path, ", so that nothing is allowed"), bool(self.damage)
        return self._read[1], self._read[2]

    def _write(self, name: str, listed: list[str]) -> None:
        write_object(self._path, {**read_object(self._path), name: listed})
        self._read = None
