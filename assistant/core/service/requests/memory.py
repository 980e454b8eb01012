"""Requests for what Sori remembers."""

from dataclasses import dataclass

from assistant.core.records.memory import ListedFact, MemoryChange
from assistant.core.service.request import Request


@dataclass(frozen=True, slots=True, kw_only=True)
class ListFacts(Request[tuple[ListedFact, ...]]):
    """List what the current agent is told of the user: personal facts, those of its workspace, its own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class UndoMemory(Request[MemoryChange | None]):
    """Undo a change of the memory. The result is the change; ``None`` if there is none to undo.

    Attributes:
        change: its id; empty for the newest one.
    """

    change: str = ""
