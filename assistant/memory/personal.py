"""The personal memory: facts about the user, which belong to this user only (M-01, M-05)."""

from collections.abc import Callable
from pathlib import Path

from assistant.core.clock import Clock
from assistant.core.settings import MemorySettings
from assistant.memory.facts import Fact
from assistant.memory.memory_file import MemoryFile, Noted


class PersonalMemory:
    """The facts about the user, and whether they are used.

    Args:
        path: the file of the facts.
        clock: gives the day of a new fact.
        settings: gives the present settings.

    Attributes:
        file: the facts.
    """

    def __init__(self, path: Path, clock: Clock, settings: Callable[[], MemorySettings]) -> None:
        self.file = MemoryFile(path, clock, lambda: settings().max_size)
        self._settings = settings

    async def add(self, text: str, *, source: str = "") -> Noted:
        """Add a fact to the file, unless it is known; see ``MemoryFile.add``.

        Args:
            text: the fact.
            source: id of the message that it came from.

        Raises:
            StorageError: the file cannot be read or written; nothing has changed.
            ValueError: the text is empty.
        """
        return await self.file.add(text, source=source)

    async def remove(self, words: str) -> tuple[Fact, ...]:
        """Remove the facts that contain all these words and return them.

        Raises:
            StorageError: the file cannot be read or written; nothing has changed.
        """
        return await self.file.remove(words)

    @property
    def enabled(self) -> bool:
        """Whether the settings let Sori use the memory."""
        return self._settings().personal

    async def facts(self) -> tuple[Fact, ...]:
        """The facts, oldest first; empty while the memory is off.

        Raises:
            StorageError: the file cannot be read.
        """
        return await self.file.facts() if self.enabled else ()


async def nothing_remembered() -> tuple[Fact, ...]:
    """No facts: the memory of an agent without a user."""
    return ()


def within(facts: tuple[str, ...], size: int) -> tuple[str, ...]:
    """The newest facts that have at most ``size`` characters together, oldest first."""
    kept: list[str] = []
    for fact in reversed(facts):
        size -= len(fact)
        if size < 0:
            break
        kept.append(fact)
    return tuple(reversed(kept))
