"""The turns of the service: the only place of the order of agents and of branches."""

import asyncio
from collections.abc import AsyncGenerator
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, ClassVar

from assistant.core.records.flows import StepOutcome, StepStatus
from assistant.flows.context import ExecutionContext
from assistant.flows.events import FlowEvent
from assistant.flows.handler import CANCEL, CONFIRM, BaseFlowHandler, ElsewhereError
from assistant.flows.manifest import People
from assistant.flows.services.transfer.agents.slot_filler.agent import delta_of, situation_of
from assistant.flows.services.transfer.bank import AccountView, BookingStatus, SimulatedBank
from assistant.flows.services.transfer.flows.subjects import is_about_transfers, is_elsewhere
from assistant.flows.services.transfer.logic import is_cancel, is_confirm
from assistant.flows.services.transfer.messages import day_text, won
from assistant.flows.services.transfer.phrasing import confirmation_of, question_of, told_of
from assistant.flows.services.transfer.reading.reader import read
from assistant.flows.services.transfer.state.models import FinishedTransfer, Stage, TransferSlots, TransferState
from assistant.flows.services.transfer.steps import SEND_MONEY, arguments_of
from assistant.flows.state import OVER

_RECENT = timedelta(days=7)
_OUTCOMES = {StepStatus.DONE: "done", StepStatus.FAILED: "failed", StepStatus.REFUSED: "refused"}


@dataclass(frozen=True, slots=True)
class Reach:
    """What the handler reads: the account and the people. Money moves by the step alone.

    Attributes:
        bank: the account.
        people: the people whom the user knows.
    """

    bank: SimulatedBank
    people: People


