"""The changes of memory files since the start, so that each can be told and undone (M-03)."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from assistant.core.records.memory import MemoryChange, Scope
from assistant.memory.facts import Fact
from assistant.memory.memory_file import MemoryFile
from assistant.storage.identities import new_id

_MOST = 100
"""Maximum number of changes that can be undone."""


@dataclass(frozen=True, slots=True)
class _Noted:
    change: MemoryChange
    file: MemoryFile
    before: Fact | None
    after: Fact | None


class MemoryJournal:
    """Notes the changes of the files that it watches.

    Args:
        tell: told of each change.
    """

    def __init__(self, tell: Callable[[MemoryChange], None] = lambda _: None) -> None:
        self._tell = tell
        self._noted: list[_Noted] = []

    def watch(self, file: MemoryFile, scope: Scope) -> None:
        """Note the changes of a file from now on."""
        file.on_change = partial(self._note, file, scope)

    async def undo(self, identity: str = "", *, only_added: bool = False) -> MemoryChange | None:
        """Undo a change; ``None`` when it cannot be undone, because it is unknown or the user has changed the line.

        Args:
            identity: the name of the change; empty for the newest one.
            only_added: whether to undo only a fact that was remembered.

        Raises:
            StorageError: the file cannot be read or written; nothing has changed.
        """
        for noted in reversed(self._noted):
            if identity not in ("", noted.change.id) or (only_added and noted.change.removed):
                continue
            undone = await noted.file.undo(noted.before, noted.after)
            self._noted.remove(noted)
            if undone or identity:
                return noted.change if undone else None
        return None

    def _note(self, file: MemoryFile, scope: Scope, before: Fact | None, after: Fact | None) -> None:
        fact = after or before
        if fact is None:
            return
        change = MemoryChange(
            id=new_id(),
            scope=scope,
            text=fact.text,
            former=before.text if before and after else "",
            removed=after is None,
            source=fact.source,
        )
        self._noted.append(_Noted(change, file, before, after))
        self._tell(change)
        del self._noted[:-_MOST]
