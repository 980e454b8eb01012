"""Permissions: what a tool may affect, and what an agent may do with it (X-01, X-05).

A tool declares its category. An agent's ``Permissions`` decide which tools it may use and which of them run without a
confirmation. The gate (``tools/runner.py``) decides by ``verdict`` alone.
"""

from collections.abc import Collection
from dataclasses import dataclass
from enum import StrEnum


class Category(StrEnum):
    """How much harm a tool can do."""

    SAFE = "safe"
    """Reads public or already visible data; changes nothing."""
    SENSITIVE = "sensitive"
    """Reads private data or changes something. Each call needs a confirmation, unless the agent is exempt for this
    tool."""
    RESTRICTED = "restricted"
    """Can do lasting harm. Each call needs a confirmation, and the tool is never offered by default."""


DEFAULT_PERMITTED = frozenset({Category.SAFE})
"""Categories that an agent may use unless it declares more."""


class Verdict(StrEnum):
    """The decision about a tool call."""

    RUN = "run"
    ASK = "ask"
    REFUSE = "refuse"
    REFER = "refer"
    """It does not run here; it is put before the user at this computer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Permissions:
    """What an agent may do.

    Attributes:
        categories: categories of the tools that it may use. Other tools are neither offered nor run.
        unasked: names of the sensitive tools that run without a confirmation. A tool belongs here only if all of these
            hold: the user asks for it in words and would find a question absurd; the user notices its effect at once
            and can undo it with a few words; the tool sends nothing, and reads nothing private but what the user gave
            to Sori for this, such as notes. The entry has no effect for a restricted tool.
        remote: whether the caller is not at this computer. A call that needs a confirmation is then refused unasked.
        also: names of sensitive tools that run although their category is not among ``categories``.
        referred: categories whose tools do not run for a remote caller, but are offered, because a call is kept for
            the user to run at this computer.
    """

    categories: frozenset[Category] = DEFAULT_PERMITTED
    unasked: Collection[str] = ()
    remote: bool = False
    also: Collection[str] = ()
    referred: frozenset[Category] = frozenset()

    def verdict(self, name: str, category: Category) -> Verdict:
        """Decide about a call of this tool, whatever its origin."""
        if category is Category.SENSITIVE and name in self.also:
            return Verdict.RUN
        if category not in self.categories:
            return Verdict.REFER if category in self.referred else Verdict.REFUSE
        if category is Category.SAFE or (category is Category.SENSITIVE and name in self.unasked):
            return Verdict.RUN
        return Verdict.ASK


LOCAL_ASSISTANT = Permissions(
    categories=frozenset({Category.SAFE, Category.SENSITIVE}),
    unasked=frozenset(
        {
            "set_timer",
            "cancel_timers",
            "set_alarm",
            "cancel_alarms",
            "schedule_request",
            "change_scheduled_request",
            "set_volume",
            "control_media",
            "switch_agent",
            "switch_workspace",
            "create_note",
            "append_to_note",
            "list_notes",
            "read_note",
            "search_notes",
            "find_person",
        }
    ),
)
"""Sori in the user's own window, terminal or room."""

REMOTE_CALLER = Permissions(remote=True)
"""A caller who is not at this computer, such as a messenger. Only safe tools run for it."""

READS_NOTES = frozenset({"list_notes", "read_note", "search_notes"})
"""Sensitive tools that only read what the user wrote for Sori."""