class TransferHandler(BaseFlowHandler[TransferState]):
    """Fills the slots, asks for a yes, carries out what was confirmed, and goes on to the next transfer.

    The manifest gives ``reach`` by a subclass, because the engine makes a handler for each turn.
    """

    reach: ClassVar[Reach]

    async def run(self, context: ExecutionContext[TransferState]) -> AsyncGenerator[FlowEvent, None]:
        """Answer a message; see ``BaseFlowHandler.run``."""
        await self._look_at_account(context)
        if context.state.executing is not None or context.state.stage == Stage.CONFIRMED:
            yield await self._recover(context)
            return
        begins = context.state.stage == Stage.INIT
        decision = self._decision(context, is_confirm, is_cancel)
        if decision == CANCEL and not begins:
            yield await self._cancelled(context)
        elif context.metadata.get("resumed"):
            yield await self._asked_again(context)
        elif context.state.stage == Stage.READY and decision == CONFIRM:
            yield await self._confirmed(context)
        elif decision == CONFIRM and not begins:
            # There is nothing to confirm yet, so the question that waits is asked again, without a model.
            yield await self._next_question(context)
        elif context.state.stage == Stage.READY:
            yield await self._changed_at_ready(context)
        else:
            async for event in self._filled(context, begins=begins):
                yield event

    async def _look_at_account(self, context: ExecutionContext[TransferState]) -> None:
        view = await asyncio.to_thread(self.reach.bank.view, context.now)
        self._apply(context, {"operations": [], "facts": facts_of(view, context)})

    async def _filled(
        self, context: ExecutionContext[TransferState], *, begins: bool
    ) -> AsyncGenerator[FlowEvent, None]:
        """A turn in which slots are filled: code's readers, then the model, then the answer and the next question."""
        _leave_to_others(context)
        call = self._call(context, "slot_filler", self._say(context, "label_slots"))
        async for event in call.events():
            yield event
        delta = call.result
        meta = delta.get("_meta") or {}
        asks = bool(meta.get("asks_nothing"))
        if asks and (begins or is_elsewhere(context.user_message)):
            raise ElsewhereError
        unclear = not delta["operations"] and not asks
        if begins and unclear and not is_about_transfers(context.user_message):
            raise ElsewhereError
        self._apply(context, {**delta, "_meta": {**meta, "parse_error": True}} if unclear else delta)
        if unclear and context.state.stage not in (*OVER, Stage.READY):
            async for event in self._stream_agent_turn(context, "interaction", self._say(context, "label_interaction")):
                yield event
        else:
            told = told_of(context.state, context.user_message, context.language) if asks else ""
            yield await self._next_question(context, told=told)

    async def _changed_at_ready(self, context: ExecutionContext[TransferState]) -> FlowEvent:
        """A message at READY that is no yes: a change that code understands, or nothing. No model is asked (F-02)."""
        reading = read(context.user_message, situation_of(context, await self.reach.people()))
        if reading.asks_nothing and is_elsewhere(context.user_message):
            raise ElsewhereError
        _leave_to_others(context)
        if reading.asks_nothing or not reading.whole:
            told = told_of(context.state, context.user_message, context.language) if reading.asks_nothing else ""
            unclear = not reading.asks_nothing and not is_confirm(context.user_message)
            return await self._asked_again(context, told, unclear=unclear)
        self._apply(context, delta_of(reading))
        return await self._next_question(context)

    async def _asked_again(
        self, context: ExecutionContext[TransferState], before: str = "", *, unclear: bool = False
    ) -> FlowEvent:
        """The question that waits, again. What is proposed stays the same, so its yes counts."""
        state = context.state
        if state.stage != Stage.READY or state.proposal is None:
            return await self._next_question(context)
        text = self._say(context, "unclear_ready") if unclear and context.confirmable else state.proposal.text
        return await self._done(
            context, " ".join(filter(None, [before, text])), action="CONFIRM", buttons=self._buttons(context)
        )

    async def _next_question(
        self, context: ExecutionContext[TransferState], before: str = "", *, told: str = ""
    ) -> FlowEvent:
        """What is asked next, or the end.

        Args:
            context: the turn.
            before: how a transfer has just ended; empty for none.
            told: the answer to what the user has asked beside the question that waits.
        """
        if context.state.stage in OVER:
            return await self._over(context, before)
        if context.state.stage == Stage.READY:
            return await self._proposed(context, before)
        text = " ".join(filter(None, [before, told, question_of(context.state, context.language)]))
        return await self._done(context, text, action="ASK", hooks=self._hooks(context) if before else [])

    async def _proposed(self, context: ExecutionContext[TransferState], before: str = "") -> FlowEvent:
        """Ask the user to confirm the transfer with all its details. A yes to a former question is void from here."""
        state = context.state
        question = confirmation_of(state, context.language)
        self._propose(context, SEND_MONEY, arguments_of(state.slots, state.facts), question)
        text = " ".join(filter(None, [before, question]))
        hooks = self._hooks(context) if before else []
        return await self._done(context, text, action="CONFIRM", buttons=self._buttons(context), hooks=hooks)

    async def _confirmed(self, context: ExecutionContext[TransferState]) -> FlowEvent:
        """Carry out what was confirmed, tell how it ended, and go on."""
        proposal = context.state.proposal
        if not context.confirmable:
            return await self._asked_again(context)
        self._apply(context, {"operations": [{"op": "confirm", "digest": context.confirmable}]})
        if context.state.stage != Stage.CONFIRMED or proposal is None:
            return await self._asked_again(context)
        outcome = await self._execute(context, proposal)
        return await self._concluded(context, outcome, proposal.key)

    async def _recover(self, context: ExecutionContext[TransferState]) -> FlowEvent:
        """After a crash in the execution: tell how it ended; ask anew if it certainly never began."""
        key = context.state.executing.key if context.state.executing is not None else ""
        outcome = await self._recovered(context)
        if outcome is None:
            self._apply(context, {"operations": [{"op": "retract"}]})
            self._apply(context, {"operations": [{"op": "set", "slot": "memo", "value": context.state.slots.memo}]})
            return await self._next_question(context, self._say(context, "not_begun"))
        return await self._concluded(context, outcome, key, self._say(context, "stopped"))

    async def _concluded(
        self, context: ExecutionContext[TransferState], outcome: StepOutcome, key: str, before: str = ""
    ) -> FlowEvent:
        slots = context.state.slots
        await self._look_at_account(context)
        text = await self._told(context, slots, outcome, key)
        self._apply(context, {"operations": [{"op": "executed", "outcome": _OUTCOMES.get(outcome.status, "unknown")}]})
        return await self._next_question(context, " ".join(filter(None, [before, text])))

    async def _told(
        self, context: ExecutionContext[TransferState], slots: TransferSlots, outcome: StepOutcome, key: str
    ) -> str:
        """How a transfer ended, with the balance. An unknown outcome is told as such; the bank's history is read."""
        name = slots.recipient.name if slots.recipient is not None else ""
        amount = won(context.language, slots.amount or 0)
        if outcome.status in {StepStatus.FAILED, StepStatus.REFUSED}:
            return self._say(context, "failed", name=name, reason=outcome.text)
        booking = await asyncio.to_thread(self.reach.bank.find, key)
        if outcome.status is not StepStatus.DONE:
            found = self._say(context, "unknown_missing" if booking is None else "unknown_found")
            return self._say(context, "unknown", name=name, amount=amount, found=found)
        if booking is not None and booking.status is BookingStatus.SCHEDULED:
            available = won(context.language, context.state.facts.available)
            day = day_text(context.language, booking.order.day, context.state.facts.today)
            return self._say(context, "done_later", name=name, amount=amount, day=day, available=available)
        balance = won(context.language, context.state.facts.balance)
        return self._say(context, "done", name=name, amount=amount, balance=balance)

    async def _cancelled(self, context: ExecutionContext[TransferState]) -> FlowEvent:
        self._apply(context, {"operations": [{"op": "cancel"}]})
        return await self._over(context)

    async def _over(self, context: ExecutionContext[TransferState], before: str = "") -> FlowEvent:
        """The last message of a request."""
        state = context.state
        done = sum(each.outcome == "done" for each in state.finished)
        text = before
        if state.stage == Stage.CANCELLED:
            text = self._say(context, "cancelled_rest", done=done) if done else self._say(context, "cancelled")
        elif state.stage == Stage.UNSUPPORTED:
            text = question_of(state, context.language)
        elif not before:
            text = self._say(context, "nothing_left")
        return await self._done(context, text, action="DONE", hooks=self._hooks(context) if before else [])

    def _hooks(self, context: ExecutionContext[TransferState]) -> list[dict[str, Any]]:
        """What the front end and the server learn of the transfer that has just ended."""
        last: FinishedTransfer | None = context.state.finished[-1] if context.state.finished else None
        if last is None:
            return []
        kind = "transfer_completed" if last.outcome == "done" else "transfer_not_completed"
        return [{"type": kind, "data": {"outcome": last.outcome, **last.slots.model_dump(mode="json")}}]


def _leave_to_others(context: ExecutionContext[TransferState]) -> None:
    """Let another service have a message that it wants, unless the message is about transfers.

    Raises:
        ElsewhereError: it wants it.
    """
    if context.metadata.get("elsewhere") and not is_about_transfers(context.user_message):
        raise ElsewhereError


def facts_of(view: AccountView, context: ExecutionContext[TransferState]) -> dict[str, Any]:
    """What the state keeps of the account for this turn."""
    recent = [
        {
            "bank": each.order.bank,
            "account": each.order.account,
            "name": each.order.name,
            "amount": each.order.amount,
            "at": each.asked_at.isoformat(),
        }
        for each in view.recent
        if each.status is not BookingStatus.FAILED and each.asked_at >= context.now - _RECENT
    ]
    return {
        "today": context.now.date().isoformat(),
        "now": context.now.isoformat(),
        "account": view.number,
        "balance": view.balance,
        "available": view.available,
        "single_limit": view.single_limit,
        "daily_limit": view.daily_limit,
        "sent": {day.isoformat(): amount for day, amount in view.sent.items()},
        "recent": recent,
    }
