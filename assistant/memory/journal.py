"""The changes of memory files, so that each can be told and undone, after a restart too (M-03).

The list of changes has no facts, only their hashes: what the user lets Sori forget stands nowhere else. A fact that was
forgotten can therefore be brought back only before a restart.
"""

import asyncio
import hashlib
import json
import logging
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path

from assistant.core.errors import StorageError
from assistant.core.records.memory import MemoryChange, Scope
from assistant.memory.facts import Fact
from assistant.memory.memory_file import MemoryFile
from assistant.memory.set_aside import text_of
from assistant.storage.atomic import alone_with, write_text
from assistant.storage.identities import made_at, new_id

_MOST = 100
"""Maximum number of changes that can be undone."""
_LONGEST_LIST = 4 * _MOST
"""Lines at which the list is shortened."""

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Noted:
    """A change: the file by its path below the user's folder, and the hashes of the fact before and after."""

    id: str
    scope: str
    file: str
    before: str
    after: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PastFacts:
    """A change with its facts, as far as their words are known.

    Attributes:
        id: the name of the change.
        at_s: Unix time in seconds at which it was made.
        scope: who is told the fact.
        path: the memory file below the user's folder.
        before: the fact before; ``None`` for none, or where its words are gone.
        after: the fact after.
        removed: whether a fact was forgotten.
        replaced: whether a fact was replaced.
        undoable: whether all words are known that undoing needs.
    """

    id: str
    at_s: float
    scope: Scope
    path: Path
    before: Fact | None
    after: Fact | None
    removed: bool
    replaced: bool
    undoable: bool


