"""A memory file on the disk. It is read before each use, so that hand edits count at once."""

import asyncio
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

from assistant.core.clock import Clock
from assistant.core.errors import StorageError
from assistant.core.listeners import Listeners
from assistant.memory.facts import (
    Fact,
    about,
    facts_in,
    plain,
    with_changed_fact,
    with_fact,
    with_other_facts,
    without_facts,
)
from assistant.memory.set_aside import SetAside, text_of
from assistant.memory.snapshots import MemorySnapshot, forget, keep, snapshots_of
from assistant.memory.updating import known_in, replaced_in
from assistant.storage.atomic import alone_with, write_text

_KEPT = 0.75
"""Share of the maximum size that is left when the oldest facts move to the archive."""
Result = TypeVar("Result")


@dataclass(frozen=True, slots=True, kw_only=True)
class Noted:
    """The result of remembering.

    Attributes:
        fact: the fact as the file has it.
        known: whether the file had it before.
        former: the fact that it replaces; ``None`` when it stands beside all others.
        archived: the oldest facts, which have made room for it.
    """

    fact: Fact
    known: bool
    former: Fact | None = None
    archived: tuple[Fact, ...] = ()


class _ChangedByHandError(Exception):
    """The file was changed by hand between its reading and its writing."""


class MemoryFile:
    """The facts in one file. After a crash the file has either its old or its new content.

    Processes change it one after another. A change that was made by hand meanwhile stays.

    Args:
        path: the file; it may be missing.
        clock: gives the day of a new fact.
        most: gives the maximum size of the file in characters.

    Attributes:
        full: told of a fact that makes the file too large; whoever listens makes room afterwards. Without a listener
            the oldest facts move to the archive at once.
        changed: told a fact before and after its change. The former is ``None`` for a new fact, the latter for a
            removed one.
        unreadable: told when the facts cannot be read: once, and again after they could be.
    """

    def __init__(self, path: Path, clock: Clock, most: Callable[[], int]) -> None:
        self.path = path
        self._clock = clock
        self._most = most
        self._former, self._archive = SetAside.former(path), SetAside.archive(path)
        self._changing = asyncio.Lock()
        self.full: Listeners[[], None] = Listeners()
        self.changed: Listeners[[Fact | None, Fact | None], None] = Listeners()
        self.unreadable: Listeners[[StorageError], None] = Listeners()
        self._readable = True

    async def facts(self) -> tuple[Fact, ...]:
        """The facts, oldest first.

        Raises:
            StorageError: the file cannot be read.
        """
        try:
            facts = await asyncio.to_thread(self.read_facts)
        except StorageError as error:
            told, self._readable = not self._readable, False
            if not told:
                self.unreadable.tell(error)
            raise
        self._readable = True
        return facts

    def read_facts(self) -> tuple[Fact, ...]:
        """As ``facts``, for callers on a thread of their own: it waits for the disk.

        Raises:
            StorageError: the file cannot be read.
        """
        return facts_in(text_of(self.path))

    async def add(
        self, text: str, *, source: str = "", unasked: bool = False, changed: bool = False, outside: bool = False
    ) -> Noted:
        """Add a fact, unless the file has it in nearly the same words.

        A fact that gives a new value to an attribute replaces the old fact, which is kept (``former``). A fact that was
        noted unasked becomes an approved one when it is added on request.

        Args:
            text: the fact.
            source: id of the message that it came from.
            unasked: whether nobody has asked to remember it.
            changed: whether the user asks to change a fact; it then replaces a value beside which others could stand.
            outside: whether it may repeat content from outside (``Fact.outside``).

        Raises:
            StorageError: the file cannot be read or written; nothing has changed.
            ValueError: the text is empty.
        """
        if not plain(text):
            raise ValueError("a fact needs words")

        def change(content: str) -> tuple[str, Noted]:
            facts = facts_in(content)
            known = known_in(facts, text)
            if known is not None:
                approved = replace(known, unasked=known.unasked and unasked)
                return with_changed_fact(content, known, approved), Noted(fact=approved, known=True)
            today = f"{self._clock.now():%Y-%m-%d}"
            old = replaced_in(facts, text, changed=changed)
            rest = content if old is None else without_facts(content, (old,))
            longer = with_fact(rest, Fact(text=text, since=today, source=source, unasked=unasked, outside=outside))
            outdated = old or replaced_in(self._archive.facts(), text, changed=changed)
            if outdated is not None:
                self._former.keep([outdated])
            if old is None and outdated is not None:
                self._archive.take_out([outdated])
            fact, archived = facts_in(longer)[-1], tuple[Fact, ...]()
            if len(longer) > self._most():
                if self.full:
                    self.full.tell()
                else:
                    longer, archived = self._without_oldest(longer)
            return longer, Noted(fact=fact, known=False, former=old, archived=archived)

        noted = await self._change(change)
        if not noted.known:
            self.changed.tell(noted.former, noted.fact)
        return noted

    async def archive_oldest(self) -> tuple[Fact, ...]:
        """Move the oldest facts of a file that is too large to the archive, so that there is room again; returns them.

        Raises:
            StorageError: a file cannot be read or written; no fact is lost.
        """
        return await self._change(self._without_oldest)

    def _without_oldest(self, content: str) -> tuple[str, tuple[Fact, ...]]:
        """A content that was too large without its oldest facts, which are in the archive then. The newest stays."""
        facts, most = facts_in(content), self._most()
        rest, count = content, 0
        # Some more than is needed leave, so that the next facts find room and the user is not told of each.
        while len(content) > most and len(rest) > most * _KEPT and count < len(facts) - 1:
            count += 1
            rest = without_facts(content, facts[:count])
        self._archive.keep(facts[:count])
        return rest, facts[:count]

    async def undo(self, before: Fact | None, after: Fact | None) -> bool:
        """Undo a change that ``changed`` was told. Not told as a change.

        Returns:
            Whether it was undone; not if the file has no longer what the change has left.

        Raises:
            StorageError: the file cannot be read or written; nothing has changed.
        """

        def change(content: str) -> tuple[str, bool]:
            facts = facts_in(content)
            if (after is not None and after not in facts) or (before is not None and before in facts):
                return content, False
            if before is not None and after is not None:
                return with_changed_fact(content, after, before), True
            return (with_fact(content, before) if before else without_facts(content, (after,) if after else ())), True

        return await self._change(change)

    async def remove(self, words: str) -> tuple[Fact, ...]:
        """Remove the facts that contain all these words and return them; none when ``words`` is empty.

        Former facts with these words, those in the archive and those in copies of the file are removed as well.

        Raises:
            StorageError: the file cannot be read or written; nothing has changed.
        """

        def change(content: str) -> tuple[str, tuple[Fact, ...]]:
            gone = about(facts_in(content), words)
            self._former.remove(words)
            forget(self.path, lambda facts: about(facts, words))
            return without_facts(content, gone), tuple(dict.fromkeys((*self._archive.remove(words), *gone)))

        return self._told(await self._change(change))

    async def remove_fact(self, text: str) -> Fact | None:
        """Remove the fact with exactly this text, also from the former ones, the archive and copies of the file.

        Returns:
            The fact as the file had it; ``None`` if it has none.

        Raises:
            StorageError: the file cannot be read or written; nothing has changed.
        """

        def change(content: str) -> tuple[str, Fact | None]:
            gone = [fact for fact in facts_in(content) if fact.text == text]
            for aside in (self._former, self._archive):
                aside.take_out([fact for fact in aside.facts() if fact.text == text])
            forget(self.path, lambda facts: tuple(fact for fact in facts if fact.text == text))
            return without_facts(content, gone), next(iter(gone), None)

        gone = await self._change(change)
        if gone is not None:
            self.changed.tell(gone, None)
        return gone

    async def change_fact(self, text: str, words: str) -> Fact | None:
        """Give the fact with exactly this text other words of the user, which nobody else has to approve.

        Returns:
            The fact with its new words; ``None`` if the file has none with this text.

        Raises:
            StorageError: the file cannot be read or written; nothing has changed.
            ValueError: the new words are empty.
        """
        if not plain(words):
            raise ValueError("a fact needs words")

        def change(content: str) -> tuple[str, tuple[Fact, Fact] | None]:
            old = next((fact for fact in facts_in(content) if fact.text == text), None)
            if old is None:
                return content, None
            new = replace(old, text=plain(words), unasked=False)
            return with_changed_fact(content, old, new), (old, new)

        changed = await self._change(change)
        if changed is None:
            return None
        if changed[0] != changed[1]:
            self.changed.tell(*changed)
        return changed[1]

    async def remove_all(self) -> int:
        """Remove every fact, also the former ones, the archive and the copies of the file. Nothing can be undone.

        Returns:
            How many facts the file had.

        Raises:
            StorageError: the file cannot be read or written.
        """

        def change(content: str) -> tuple[str, int]:
            facts = facts_in(content)
            for aside in (self._former, self._archive):
                aside.take_out(aside.facts())
            forget(self.path, tuple)
            return without_facts(content, facts), len(facts)

        return await self._change(change)

    async def remove_newest(self) -> tuple[Fact, ...]:
        """Remove the fact that was added last and return it; empty when there is none.

        Raises:
            StorageError: the file cannot be read or written; nothing has changed.
        """

        def change(content: str) -> tuple[str, tuple[Fact, ...]]:
            gone = facts_in(content)[-1:]
            return without_facts(content, gone), gone

        return self._told(await self._change(change))

    def _told(self, gone: tuple[Fact, ...]) -> tuple[Fact, ...]:
        for fact in gone:
            self.changed.tell(fact, None)
        return gone

    async def former(self) -> tuple[Fact, ...]:
        """The facts that later ones have replaced, oldest first.

        Raises:
            StorageError: they cannot be read.
        """
        return await asyncio.to_thread(self._former.facts)

    async def archived(self) -> tuple[Fact, ...]:
        """The facts that made room for others, oldest first.

        Raises:
            StorageError: they cannot be read.
        """
        return await asyncio.to_thread(self._archive.facts)

    async def search(self, words: str) -> tuple[Fact, ...]:
        """The facts that contain all these words, those of the archive too; oldest first, each text once.

        Raises:
            StorageError: they cannot be read.
        """
        found = about((*await self.archived(), *await self.facts()), words)
        return tuple({fact.text: fact for fact in found}.values())

    async def replace_facts(self, before: Collection[Fact], texts: Sequence[str]) -> bool:
        """Replace the oldest facts by shorter ones. They move to the archive, and a copy of the file is kept as it was.

        A fact that is among the shorter ones in the same words stays as it is, with its source.

        Args:
            before: the oldest facts, which the shorter ones were made of. Newer ones stay.
            texts: the shorter facts.

        Returns:
            Whether it was done. The file stays as it is if these facts have changed in the meantime.

        Raises:
            StorageError: the file cannot be read or written; nothing has changed.
        """

        def change(content: str) -> tuple[str, bool]:
            facts, known = facts_in(content), {fact.text: fact for fact in before}
            if facts[: len(before)] != tuple(before):
                return content, False
            keep(self.path, content)
            today = f"{self._clock.now():%Y-%m-%d}"
            unasked, outside = any(fact.unasked for fact in before), any(fact.outside for fact in before)
            made = (Fact(text=text, since=today, unasked=unasked, outside=outside) for text in texts)
            shorter = [known.get(fact.text, fact) for fact in made]
            self._archive.keep([fact for fact in before if fact not in shorter])
            return with_other_facts(content, (*shorter, *facts[len(before) :])), True

        return await self._change(change)

    async def snapshots(self) -> tuple[MemorySnapshot, ...]:
        """The copies of the file, newest first.

        Raises:
            StorageError: a copy cannot be read.
        """
        return await asyncio.to_thread(snapshots_of, self.path)

    async def restore(self, snapshot: MemorySnapshot) -> None:
        """Give the file the content of a copy. The content that it had is kept as a copy.

        Raises:
            StorageError: the file cannot be read or written; nothing has changed.
        """

        def change(content: str) -> tuple[str, None]:
            if content != snapshot.content:
                keep(self.path, content)
            return snapshot.content, None

        await self._change(change)

    async def _change(self, change: Callable[[str], tuple[str, Result]]) -> Result:
        def work() -> Result:
            if not self.path.parent.is_dir():
                # A folder for the lock alone would look like an agent.
                after, result = change("")
                if not after:
                    return result
            with alone_with(self.path):
                while True:
                    with suppress(_ChangedByHandError):
                        return self._changed(change)

        async with self._changing:
            return await asyncio.shield(asyncio.to_thread(work))

    def _changed(self, change: Callable[[str], tuple[str, Result]]) -> Result:
        """Change the file once.

        Raises:
            _ChangedByHandError: an editor, which knows nothing of the lock, has written it meanwhile.
        """
        state = self._state()
        before = text_of(self.path)
        after, result = change(before)
        if after != before:
            if self._state() != state:
                raise _ChangedByHandError
            write_text(self.path, after)
        return result

    def _state(self) -> tuple[int, int, int] | None:
        try:
            status = self.path.stat()
        except OSError:
            return None
        return status.st_mtime_ns, status.st_size, status.st_ino
