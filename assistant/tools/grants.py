"""What the user has decided for good: servers and folders that no longer ask, and tools that always do (X-05)."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import Protocol

from assistant.storage.atomic import write_text
from assistant.storage.kept_object import read_object


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

    def add(self, scope: GrantScope) -> None:
        """Forget it."""


class GrantFile:
    """The lasting answers in a file of Sori's folder. A damaged file allows nothing.

    Args:
        path: the file; it may be missing.
    """

    def __init__(self, path: Path) -> None:
        self._path = path

    def all(self) -> tuple[GrantScope, ...]:
        """What is allowed, in the order in which it was."""
        kept = read_object(self._path).get("always", [])
        pairs = [str(each).partition(":") for each in kept] if isinstance(kept, list) else []
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
        self._write([*(each.key for each in self.all() if each != scope), scope.key])

    def asks(self, tool: str) -> bool:
        """Whether the user wants a tool to ask that usually runs unasked."""
        return tool in self._asking()

    def let_ask(self, tools: Iterable[str], *, asks: bool) -> None:
        """Let tools ask from now on, or run unasked as usual.

        Raises:
            StorageError: it cannot be kept.
        """
        chosen = {*self._asking(), *tools} if asks else self._asking() - set(tools)
        write_text(self._path, _written({**read_object(self._path), "ask": sorted(chosen)}))

    def _asking(self) -> set[str]:
        kept = read_object(self._path).get("ask", [])
        return set(map(str, kept)) if isinstance(kept, list) else set()

    def remove(self, key: str) -> bool:
        """Ask again from now on; returns whether it was allowed.

        Raises:
            StorageError: it cannot be kept.
        """
        kept = [each.key for each in self.all()]
        if key not in kept:
            return False
        self._write([each for each in kept if each != key])
        return True

    def _write(self, keys: list[str]) -> None:
        write_text(self._path, _written({**read_object(self._path), "always": keys}))


def _written(kept: Mapping[str, object]) -> str:
    return json.dumps(kept, ensure_ascii=False, indent=2)
