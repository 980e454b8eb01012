"""Whether a transfer is complete and allowed. Pure."""

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from assistant.flows.services.transfer.state.models import Facts, SentBefore, TransferSlots, TransferState

FARTHEST_DAYS = 365
"""Days ahead for which a transfer may be booked."""
LONGEST_MEMO = 30
"""Characters of a memo."""
TWICE_WITHIN = timedelta(hours=1)
"""Time within which the same transfer is one that was perhaps made already."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SlotProblem:
    """Why a transfer cannot be proposed yet.

    Attributes:
        slot: the slot to ask for.
        error: key of the text that says what is wrong; empty if the slot is only missing.
        values: the values of that text.
        void: the slot whose value goes, so that it is asked for anew.
    """

    slot: str
    error: str = ""
    values: dict[str, Any] = field(default_factory=dict)
    void: str = ""

    def without(self, slots: TransferSlots) -> TransferSlots:
        """The slots without the value that is wrong."""
        empty: dict[str, Any] = {"amount": {"amount": None, "basis": ""}, "date": {"date": None}, "memo": {"memo": ""}}
        return slots.model_copy(update=empty.get(self.void, {}))


def problem_of(slots: TransferSlots, state: TransferState) -> SlotProblem | None:
    """The first problem of a transfer; ``None`` if it can be proposed."""
    return _recipient_problem(slots) or _amount_problem(slots, state.facts) or _other_problem(slots, state.facts)


def sent_lately(slots: TransferSlots, facts: Facts) -> SentBefore | None:
    """The same transfer, if it was made a short time before."""
    if slots.recipient is None or not facts.now:
        return None
    now = datetime.fromisoformat(facts.now)
    for each in facts.recent:
        same = (each.bank, each.account, each.amount) == (slots.recipient.bank, slots.recipient.account, slots.amount)
        if same and now - datetime.fromisoformat(each.at) <= TWICE_WITHIN:
            return each
    return None


def _recipient_problem(slots: TransferSlots) -> SlotProblem | None:
    recipient = slots.recipient
    if slots.candidates:
        return SlotProblem(slot="choice", error="choice", values={"name": slots.candidates[0].name})
    if recipient is None:
        return SlotProblem(slot="recipient")
    if recipient.account and not recipient.bank:
        return SlotProblem(slot="bank", error="bank", values={"account": recipient.account})
    if not recipient.is_known:
        return SlotProblem(slot="recipient", error="no_account", values={"name": recipient.name})
    return None


def _amount_problem(slots: TransferSlots, facts: Facts) -> SlotProblem | None:
    amount = slots.amount
    if amount is None:
        return SlotProblem(slot="amount")
    day = (slots.date or facts.today).isoformat()
    left_of_day = facts.daily_limit - facts.sent.get(day, 0)
    wrong = next(
        (
            (error, limit)
            for error, limit, broken in (
                ("amount_minimum", 1, amount < 1),
                ("amount_funds", facts.available, amount > facts.available),
                ("amount_single", facts.single_limit, amount > facts.single_limit),
                ("amount_daily", max(0, left_of_day), amount > left_of_day),
            )
            if broken
        ),
        None,
    )
    if wrong is None:
        return None
    return SlotProblem(slot="amount", error=wrong[0], values={"amount": amount, "limit": wrong[1]}, void="amount")


def _other_problem(slots: TransferSlots, facts: Facts) -> SlotProblem | None:
    if slots.date is not None and slots.date < facts.today:
        return SlotProblem(slot="date", error="date_past", void="date")
    if slots.date is not None and slots.date > facts.today + timedelta(days=FARTHEST_DAYS):
        return SlotProblem(slot="date", error="date_far", values={"days": FARTHEST_DAYS}, void="date")
    if len(slots.memo) > LONGEST_MEMO:
        return SlotProblem(slot="memo", error="memo_long", values={"most": LONGEST_MEMO}, void="memo")
    return None
