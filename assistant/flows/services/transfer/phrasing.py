"""What code itself says of a state: the next question, what is wrong, what is confirmed. Pure."""

import re
from datetime import datetime
from typing import Any

from assistant.core.settings import Language
from assistant.flows.services.transfer.messages import MESSAGES, day_text, won
from assistant.flows.services.transfer.state.models import TransferSlots, TransferState
from assistant.flows.services.transfer.state.validity import sent_lately

_MONEY = frozenset({"amount", "limit"})
"""Values of an error that are amounts in won."""
_FUNDS = re.compile(
    r"잔액|잔고|한도|통장|남았|남은|\b(?:balance|limits?|left|funds|how much do i have)\b", re.IGNORECASE
)
_PAST = re.compile(
    r"보냈|보낸|부쳤|쐈|받았|받은|이체(?:했|한)|송금(?:했|한)|지난|\b(?:sent|did|paid|transferred|received)\b",
    re.IGNORECASE,
)
_RECENT = 3
"""How many of the newest transfers are told."""


def told_of(state: TransferState, message: str, language: Language) -> str:
    """What a question before the yes is answered: that nothing has gone, and the facts that it asks for.

    No model answers a question, because a small one tells of money that has gone.
    """
    facts = state.facts
    told = [MESSAGES(language, "not_sent")]
    if _FUNDS.search(message):
        funds = {"available": facts.available, "single": facts.single_limit, "daily": facts.daily_limit}
        told.append(MESSAGES(language, "funds", **{name: won(language, value) for name, value in funds.items()}))
    if facts.recent and _PAST.search(message):
        recent = (
            f"{day_text(language, datetime.fromisoformat(each.at).date(), facts.today)} "
            f"{each.name or each.account} {won(language, each.amount)}"
            for each in facts.recent[:_RECENT]
        )
        told.append(MESSAGES(language, "recent", recent=", ".join(recent)))
    return " ".join(told)


def errors_of(state: TransferState, language: Language) -> dict[str, str]:
    """What is wrong, by slot, in the user's words. A choice between people is a question and no error."""
    return {
        slot: _error(key, state.errors.get(slot, {}), language)
        for slot, key in state.meta.slot_errors.items()
        if key not in {"choice", "bank"}
    }


def question_of(state: TransferState, language: Language) -> str:
    """The next question, after what is wrong. Each question follows its reason, so none is repeated without one."""
    errors = list(errors_of(state, language).values())
    slots, asked = state.slots, state.asked
    if asked == "choice":
        question = MESSAGES(language, "ask_choice", name=slots.candidates[0].name, choices=choices_of(slots, language))
    elif asked == "amount" and slots.recipient is not None and slots.recipient.person:
        question = MESSAGES(language, "ask_amount", name=slots.recipient.name)
    elif asked == "amount":
        question = MESSAGES(language, "ask_amount_alone")
    elif asked == "recipient" and "recipient" in state.meta.slot_errors and slots.recipient is not None:
        question = ""  # The error asks for the account itself.
    else:
        question = MESSAGES(language, f"ask_{asked}") if asked else ""
    return " ".join(filter(None, [progress_of(state, language).strip(), *errors, question]))


def choices_of(slots: TransferSlots, language: Language) -> str:
    """The people of one name, with what tells them apart."""
    return ", ".join(
        MESSAGES(language, "choice", number=number, label=each.label or each.holder, bank=each.bank)
        for number, each in enumerate(slots.candidates, start=1)
    )


def confirmation_of(state: TransferState, language: Language) -> str:
    """The question before a transfer, with all that is decided and what the user should know."""
    slots, facts = state.slots, state.facts
    if slots.recipient is None or slots.amount is None:
        raise ValueError("the transfer is not complete")
    recipient, amount = slots.recipient, won(language, slots.amount)
    day = day_text(language, slots.date or facts.today, facts.today)
    holder = recipient.holder if recipient.holder != recipient.name else ""
    details = [
        MESSAGES(
            language,
            "detail_account",
            bank=recipient.bank,
            account=recipient.account,
            holder=MESSAGES(language, "detail_holder", holder=holder) if holder else "",
        )
    ]
    if slots.basis:
        details.append(MESSAGES(language, f"detail_basis_{slots.basis}"))
    if slots.memo:
        details.append(MESSAGES(language, "detail_memo", memo=slots.memo))
    if state.task_queue:
        rest = ", ".join(_short(each, language) for each in state.task_queue)
        details.append(MESSAGES(language, "detail_next", rest=rest))
    question = MESSAGES(
        language, "confirm", progress=progress_of(state, language), name=recipient.name, amount=amount, day=day
    )
    return " ".join([question, *details, *_warnings(state, language), *errors_of(state, language).values()])


def progress_of(state: TransferState, language: Language) -> str:
    """Which transfer of how many it is; empty for a single one."""
    if not state.meta.batch_total:
        return ""
    return MESSAGES(language, "progress", number=state.number, total=state.meta.batch_total)


def _short(slots: TransferSlots, language: Language) -> str:
    name = slots.recipient.name if slots.recipient is not None else MESSAGES(language, "somebody")
    if slots.amount is None:
        return MESSAGES(language, "next_open", name=name)
    return MESSAGES(language, "next_one", name=name, amount=won(language, slots.amount))


def _warnings(state: TransferState, language: Language) -> list[str]:
    warnings = []
    before = sent_lately(state.slots, state.facts)
    if before is not None:
        ago = datetime.fromisoformat(state.facts.now) - datetime.fromisoformat(before.at)
        minutes, amount = int(ago.total_seconds() // 60), won(language, before.amount)
        just = MESSAGES(language, "warn_just", amount=amount)
        warnings.append(MESSAGES(language, "warn_twice", minutes=minutes, amount=amount) if minutes else just)
    total = sum(each.amount or 0 for each in state.left)
    if len(state.left) > 1 and total > state.facts.available:
        values = {"total": won(language, total), "available": won(language, state.facts.available)}
        warnings.append(MESSAGES(language, "warn_total", **values))
    return warnings


def _error(key: str, values: dict[str, Any], language: Language) -> str:
    shown = {name: won(language, value) if name in _MONEY else value for name, value in values.items()}
    return MESSAGES(language, f"error_{key}", **shown)
