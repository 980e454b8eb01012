"""Changes of what Sori remembers. ``assistant.memory`` has the files."""

from dataclasses import dataclass
from enum import StrEnum


class Scope(StrEnum):
    """Who is told a remembered fact."""

    PERSONAL = "personal"
    """Every agent of the user."""
    WORKSPACE = "workspace"
    """The agents of one workspace."""
    AGENT = "agent"
    """One agent."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryChange:
    """One fact that was remembered, replaced or forgotten.

    Attributes:
        id: the name of the change, to undo it.
        scope: who is told the fact.
        text: the fact.
        former: the fact that it replaced; empty for none.
        removed: whether the fact was forgotten; otherwise it was remembered.
        source: id of the message that the fact came from; empty when it came from elsewhere.
    """

    id: str
    scope: Scope
    text: str
    former: str = ""
    removed: bool = False
    source: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedFact:
    """A fact as it is listed.

    Attributes:
        scope: who is told it.
        text: the fact.
        since: the day on which Sori noted it, as ``YYYY-MM-DD``; empty for a line that the user wrote.
        source: id of the message that it came from; empty when it came from elsewhere.
        unasked: whether Sori noted it without being asked.
        outside: whether it was noted beside content from outside, and may repeat such content.
    """

    scope: Scope
    text: str
    since: str = ""
    source: str = ""
    unasked: bool = False
    outside: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryPlace:
    """Names a memory.

    Attributes:
        scope: who is told its facts.
        workspace: name of its workspace; empty for the current one.
        agent: name of its agent; empty for the current one, or the default one of another workspace.
    """

    scope: Scope = Scope.PERSONAL
    workspace: str = ""
    agent: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedMemory:
    """The facts of a memory, oldest first, and its file."""

    path: str
    facts: tuple[ListedFact, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Remembering:
    """The result of remembering.

    Attributes:
        fact: the fact as the memory has it.
        known: whether the memory had it before.
        former: the fact that it replaces; ``None`` when it stands beside all others.
        archived: the oldest facts, which have made room for it.
    """

    fact: ListedFact
    known: bool
    former: ListedFact | None = None
    archived: tuple[ListedFact, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class SourcedFact:
    """A fact and the message that it came from.

    Attributes:
        fact: the fact.
        said: the text of the message; empty when the message is gone or there was none.
        said_at: the time of the message, ISO 8601 with offset; empty without one.
    """

    fact: ListedFact
    said: str = ""
    said_at: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundFacts:
    """Facts with certain words, those of the archive too, and such facts that later ones have replaced."""

    facts: tuple[SourcedFact, ...]
    former: tuple[ListedFact, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PastChange:
    """A change of a memory in its history. What was forgotten has no words, because they stand nowhere any more.

    Attributes:
        id: the name of the change.
        at: when it was made, ISO 8601 with offset.
        scope: who is told the fact.
        workspace: the workspace of the memory; empty for the user's own memory.
        agent: the agent of the memory; empty for a memory of several agents.
        text: the fact after the change; empty for one that was forgotten or whose words are gone.
        former: the fact before the change; empty for none, or where its words are gone.
        removed: whether the fact was forgotten.
        replaced: whether a fact was replaced by another one.
        source: id of the message that the fact came from; empty when it came from elsewhere.
        undoable: whether the change can still be undone.
    """

    id: str
    at: str
    scope: Scope
    workspace: str = ""
    agent: str = ""
    text: str = ""
    former: str = ""
    removed: bool = False
    replaced: bool = False
    source: str = ""
    undoable: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedSnapshot:
    """A copy of a memory from before it was summarised.

    Attributes:
        path: the copy.
        saved_at: Unix time in seconds at which it was saved.
        facts: its facts, oldest first.
    """

    path: str
    saved_at: float
    facts: tuple[ListedFact, ...]
