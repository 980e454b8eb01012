"""A memory file on the disk. It is read before each use, so that hand edits count at once."""

import asyncio
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

from assistant.core.clock import Clock
from assistant.core.errors import StorageError
from assistant.memory import former
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
from assistant.memory.snapshots import MemorySnapshot, keep, snapshots_of
from assistant.memory.updating import known_in, replaced_in
from assistant.storage.atomic import write_text

Result = TypeVar("Result")


class MemoryFullError(StorageError):
    """A memory file has reached its maximum size."""

    def __init__(self, path: Path, most: int) -> None:
        super().__init__(str(path), f"holds at most {most} characters", message_key="memory_full")
        self.values = {**self.values, "most": str(most)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Noted:
    """The result of remembering.

    Attributes:
        fact: the fact as the file has it.
        known: whether the file had it before.
        former: the fact that it replaces; ``None`` when it stands beside all others.
    """

    fact: Fact
    known: bool
    former: Fact | None = None


def _untold(_: Fact | None, __: Fact | None) -> None:
    """Tell nobody of a change."""


class MemoryFile:
    """The facts in one file. After a crash the file has either its old or its new content.

    Args:
        path: the file; it may be missing.
        clock: gives the day of a new fact.
        most: gives the maximum size of the file in characters.

    Attributes:
        on_change: told a fact before and after its change. The former is ``None`` for a new fact, the latter for a
            removed one.
        on_unreadable: told when the facts cannot be read: once, and again after they could be.
    """

    def __init__(self, path: Path, clock: Clock, most: Callable[[], int]) -> None:
        self.path = path
        self._clock = clock
        self._most = most
        self._changing = asyncio.Lock()
        self.on_change: Callable[[Fact | None, Fact | None], None] = _untold
        self.on_unreadable: Callable[[StorageError], None] = lambda _: None
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
                self.on_unreadable(error)
            raise
        self._readable = True
        return facts

    def read_facts(self) -> tuple[Fact, ...]:
        """As ``facts``, for callers on a thread of their own: it waits for the disk.

        Raises:
            StorageError: the file cannot be read.
        """
        return facts_in(self._read())

    async def add(self, text: str, *, source: str = "", unasked: bool = False, changed: bool = False) -> Noted:
        """Add a fact, unless the file has it in nearly the same words.

        A fact that gives a new value to an attribute replaces the old fact, which is kept (``former``). A fact that was
        noted unasked becomes an approved one when it is added on request.

        Args:
            text: the fact.
            source: id of the message that it came from.
            unasked: whether nobody has asked to remember it.
            changed: whether the user asks to change a fact; it then replaces a value beside which others could stand.

        Raises:
            MemoryFullError: the file would become too large; nothing has changed.
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
            longer = with_fact(rest, Fact(text=text, since=today, source=source, unasked=unasked))
            if len(longer) > max(self._most(), len(content) if old is not None else 0):
                raise MemoryFullError(self.path, self._most())
            if old is not None:
                former.keep(self.path, old)
            return longer, Noted(fact=facts_in(longer)[-1], known=False, former=old)

        noted = await self._change(change)
        if not noted.known:
            self.on_change(noted.former, noted.fact)
        return noted

    async def undo(self, before: Fact | None, after: Fact | None) -> bool:
        """Undo a change that ``on_change`` was told. Not told as a change.

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

        Former facts with these words are removed as well.

        Raises:
            StorageError: the file cannot be read or written; nothing has changed.
        """

        def change(content: str) -> tuple[str, tuple[Fact, ...]]:
            gone = about(facts_in(content), words)
            former.forget(self.path, words)
            return without_facts(content, gone), gone

        return self._told(await self._change(change))

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
            self.on_change(fact, None)
        return gone

    async def former(self) -> tuple[Fact, ...]:
        """The facts that later ones have replaced, oldest first.

        Raises:
            StorageError: they cannot be read.
        """
        return await asyncio.to_thread(former.facts_of, self.path)

    async def replace_facts(self, before: Collection[Fact], texts: Sequence[str]) -> bool:
        """Replace all facts by shorter ones, and keep a copy of the file as it was.

        Args:
            before: the facts that the shorter ones were made of.
            texts: the shorter facts.

        Returns:
            Whether it was done. The file stays as it is if its facts have changed in the meantime.

        Raises:
            StorageError: the file cannot be read or written; nothing has changed.
        """

        def change(content: str) -> tuple[str, bool]:
            if facts_in(content) != tuple(before):
                return content, False
            keep(self.path, content)
            today = f"{self._clock.now():%Y-%m-%d}"
            unasked = any(fact.unasked for fact in before)
            return with_other_facts(content, [Fact(text=text, since=today, unasked=unasked) for text in texts]), True

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
            before = self._read()
            after, result = change(before)
            if after != before:
                write_text(self.path, after)
            return result

        async with self._changing:
            return await asyncio.shield(asyncio.to_thread(work))

    def _read(self) -> str:
        try:
            return self.path.read_text(encoding="utf-8")
        except FileNotFoundError:
            return ""
        except (OSError, UnicodeDecodeError) as error:
            reason = error.strerror or str(error) if isinstance(error, OSError) else "not UTF-8"
            raise StorageError(str(self.path), reason, cause=error) from error
