"""The turns of the service: asks for each slot, asks for a yes, sets the reminder, goes on to the next."""

from collections.abc import AsyncGenerator
from datetime import datetime

from assistant.agent.context.recurrence_words import spoken_recurrence
from assistant.agent.context.wording import spoken_time, written_date
from assistant.core.records.flows import StepOutcome, StepStatus
from assistant.core.times.recurrence import Recurrence
from assistant.flows.context import ExecutionContext
from assistant.flows.events import FlowEvent
from assistant.flows.handler import CANCEL, CONFIRM, BaseFlowHandler, ElsewhereError
from assistant.flows.services.reminder.logic import count_of, declines, is_cancel, is_confirm, is_question
from assistant.flows.services.reminder.reading import read
from assistant.flows.services.reminder.state.models import ReminderStage, ReminderState
from assistant.flows.state import UNCLEAR

SET_ALARM = "set_alarm"
"""The tool of Sori that sets the reminder."""


class ReminderHandler(BaseFlowHandler[ReminderState]):
    """Fills the slots, asks for a yes, carries out what was confirmed."""

    async def run(self, context: ExecutionContext[ReminderState]) -> AsyncGenerator[FlowEvent, None]:
        """Answer a message; see ``BaseFlowHandler.run``."""
        state = context.state
        decision = self._decision(context, is_confirm, lambda text: _cancels(text, state.asked))
        if state.stage == ReminderStage.INIT:
            self._apply(context, {"operations": [{"op": "begin", "total": count_of(context.user_message) or 1}]})
            yield await self._next(context)
        elif state.executing is not None or state.stage == ReminderStage.CONFIRMED:
            yield await self._recover(context)
        elif context.metadata.get("resumed"):
            yield await self._next(context)
        elif decision == CANCEL:
            self._apply(context, {"operations": [{"op": "cancel"}]})
            yield await self._done(context, self._say(context, "cancelled"), action="DONE")
        elif state.stage == ReminderStage.READY:
            yield await self._at_ready(context, decision)
        else:
            async for event in self._filled(context):
                yield event

    async def _filled(self, context: ExecutionContext[ReminderState]) -> AsyncGenerator[FlowEvent, None]:
        """A message while something is missing: code's readers, then the model, then the next question."""
        if context.state.asked == "repeat" and declines(context.user_message):
            self._apply(context, {"operations": [{"op": "set", "values": {"rule": "", "repeat_known": True}}]})
            yield await self._next(context)
            return
        # What the reminder is of may be anything.
        if is_question(context.user_message) or (context.metadata.get("elsewhere") and context.state.asked != "what"):
            raise ElsewhereError
        call = self._call(context, "slot_filler", self._say(context, "label"))
        async for event in call.events():
            yield event
        self._apply(context, call.result)
        yield await self._next(context)

    async def _at_ready(self, context: ExecutionContext[ReminderState], decision: str) -> FlowEvent:
        """A yes, a change that code understands, or nothing. No model is asked (F-02)."""
        if decision == CONFIRM or is_confirm(context.user_message):
            return await self._confirmed(context)
        if is_question(context.user_message):
            raise ElsewhereError
        clock = self._parts.clock
        operations = read(context.user_message, context.state.slots, "", context.now, clock.moment)
        if operations is None and context.metadata.get("elsewhere"):
            raise ElsewhereError
        if operations is None and context.confirmable:
            text = self._say(context, "unclear_ready")
            return await self._done(context, text, action="CONFIRM", buttons=self._buttons(context))
        self._apply(context, {"operations": operations or []})
        return await self._next(context)

    async def _confirmed(self, context: ExecutionContext[ReminderState]) -> FlowEvent:
        proposal = context.state.proposal
        if proposal is None or not context.confirmable:
            return await self._next(context)
        self._apply(context, {"operations": [{"op": "confirm"}]})
        return await self._concluded(context, await self._execute(context, proposal))

    async def _recover(self, context: ExecutionContext[ReminderState]) -> FlowEvent:
        """After a crash: tell how it ended; ask anew if it certainly never began."""
        outcome = await self._recovered(context)
        if outcome is None:
            self._apply(context, {"operations": [{"op": "retract"}]})
            return await self._next(context)
        return await self._concluded(context, outcome)

    async def _concluded(self, context: ExecutionContext[ReminderState], outcome: StepOutcome) -> FlowEvent:
        done = outcome.status is StepStatus.DONE
        if done:
            text = outcome.text
        elif outcome.status is StepStatus.UNKNOWN:
            text = self._say(context, "unknown")
        else:
            text = self._say(context, "failed", reason=outcome.text)
        stage = ReminderStage.EXECUTED if done else ReminderStage.FAILED
        self._apply(context, {"operations": [{"op": "ended", "stage": stage}]})
        if context.state.stage == ReminderStage.FILLING:
            return await self._next(context, f"{text} ")
        return await self._done(context, text, action="DONE")

    async def _next(self, context: ExecutionContext[ReminderState], before: str = "") -> FlowEvent:
        """The next question, after what is wrong; the question for a yes once all is known."""
        state = context.state
        errors = state.meta.slot_errors
        wrong = "error_when" if "when" in errors else "error_unclear" if UNCLEAR in errors else ""
        head = before + (self._say(context, wrong) if wrong else "") + self._progress(context)
        if state.asked:
            return await self._done(context, head + self._say(context, f"ask_{state.asked}"), action="ASK")
        if state.proposal is None:
            slots = state.slots
            arguments = {"when": slots.due, "what": slots.what, **({"repeat": slots.rule} if slots.rule else {})}
            self._propose(
                context, SET_ALARM, arguments, self._say(context, "confirm", when=when_of(context), what=slots.what)
            )
        text = head + (context.state.proposal.text if context.state.proposal is not None else "")
        return await self._done(context, text, action="CONFIRM", buttons=self._buttons(context))

    def _progress(self, context: ExecutionContext[ReminderState]) -> str:
        meta = context.state.meta
        if meta.batch_total < 2:
            return ""
        return self._say(context, "progress", total=meta.batch_total, number=meta.batch_progress + 1)


def _cancels(text: str, asked: str) -> bool:
    """Whether a message calls it off; a no to the question whether it repeats does not."""
    return is_cancel(text) and not (asked == "repeat" and not is_confirm(text) and declines(text))


def when_of(context: ExecutionContext[ReminderState]) -> str:
    """When it rings, with weekday, date, time and repetition, in the user's words."""
    slots, language = context.state.slots, context.language
    due = datetime.fromisoformat(slots.due)
    if slots.rule:
        return spoken_recurrence(Recurrence.of(slots.rule, due.replace(tzinfo=None)), due, language)
    at = "" if language == "ko" else "at "
    return f"{written_date(due, language)} {at}{spoken_time(due, language)}"
