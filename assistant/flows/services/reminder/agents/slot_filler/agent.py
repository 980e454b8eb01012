"""Extracts what a message changes: code's readers first, the model for what they leave."""

from typing import Any, ClassVar

from assistant.core.times.recurrence import Zone
from assistant.flows.agents.json_agent import SlotFillerAgent
from assistant.flows.context import ExecutionContext
from assistant.flows.model import FlowModel
from assistant.flows.services.reminder.agents.slot_filler.prompt import SYSTEM_PROMPT
from assistant.flows.services.reminder.reading import Operations, read
from assistant.flows.services.reminder.state.models import ReminderState


class ReminderSlotFiller(SlotFillerAgent):
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
                        "slot": {"type": "string", "enum": ["what", "when", "repeat"]},
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

    def context_block(self, context: ExecutionContext[ReminderState]) -> str:
        """The present, what is asked and what is known."""
        slots = context.state.slots
        return (
            f"now: {context.now:%Y-%m-%d %H:%M %A}; asked: {context.state.asked}; what: {slots.what}; due: {slots.due}"
        )

    async def run(self, context: ExecutionContext[ReminderState]) -> dict[str, Any]:
        """The operations, or ``parse_error``."""
        state = context.state
        operations = read(context.user_message, state.slots, state.asked, context.now, self._zone)
        if operations is not None:
            return {"operations": operations}
        delta = await super().run(context)
        found: Operations = []
        said = "".join(context.user_message.split()).casefold()
        for each in delta["operations"]:
            value = str(each.get("value", ""))
            # A value that the user has not said is the model's own.
            if value and "".join(value.split()).casefold() in said:
                asked = "what" if each.get("slot") == "what" else "when"
                found += read(value, state.slots, asked, context.now, self._zone) or []
        return {"operations": found} if found else self.unread()
