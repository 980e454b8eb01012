"""The protocol between the gate and the user: it asks the user about a call and is told when the call runs."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Protocol

from assistant.tools.frozen_call import FrozenCall
from assistant.tools.grants import GrantScope


class AskReason(StrEnum):
    """Why a call asks although its category does not demand it."""

    NONE = ""
    UNTRUSTED = "untrusted"
    """Outside content may have caused the call."""
    REMEMBERED = "remembered"
    """Remembered lines may have caused the call, and nothing else came from outside."""
    PRIVATE = "private"
    """The call may send out private data that a tool has read."""
    UNAPPROVED = "unapproved"
    """A remembered line that nobody approved may have caused the call."""
    LEAVES = "leaves"
    """The call reads private data for a model of another computer, and nobody asked for these data."""
    ADDRESS = "address"
    """Nobody asked for this address, and no search found it."""
    TELLS = "tells"
    """The choices of this conversation's calls could spell something by now."""


class Reply(StrEnum):
    """The outcome of asking whether a tool may run. Only ``YES`` and ``ALWAYS`` let it run."""

    YES = "yes"
    ALWAYS = "always"
    """Calls of the question's scope are not asked about again."""
    NO = "no"
    NO_TO_ALL = "no_to_all"
    """No further question of the turn is asked either."""
    REFUSED_BEFORE = "refused_before"
    """The user has refused the same tool in this turn, and was not asked again."""
    LATE = "late"
    """Nobody answered in time."""
    UNASKED = "unasked"
    """There is no way to ask here."""
    SKIP = "skip"
    """The user leaves a question open that need not be answered."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A question that is answered with words.

    Attributes:
        text: the question, which names who asks.
        options: the texts to choose from; empty for words of the user's own.
        skippable: whether it may be left open.
    """

    text: str
    options: tuple[str, ...] = ()
    skippable: bool = False


@dataclass(frozen=True, slots=True)
class WordedReply:
    """The answer in words: with ``Reply.YES`` the user's text."""

    reply: Reply
    text: str = ""


class Attendant(Protocol):
    """Represents the user during one call."""

    async def confirm(self, call: FrozenCall, reason: AskReason, scope: GrantScope | None = None) -> Reply:
        """Ask the user whether exactly this call may run.

        Args:
            call: the call.
            reason: why the call asks although its category does not demand it.
            scope: what the answer "always" covers; ``None`` if each call has to ask.
        """
        ...

    async def ask(
        self,
        call: FrozenCall,  # noqa: ARG002 - nobody is asked here
        text: str,  # noqa: ARG002
        exactly: Mapping[str, Any] | None = None,  # noqa: ARG002
    ) -> Reply:
        """Ask the user a question that came up while the call runs; by default nobody is there to answer.

        Args:
            call: the running call.
            text: the question, ending with what is asked.
            exactly: what is shown exactly beside the question, such as an address.
        """
        return Reply.UNASKED

    async def ask_words(self, call: FrozenCall, question: Question) -> WordedReply:  # noqa: ARG002 - as above
        """Ask the user for words while the call runs. Neither question nor answer is told to the model."""
        return WordedReply(Reply.UNASKED)

    async def refer(self, call: FrozenCall) -> None:  # noqa: ARG002 - as above
        """Keep a call that does not run here, for the user to decide about it at this computer."""
        return

    async def may_begin(self, call: FrozenCall) -> bool:  # noqa: ARG002 - as above
        """Whether the call that has passed the gate begins now; ``False`` for one that was begun elsewhere."""
        return True

    def progress(self, call: FrozenCall, text: str) -> None:  # noqa: ARG002 - as above
        """Tell the user how far the running call is; by default nobody is told."""
        return

    def passed(self, call: FrozenCall, *, within_s: float) -> None:
        """Take note that the call has passed the gate and is about to run, for ``within_s`` seconds at most."""
        ...
