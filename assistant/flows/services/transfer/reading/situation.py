"""What a reader must know besides the message: who is known, and what was said before. Pure."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from assistant.core.records.people import Person

Operation = dict[str, Any]
"""One change of the slots, as the state manager applies it: ``{"op": "set", "slot": "amount", "value": 50000}``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownTransfer:
    """A transfer of the flow that is not executed yet.

    Attributes:
        number: its place in the batch, from 1.
        recipient: the recipient's name; empty if it is not known yet.
        person: id of the person; empty for an account that was said.
        amount: the amount in won; ``None`` if it is not known yet.
    """

    number: int
    recipient: str = ""
    person: str = ""
    amount: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Situation:
    """Where the conversation stands.

    Attributes:
        now: the time of the message, with its time zone.
        people: the people whom the user knows.
        transfers: the transfers that are left, the present one first; empty before the first one.
        asked: the slot that was asked for last: ``recipient``, ``amount``, ``date``, ``memo``, ``choice``, ``bank``;
            empty for none.
        choices: between whom the user was asked to choose.
        account: the number of an account whose bank was asked for.
    """

    now: datetime
    people: tuple[Person, ...] = ()
    transfers: tuple[KnownTransfer, ...] = ()
    asked: str = ""
    choices: tuple[Operation, ...] = ()
    account: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class TransferReading:
    """What code has understood of a message.

    Attributes:
        operations: what the message asks for. Nothing of them counts unless ``whole``.
        whole: whether every word was understood.
        left: the words that were not.
        asks_nothing: whether it is a question, a report or a refusal, so that no slot may change.
    """

    operations: tuple[Operation, ...] = ()
    whole: bool = False
    left: str = ""
    asks_nothing: bool = False
