"""Requests by which a door records what others ask of it (X-07, P-25)."""

from assistant.core.records.egress import DataClass
from assistant.core.service.request import Request, Right


class BeginCall(Request[int], right=Right.OWN):
    """Record a call from outside in the audit log, before it is carried out. The result is its number there.

    Attributes:
        caller: the name of the caller's token; empty for a caller without a valid one.
        call: what is called: the method and the address without its parameters.
        path: the address as it was called, without its query.
        conversation: the conversation that it concerns; empty for none.
        refusal: why it is not carried out; empty if it is.
    """

    caller: str
    call: str
    path: str
    conversation: str = ""
    refusal: str = ""


class EndCall(Request[None], right=Right.OWN):
    """Record how a call from outside ended, and what leaves with its answer, before the answer is sent.

    Attributes:
        number: the call's number in the audit log.
        outcome: ``done``, ``failed`` or ``refused``.
        result: the status of the answer.
        took_ms: milliseconds from its beginning to its answer.
        caller: the name of the caller's token; empty for a caller without one.
        destination: the address at which it was called, in the form of the ledger.
        size: size of the answer in bytes; 0 for a stream, whose end is recorded as a further call of the ledger.
        data: kinds of the user's data in the answer; empty for an answer that the ledger does not hold.
    """

    number: int
    outcome: str
    result: str
    took_ms: int
    caller: str = ""
    destination: str = ""
    size: int = 0
    data: tuple[DataClass, ...] = ()
