"""Who attends a tool call on behalf of the user: is asked before it runs, and is told when it passes the gate."""

from enum import StrEnum
from typing import Protocol

from assistant.tools.frozen_call import FrozenCall


class Reply(StrEnum):
    """What became of the question whether a tool may run; only ``YES`` lets it run."""

    YES = "yes"
    NO = "no"
    LATE = "late"
    """Nobody has answered in time."""
    UNASKED = "unasked"
    """There is no way to ask here."""


class Attendant(Protocol):
    """Attends one call."""

    async def confirm(self, call: FrozenCall) -> Reply:
        """Ask the user whether exactly this may run."""
        ...

    def passed(self, call: FrozenCall) -> None:
        """The call has passed the gate and runs now."""
        ...
