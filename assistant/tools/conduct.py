"""What the calls of a turn have done and told so far, and what the user has answered (X-05, X-08)."""

import asyncio
from collections import Counter
from dataclasses import dataclass, field


@dataclass(slots=True)
class Conduct:
    """What counts for the next call of the same turn.

    The gate changes it while it decides, so calls that the model wrote together count as well.

    Attributes:
        told_bits: what calls of the conversation have told unasked, in bits.
        done: how many calls of each sensitive tool ran without a question.
        refused: the tools whose calls the user has refused. They are not asked about again in the turn.
        refuses_all: whether the user has refused every further question of the turn.
        granted: what the user allowed for the whole conversation; shared by its turns.
        asking: held while the user is asked.
    """

    told_bits: float = 0.0
    done: Counter[str] = field(default_factory=Counter)
    refused: set[str] = field(default_factory=set)
    refuses_all: bool = False
    granted: set[str] = field(default_factory=set)
    asking: asyncio.Lock = field(default_factory=asyncio.Lock)

    def has_refused(self, tool: str) -> bool:
        """Whether a call of this tool is refused without a question."""
        return self.refuses_all or tool in self.refused
