"""The order of agents and the branches: asks for each slot, asks for a yes, does what was confirmed."""

from collections.abc import AsyncGenerator
from datetime import datetime

from assistant.agent.context.wording import spoken_time, written_date
from assistant.core.records.flows import StepOutcome, StepStatus
from assistant.flows.context import ExecutionContext
from assistant.flows.events import FlowEvent
from assistant.flows.handler import CANCEL, CONFIRM, BaseFlowHandler
from assistant.flows.services.form.logic import is_cancel, is_confirm
from assistant.flows.services.form.reading import read
from assistant.flows.services.form.state.models import FormStage, FormState
from assistant.flows.state import UNCLEAR

SAVE = "save_entry"
"""The step; its tool is in ``steps.py``."""


class FormHandler(BaseFlowHandler[FormState]):
    """Fills the slots, asks for a yes, carries out what was confirmed."""

    async def run(self, context: ExecutionContext[FormState]) -> AsyncGenerator[FlowEvent, None]:
        """Answer a message."""
        decision = self._decision(context, is_confirm, is_cancel)
        stage = context.state.stage
        if stage == FormStage.INIT:
            self._apply(context, {"operations": [{"op": "begin"}]})
            yield await self._next(context)
        elif context.state.executing is not None or stage == FormStage.CONFIRMED:
            yield await self._recover(context)
        elif context.metadata.get("resumed"):
            yield await self._next(context)
        elif decision == CANCEL:
            self._apply(context, {"operations": [{"op": "cancel"}]})
            yield await self._done(context, self._say(context, "cancelled"))
        elif stage == FormStage.READY:
            yield await self._at_ready(context, decision)
        else:
            call = self._call(context, "slot_filler", self._say(context, "label"))
            async for event in call.events():
                yield event
            self._apply(context, call.result)
            yield await self._next(context)

    async def _at_ready(self, context: ExecutionContext[FormState], decision: str) -> FlowEvent:
        """A yes, a change that code understands, or nothing. No model is asked."""
        proposal = context.state.proposal
        if decision == CONFIRM and proposal is not None and context.confirmable == proposal.digest:
            self._apply(context, {"operations": [{"op": "confirm"}]})
            return await self._concluded(context, await self._execute(context, proposal))
        operations = read(context.user_message, context.state.slots.when, "", context.now, self._parts.clock.moment)
        if operations is None and decision != CONFIRM:
            text = self._say(context, "unclear_ready")
            return await self._done(context, text, action="CONFIRM", buttons=self._buttons(context))
        self._apply(context, {"operations": operations or []})
        return await self._next(context)

    async def _recover(self, context: ExecutionContext[FormState]) -> FlowEvent:
        """After a crash: tell how it ended; ask anew if it certainly never began."""
        outcome = await self._recovered(context)
        if outcome is None:
            self._apply(context, {"operations": [{"op": "retract"}]})
            return await self._next(context)
        return await self._concluded(context, outcome)

    async def _concluded(self, context: ExecutionContext[FormState], outcome: StepOutcome) -> FlowEvent:
        done = outcome.status is StepStatus.DONE
        self._apply(context, {"operations": [{"op": "ended", "stage": "EXECUTED" if done else "FAILED"}]})
        if done or outcome.status is StepStatus.UNKNOWN:
            return await self._done(context, self._say(context, "done" if done else "unknown"))
        return await self._done(context, self._say(context, "failed", reason=outcome.text))

    async def _next(self, context: ExecutionContext[FormState]) -> FlowEvent:
        """The next question, after what is wrong; the question for a yes once all is known."""
        state = context.state
        wrong = "".join(
            self._say(context, f"error_{'unclear' if slot == UNCLEAR else slot}") for slot in state.meta.slot_errors
        )
        if state.asked:
            return await self._done(context, wrong + self._say(context, f"ask_{state.asked}"), action="ASK")
        slots = state.slots
        when = datetime.fromisoformat(slots.when)
        spoken = f"{written_date(when, context.language)} {spoken_time(when, context.language)}"
        question = self._say(context, "confirm", when=spoken, what=slots.what, count=slots.count)
        self._propose(context, SAVE, {"what": slots.what, "when": slots.when, "count": slots.count}, question)
        return await self._done(context, wrong + question, action="CONFIRM", buttons=self._buttons(context))
