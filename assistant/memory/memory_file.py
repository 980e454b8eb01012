"""A memory file on the disk. It is read before each use, so that hand edits count at once."""

import asyncio
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from assistant.core.clock import Clock
from assistant.core.errors import StorageError
from assistant.memory.facts import Fact, about, facts_in, plain, same_fact, with_fact, with_other_facts, without_facts
from assistant.memory.snapshots import Snapshot, keep, snapshots_of
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
    """

    fact: Fact
    known: bool


def _untold(_: tuple[Fact, ...], __: bool) -> None:
    """Tell nobody of a change."""


class MemoryFile:
    """The facts in one file. After a crash the file has either its old or its new content.

    Args:
        path: the file; it may be missing.
        clock: gives the day of a new fact.
        most: gives the maximum size of the file in characters.

    Attributes:
        on_change: told the facts that were added or removed, and whether they were removed.
    """

    def __init__(self, path: Path, clock: Clock, most: Callable[[], int]) -> None:
        self.path = path
        self._clock = clock
        self._most = most
        self._changing = asyncio.Lock()
        self.on_change: Callable[[tuple[Fact, ...], bool], None] = _untold

    async def facts(self) -> tuple[Fact, ...]:
        """The facts, oldest first.

        Raises:
            StorageError: the file cannot be read.
        """
        return facts_in(await asyncio.to_thread(self._read))

    async def add(self, text: str, *, source: str = "") -> Noted:
        """Add a fact, unless the file has it in nearly the same words.

        Args:
            text: the fact.
            source: id of the message that it came from.

        Raises:
            MemoryFullError: the file would become too large; nothing has changed.
            StorageError: the file cannot be read or written; nothing has changed.
            ValueError: the text is empty.
        """
        if not plain(text):
            raise ValueError("a fact needs words")

        def change(content: str) -> tuple[str, Noted]:
            known = next((fact for fact in facts_in(content) if same_fact(fact.text, text)), None)
            if known is not None:
                return content, Noted(fact=known, known=True)
            today = f"{self._clock.now():%Y-%m-%d}"
            longer = with_fact(content, Fact(text=text, since=today, source=source))
            if len(longer) > self._most():
                raise MemoryFullError(self.path, self._most())
            return longer, Noted(fact=facts_in(longer)[-1], known=False)

        noted = await self._change(change)
        if not noted.known:
            self.on_change((noted.fact,), False)
        return noted

    async def take_out(self, fact: Fact) -> bool:
        """Remove exactly this fact; ``False`` when the file does not have it. Not told as a change.

        Raises:
            StorageError: the file cannot be read or written; nothing has changed.
        """
        return await self._change(lambda content: (without_facts(content, (fact,)), fact in facts_in(content)))

    async def put_back(self, fact: Fact) -> bool:
        """Add a fact that was removed; ``False`` when the file has it again. Not told as a change.

        Raises:
            StorageError: the file cannot be read or written; nothing has changed.
        """

        def change(content: str) -> tuple[str, bool]:
            there = fact in facts_in(content)
            return (content if there else with_fact(content, fact)), not there

        return await self._change(change)

    async def remove(self, words: str) -> tuple[Fact, ...]:
        """Remove the facts that contain all these words and return them; none when ``words`` is empty.

        Raises:
            StorageError: the file cannot be read or written; nothing has changed.
        """

        def change(content: str) -> tuple[str, tuple[Fact, ...]]:
            gone = about(facts_in(content), words)
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
        if gone:
            self.on_change(gone, True)
        return gone

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
            return with_other_facts(content, [Fact(text=text, since=today) for text in texts]), True

        return await self._change(change)

    async def snapshots(self) -> tuple[Snapshot, ...]:
        """The copies of the file, newest first.

        Raises:
            StorageError: a copy cannot be read.
        """
        return await asyncio.to_thread(snapshots_of, self.path)

    async def restore(self, snapshot: Snapshot) -> None:
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
