"""Requests for what Sori remembers."""

from assistant.core.records.memory import (
    FoundFacts,
    ListedFact,
    ListedMemory,
    ListedSnapshot,
    MemoryChange,
    MemoryPlace,
    PastChange,
    Remembering,
)
from assistant.core.service.request import Request


class ListFacts(Request[tuple[ListedFact, ...]]):
    """List what the current agent is told of the user: personal facts, those of its workspace, its own."""


class ReadMemory(Request[ListedMemory]):
    """Read a memory, also while the settings switch it off."""

    place: MemoryPlace


class RememberFact(Request[Remembering]):
    """Add a fact to a memory, unless the memory has it in nearly the same words."""

    place: MemoryPlace
    text: str


class ForgetFacts(Request[tuple[ListedFact, ...]]):
    """Remove the facts that contain all these words from a memory. The result is what was removed."""

    place: MemoryPlace
    words: str


class ForgetFact(Request[ListedFact | None]):
    """Remove one fact from a memory, by its whole text; ``None`` if it is gone. ``MemoryChanged`` tells how to undo it.

    Earlier values, the archive and copies of the memory lose the same text.
    """

    place: MemoryPlace
    text: str


class ChangeFact(Request[ListedFact | None]):
    """Give a fact other words; ``None`` if it is gone. ``MemoryChanged`` tells how to undo it.

    Attributes:
        place: the memory.
        text: the whole text of the fact.
        words: its new words.
    """

    place: MemoryPlace
    text: str
    words: str


class ListMemoryChanges(Request[tuple[PastChange, ...]]):
    """List the changes of all memories that are still known, newest first."""


class FindFacts(Request[FoundFacts]):
    """Find the facts of a memory that contain all these words, and the messages that they came from."""

    place: MemoryPlace
    words: str


class UndoMemory(Request[MemoryChange | None]):
    """Undo a change of the memory. The result is the change; ``None`` if there is none to undo.

    Attributes:
        change: its id; empty for the newest one.
    """

    change: str = ""


class ListSnapshots(Request[tuple[ListedSnapshot, ...]]):
    """List the copies of a memory from before it was summarised, newest first."""

    place: MemoryPlace


class RestoreSnapshot(Request[bool]):
    """Give a memory the content of a copy. The result is whether there is this copy.

    Attributes:
        place: the memory.
        number: which copy, from 1 for the newest one.
    """

    place: MemoryPlace
    number: int
