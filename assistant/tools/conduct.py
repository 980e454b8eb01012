"""What the calls of a turn have done and told so far, and what the user has answered (X-05, X-08)."""

import asyncio
from collections import Counter
from dataclasses import dataclass, field

_MOST_REFUSALS = 2


@dataclass(slots=True)
class Conduct:
    """What counts for the next call of the same turn.

    The gate changes it while it decides, so calls that the model wrote together count as well.

    Attributes:
        told_bits: what calls of the conversation have told unasked, in bits.
        done: how many calls of each sensitive tool ran without a question.
        reply: the number of the model's reply whose calls run.
        refused: for each tool whose calls the user has refused, in which reply first, and how often.
        refuses_all: whether the user has refused every further question of the turn.
        granted: what the user allowed for the whole conversation; shared by its turns.
        asking: held while the user is asked.
    """

    told_bits: float = 0.0
    done: Counter[str] = field(default_factory=Counter)
    reply: int = 0
    refused: dict[str, tuple[int, int]] = field(default_factory=dict)
    refuses_all: bool = False
    granted: set[str] = field(default_factory=set)
    asking: asyncio.Lock = field(default_factory=asyncio.Lock)

    def refuse(self, tool: str) -> None:
        """Note that the user has refused a call of a tool."""
        first, times = self.refused.get(tool, (self.reply, 0))
        self.refused[tool] = first, times + 1

    def has_refused(self, tool: str) -> bool:
        """Whether a call of this tool is refused without a question.

        A model that tries again is not asked about again. Calls that it wrote together may differ, so two are.
        """
        first, times = self.refused.get(tool, (self.reply, 0))
        return self.refuses_all or first < self.reply or times >= _MOST_REFUSALS
