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
    """

    scope: Scope
    text: str
    since: str = ""
    source: str = ""
    unasked: bool = False
