"""The protocol between the gate and the user: it asks the user about a call and is told when the call runs."""

from enum import StrEnum
from typing import Protocol

from assistant.tools.frozen_call import FrozenCall
from assistant.tools.taint import Reason


class Reply(StrEnum):
    """The outcome of asking whether a tool may run. Only ``YES`` lets it run."""

    YES = "yes"
    NO = "no"
    LATE = "late"
    """Nobody answered in time."""
    UNASKED = "unasked"
    """There is no way to ask here."""


class Attendant(Protocol):
    """Represents the user during one call."""

    async def confirm(self, call: FrozenCall, reason: Reason) -> Reply:
        """Ask the user whether exactly this call may run.

        Args:
            call: the call.
            reason: why the call asks although its category does not demand it.
        """
        ...

    async def ask(self, call: FrozenCall, text: str) -> Reply:  # noqa: ARG002 - nobody is asked here
        """Ask the user a question that came up while the call runs; by default nobody is there to answer.

        Args:
            call: the running call.
            text: the question, ending with what is asked.
        """
        return Reply.UNASKED

    def progress(self, call: FrozenCall, text: str) -> None:  # noqa: ARG002 - as above
        """Tell the user how far the running call is; by default nobody is told."""
        return

    def passed(self, call: FrozenCall, *, within_s: float) -> None:
        """Take note that the call has passed the gate and is about to run, for ``within_s`` seconds at most."""
        ...
