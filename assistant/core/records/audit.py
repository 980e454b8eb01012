"""The audit log: every tool call, what was decided about it, and how it ended (X-07)."""

from dataclasses import dataclass
from typing import Protocol

HTTP = "http"
"""``AuditedCall.category`` of a call of another program over HTTP; ``tool`` is its method and address."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditedCall:
    """One tool call at the gate, as it is recorded before it runs.

    Attributes:
        conversation: the conversation's id; empty for an agent without one.
        turn: the turn's id.
        tool: name of the tool, as the model wrote it.
        category: category of the tool; empty for an unknown tool.
        arguments: the arguments as JSON text, secrets masked.
        digest: SHA-256 of the tool's name and the exact arguments, the same as in the question; empty if the arguments
            could not be read.
        decision: ``run``, ``ask`` or ``refuse``.
        reason: why it asked although its category does not demand it; empty otherwise.
        answer: the outcome of the question, a value of ``tools.attendant.Reply``; empty if nothing was asked, or before
            the answer.
    """

    conversation: str
    turn: str
    tool: str
    category: str
    arguments: str
    digest: str
    decision: str
    reason: str = ""
    answer: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditedEnd:
    """How a call ended.

    Attributes:
        outcome: ``done``, ``failed`` or ``refused``.
        result: the beginning of the result or of the error.
        took_ms: milliseconds from the decision to the end, with the wait for the user's answer.
    """

    outcome: str
    result: str
    took_ms: int


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredCall:
    """One call as it was recorded.

    Attributes:
        id: number by which the user names the call.
        at: when the decision was recorded, ISO 8601 in the user's time zone.
        call: the call and the decision.
        end: how it ended; ``None`` if it runs, was cancelled, or Sori ended during it.
    """

    id: int
    at: str
    call: AuditedCall
    end: AuditedEnd | None


class AuditLog(Protocol):
    """The store of audited calls."""

    async def begin(self, call: AuditedCall, *, durable: bool) -> int:
        """Record a call and return its number. The caller awaits this before the tool runs.

        Args:
            call: the call.
            durable: whether the record must survive a power cut.

        Raises:
            StorageError: the record cannot be written.
        """
        ...

    async def answer(self, number: int, answer: str, *, durable: bool) -> None:
        """Record the user's answer. The caller awaits this before the tool runs.

        Raises:
            StorageError: the record cannot be written.
        """
        ...

    async def end(self, number: int, end: AuditedEnd) -> None:
        """Record how the call ended.

        Raises:
            StorageError: the record cannot be written.
        """
        ...