class MemoryJournal:
    """Notes the changes of the files that it watches.

    Args:
        tell: told of each change.
        home: the user's folder, in which the list of changes is kept for the next start and for other processes;
            ``None`` to keep it in this object alone.
        file_at: gives the memory file at a path, for changes of files that are not watched yet.
    """

    def __init__(
        self,
        tell: Callable[[MemoryChange], None] = lambda _: None,
        home: Path | None = None,
        file_at: Callable[[Path], MemoryFile | None] = lambda _: None,
    ) -> None:
        self._tell = tell
        self._home = home
        self._path = None if home is None else home / "memory" / "changes.jsonl"
        self._file_at = file_at
        self._files: dict[str, MemoryFile] = {}
        self._facts: dict[str, Fact] = {}
        """Facts of this run by their hashes, because a forgotten one is in no file."""
        self._noted: list[_Noted] = []
        self._undone: set[str] = set()

    def watch(self, file: MemoryFile, scope: Scope) -> None:
        """Note the changes of a file from now on."""
        name = self._name(file.path)
        self._files[name] = file
        file.changed.add(partial(self._note, name, scope))

    async def undo(self, identity: str = "", *, only_added: bool = False) -> MemoryChange | None:
        """Undo a change; ``None`` when it cannot be undone, because it is unknown or the user has changed the line.

        Args:
            identity: the name of the change; empty for the newest one.
            only_added: whether to undo only a fact that was remembered. Its removal is a change of its own, which is
                told and can be undone in turn.

        Raises:
            StorageError: the file cannot be read or written; nothing has changed.
        """
        for noted in reversed(await asyncio.to_thread(self._changes)):
            if identity not in ("", noted.id) or (only_added and not noted.after):
                continue
            undone = await self._undo(noted, noting=only_added)
            self._forget(noted)
            if undone is not None or identity:
                return undone
        return None

    async def past(self) -> tuple[PastFacts, ...]:
        """The changes that are known, newest first; with those of earlier runs and other processes.

        Raises:
            StorageError: a file cannot be read.
        """
        noted = await asyncio.to_thread(self._changes)
        known: dict[str, Mapping[str, Fact]] = {}
        for name in {each.file for each in noted}:
            file = self._file(name)
            facts = () if file is None else (*await file.former(), *await file.archived(), *await file.facts())
            known[name] = {_hash(fact): fact for fact in facts} | self._facts
        return tuple(
            PastFacts(
                id=each.id,
                at_s=made_at(each.id),
                scope=Scope(each.scope),
                path=Path(each.file),
                before=known[each.file].get(each.before),
                after=known[each.file].get(each.after),
                removed=not each.after,
                replaced=bool(each.before and each.after),
                undoable=all(not name or name in known[each.file] for name in (each.before, each.after)),
            )
            for each in reversed(noted)
        )

    def forget_all(self) -> None:
        """Forget the changes, because what they were about has been erased.

        Raises:
            StorageError: the list cannot be removed.
        """
        self._facts.clear()
        self._noted.clear()
        if self._path is not None:
            try:
                self._path.unlink(missing_ok=True)
            except OSError as error:
                raise StorageError(str(self._path), error.strerror or str(error), cause=error) from error

    def _file(self, name: str) -> MemoryFile | None:
        """The file that a change names."""
        return self._files.get(name) or (None if self._home is None else self._file_at(self._home / name))

    async def _undo(self, noted: _Noted, *, noting: bool) -> MemoryChange | None:
        file = self._file(noted.file)
        if file is None:
            return None
        known = {_hash(fact): fact for fact in (*await file.former(), *await file.facts())} | self._facts
        before, after = known.get(noted.before), known.get(noted.after)
        if (noted.before and before is None) or (noted.after and after is None):
            return None
        if not await file.undo(before, after):
            return None
        if noting and before is None:
            self._note(noted.file, Scope(noted.scope), after, None)
        return _change(noted, before, after)

    def _note(self, name: str, scope: Scope, before: Fact | None, after: Fact | None) -> None:
        noted = _Noted(id=new_id(), scope=scope, file=name, before=_hash(before), after=_hash(after))
        change = _change(noted, before, after)
        if change is None:
            return
        self._facts |= {_hash(fact): fact for fact in (before, after) if fact is not None}
        if self._path is None:
            self._noted.append(noted)
            del self._noted[:-_MOST]
        else:
            self._append(asdict(noted))
        self._tell(change)

    def _changes(self) -> list[_Noted]:
        """The changes that can be undone, oldest first: also those of earlier runs and of other processes."""
        if self._path is None:
            return list(self._noted)
        lines = text_of(self._path).splitlines()
        if len(lines) > _LONGEST_LIST:
            with alone_with(self._path):
                lines = text_of(self._path).splitlines()[-_LONGEST_LIST // 2 :]
                write_text(self._path, "".join(f"{line}\n" for line in lines))
        found = {noted.id: noted for noted in _read(lines)}
        self._undone |= {each for each, noted in found.items() if not noted.file}
        return [noted for each, noted in found.items() if each not in self._undone][-_MOST:]

    def _forget(self, noted: _Noted) -> None:
        """Note that a change was undone, or cannot be."""
        self._undone.add(noted.id)
        if self._path is None:
            self._noted.remove(noted)
        else:
            self._append({"id": noted.id, "scope": noted.scope, "file": "", "before": "", "after": ""})

    def _append(self, line: dict[str, str]) -> None:
        """Add a line. One short write to the end of a file needs no lock, and takes no time on the event loop."""
        if self._path is None:
            return
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            descriptor = os.open(self._path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
            try:
                os.write(descriptor, f"{json.dumps(line)}\n".encode())
            finally:
                os.close(descriptor)
        except OSError as error:
            log.warning("a change of the memory cannot be undone after a restart: %s", error)

    def _name(self, path: Path) -> str:
        with suppress(ValueError):
            return path.relative_to(self._home or path.anchor).as_posix()
        return path.as_posix()


def _change(noted: _Noted, before: Fact | None, after: Fact | None) -> MemoryChange | None:
    fact = after or before
    if fact is None:
        return None
    return MemoryChange(
        id=noted.id,
        scope=Scope(noted.scope),
        text=fact.text,
        former=before.text if before and after else "",
        removed=after is None,
        source=fact.source,
    )


def _hash(fact: Fact | None) -> str:
    """The name of a fact as its line has it; empty for none."""
    if fact is None:
        return ""
    return hashlib.sha256(f"{fact.text}\n{fact.since}\n{fact.source}\n{fact.unasked}".encode()).hexdigest()


def _read(lines: list[str]) -> Iterator[_Noted]:
    """The changes of a list. A later line of the same change replaces the earlier one; a damaged line is left out."""
    for line in lines:
        with suppress(ValueError, TypeError):
            yield _Noted(**json.loads(line))
