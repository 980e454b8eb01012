"""The slots of a transfer, and everything else that a session of the service keeps."""

import datetime as dt
from enum import StrEnum
from typing import Any

from pydantic import BaseModel, Field

from assistant.flows.services.transfer.reading.situation import KnownTransfer
from assistant.flows.state import BaseState


class Stage(StrEnum):
    """Where a transfer stands."""

    INIT = "INIT"
    FILLING = "FILLING"
    """A slot is missing or wrong."""
    READY = "READY"
    """The user is asked to confirm."""
    CONFIRMED = "CONFIRMED"
    """The user has confirmed; the transfer is carried out."""
    EXECUTED = "EXECUTED"
    FAILED = "FAILED"
    CANCELLED = "CANCELLED"
    UNSUPPORTED = "UNSUPPORTED"
    """The service cannot do what was asked for."""


class Recipient(BaseModel):
    """Who gets the money.

    Attributes:
        name: what the user calls the recipient.
        person: id of the person; empty for an account that was said.
        bank: name of the bank; empty if it is not known yet.
        account: number of the account; empty if it is not known yet.
        holder: in whose name the account is; empty if that is not known.
        label: what tells the recipient from others of the same name.
    """

    name: str
    person: str = ""
    bank: str = ""
    account: str = ""
    holder: str = ""
    label: str = ""

    @property
    def is_known(self) -> bool:
        """Whether money can be sent."""
        return bool(self.bank and self.account)


class TransferSlots(BaseModel):
    """One transfer.

    Attributes:
        recipient: who gets it.
        candidates: the people of the name that was said, if there are several.
        amount: the amount in won.
        basis: how the amount was found, if it was said by another one: ``half_of_balance``.
        date: the day; ``None`` for today.
        memo: the text that the recipient sees.
    """

    recipient: Recipient | None = None
    candidates: tuple[Recipient, ...] = ()
    amount: int | None = None
    basis: str = ""
    date: dt.date | None = None
    memo: str = ""


class SentBefore(BaseModel):
    """A transfer of the last days, to notice one that is made twice."""

    bank: str
    account: str
    name: str = ""
    amount: int
    at: str


class Facts(BaseModel):
    """What the bank told when the turn began.

    Attributes:
        today: the day of the turn.
        now: the time of the turn, ISO 8601 with offset.
        account: the user's own account.
        balance: won in the account.
        available: won that can be sent, without what is booked for later days.
        single_limit: most won of one transfer.
        daily_limit: most won of one day.
        sent: won that are sent or booked, by day.
        recent: the transfers of the last days, the newest first.
    """

    today: dt.date = dt.date.min
    now: str = ""
    account: str = ""
    balance: int = 0
    available: int = 0
    single_limit: int = 0
    daily_limit: int = 0
    sent: dict[str, int] = Field(default_factory=dict)
    recent: tuple[SentBefore, ...] = ()


class FinishedTransfer(BaseModel):
    """A transfer of the batch that is over.

    Attributes:
        slots: the transfer.
        outcome: how it ended: ``done``, ``failed``, ``refused``, ``unknown``.
    """

    slots: TransferSlots
    outcome: str


class TransferState(BaseState):
    """A session of the service.

    Attributes:
        slots: the present transfer.
        task_queue: the transfers that follow it.
        finished: those of the same request that are over.
        facts: what the bank told.
        errors: the values of the texts in ``meta.slot_errors``, by slot.
        asked: the slot that was asked for last.
    """

    slots: TransferSlots = Field(default_factory=TransferSlots)
    task_queue: tuple[TransferSlots, ...] = ()
    finished: tuple[FinishedTransfer, ...] = ()
    facts: Facts = Field(default_factory=Facts)
    errors: dict[str, dict[str, Any]] = Field(default_factory=dict)
    asked: str = ""

    @property
    def left(self) -> tuple[TransferSlots, ...]:
        """The transfers that are left, the present one first."""
        return (self.slots, *self.task_queue)

    @property
    def number(self) -> int:
        """The place of the present transfer in the batch, from 1."""
        return len(self.finished) + 1

    def known_transfers(self) -> tuple[KnownTransfer, ...]:
        """The transfers that are left, for the readers; empty before the first message."""
        if self.stage == Stage.INIT:
            return ()
        return tuple(
            KnownTransfer(
                number=number,
                recipient=slots.recipient.name if slots.recipient else "",
                person=slots.recipient.person if slots.recipient else "",
                amount=slots.amount,
            )
            for number, slots in enumerate(self.left, start=self.number)
        )
