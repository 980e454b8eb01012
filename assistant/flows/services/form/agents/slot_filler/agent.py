"""Extracts what a message sets: code's reader first, the model for what it leaves."""

from typing import Any, ClassVar

from assistant.core.times.recurrence import Zone
from assistant.flows.agents.json_agent import SlotFillerAgent
from assistant.flows.context import ExecutionContext
from assistant.flows.model import FlowModel
from assistant.flows.services.form.agents.slot_filler.prompt import SYSTEM_PROMPT
from assistant.flows.services.form.reading import Operations, read
from assistant.flows.services.form.state.models import FormState


class FormSlotFiller(SlotFillerAgent):
    """Asks the model only for a message that code has not understood whole, and reads its words by code too.

    Args:
        model: the language model.
        zone: the user's time zone.
    """

    system_prompt = SYSTEM_PROMPT
    schema: ClassVar[dict[str, Any]] = {
        "type": "object",
        "properties": {
            "operations": {
                "type": "array",
                "maxItems": 3,
                "items": {
                    "type": "object",
                    "properties": {
                        "slot": {"type": "string", "enum": ["what", "when", "count"]},
                        "value": {"type": "string", "minLength": 1},
                    },
                    "required": ["slot", "value"],
                    "additionalProperties": False,
                },
            }
        },
        "required": ["operations"],
        "additionalProperties": False,
    }

    def __init__(self, model: FlowModel, zone: Zone) -> None:
        super().__init__(model)
        self._zone = zone

    def context_block(self, context: ExecutionContext[FormState]) -> str:
        """The present, what is asked and what is known."""
        state = context.state
        return f"now: {context.now:%Y-%m-%d %H:%M %A}; asked: {state.asked}; known: {state.slots.model_dump()}"

    async def run(self, context: ExecutionContext[FormState]) -> dict[str, Any]:
        """The operations, or ``parse_error``."""
        state = context.state
        operations = read(context.user_message, state.slots.when, state.asked, context.now, self._zone)
        if operations is not None:
            return {"operations": operations}
        delta = await super().run(context)
        found: Operations = []
        for each in delta["operations"]:
            value = str(each.get("value", ""))
            if value in context.user_message:  # Otherwise it is the model's own, and nobody has said it.
                found += read(value, state.slots.when, each["slot"], context.now, self._zone) or []
        return {"operations": found} if found else self.unread()
