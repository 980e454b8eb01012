"""What a tool may touch, and what an agent may do with it (X-01, X-05).

A tool declares the category that is true of it. What an agent may use, and what of it runs without asking the user, is
the agent's ``Permissions``. The gate (``tools/runner.py``) asks ``verdict`` and nothing else.
"""

from collections.abc import Collection
from dataclasses import dataclass
from enum import StrEnum


class Category(StrEnum):
    """How much a tool can do."""

    SAFE = "safe"
    """Reads public or already visible things; changes nothing."""
    SENSITIVE = "sensitive"
    """Reads private things or changes something; asked about each time, unless the agent may do just this unasked."""
    RESTRICTED = "restricted"
    """Can do lasting harm; asked about each time and never offered by default."""


DEFAULT_PERMITTED = frozenset({Category.SAFE})
"""What an agent may use unless it declares more."""


class Verdict(StrEnum):
    """What becomes of a call."""

    RUN = "run"
    ASK = "ask"
    REFUSE = "refuse"


@dataclass(frozen=True, slots=True, kw_only=True)
class Permissions:
    """What an agent may do.

    Attributes:
        categories: of the tools that it may use at all; others are neither offered nor run.
        unasked: names of the sensitive tools that run without a confirmation. A tool belongs here only if the user asks
            for it in words and would find a question absurd, notices at once what it did, can take it back with a few
            words, and if it reads nothing private and sends nothing anywhere. A restricted tool is never among them:
            what it is named changes nothing.
    """

    categories: frozenset[Category] = DEFAULT_PERMITTED
    unasked: Collection[str] = ()

    def verdict(self, name: str, category: Category) -> Verdict:
        """What becomes of a call of this tool, whoever makes it."""
        if category not in self.categories:
            return Verdict.REFUSE
        if category is Category.SAFE or (category is Category.SENSITIVE and name in self.unasked):
            return Verdict.RUN
        return Verdict.ASK


LOCAL_ASSISTANT = Permissions(
    categories=frozenset({Category.SAFE, Category.SENSITIVE}),
    unasked=frozenset({"set_timer", "cancel_timers", "set_volume"}),
)
"""Sori in the user's own window, terminal or room. Whoever comes from elsewhere gets ``Permissions()``."""
