"""Extracts what a message changes: code's readers first, the model for what they leave."""

from collections.abc import Collection, Mapping
from typing import Any

from assistant.core.records.people import Person
from assistant.flows.agents.base import UnreadableReplyError
from assistant.flows.agents.json_agent import SlotFillerAgent, read_object
from assistant.flows.context import ExecutionContext
from assistant.flows.manifest import People
from assistant.flows.model import FlowModel
from assistant.flows.services.transfer.agents.slot_filler.evidence import evidence_in, supported
from assistant.flows.services.transfer.agents.slot_filler.prompt import SYSTEM_PROMPT
from assistant.flows.services.transfer.reading.reader import read
from assistant.flows.services.transfer.reading.situation import Situation, TransferReading
from assistant.flows.services.transfer.state.models import TransferState


def situation_of(context: ExecutionContext[TransferState], people: tuple[Person, ...]) -> Situation:
    """Where the conversation stands, for the readers."""
    state = context.state
    recipient = state.slots.recipient
    return Situation(
        now=context.now,
        people=people,
        transfers=state.known_transfers(),
        asked=state.asked,
        choices=tuple(each.model_dump() for each in state.slots.candidates),
        account=recipient.account if recipient is not None and not recipient.bank else "",
    )


def delta_of(reading: TransferReading) -> dict[str, Any]:
    """What code has read, for the state manager."""
    return {"operations": list(reading.operations), "_meta": {"source": "code", "asks_nothing": reading.asks_nothing}}


def _slots(operation: Mapping[str, Any]) -> Collection[str]:
    """The slots that an operation fills."""
    return operation.keys() | {str(operation.get("slot"))}


class TransferSlotFiller(SlotFillerAgent):
    """Asks the model only for a message that code has not understood whole.

    Args:
        model: the language model.
        people: the people whom the user knows.
    """

    system_prompt = SYSTEM_PROMPT

    def __init__(self, model: FlowModel, people: People) -> None:
        super().__init__(model)
        self._people = people

    def context_block(self, context: ExecutionContext[TransferState]) -> str:
        """Today's date, the transfers so far, and what was asked."""
        lines = [f"Today is {context.now:%Y-%m-%d, %A}."]
        lines += [
            f"Transfer {each.number}: recipient {each.recipient or '?'}, amount {each.amount or '?'}."
            for each in context.state.known_transfers()
        ]
        if context.state.asked:
            lines.append(f"The user was asked for: {context.state.asked}.")
        return "\n".join(lines)

    async def run(self, context: ExecutionContext[TransferState]) -> dict[str, Any]:
        """The operations. ``_meta.source`` tells whose they are; those of the model are supported by the message.

        Raises:
            SoriError: the model cannot answer.
        """
        people = await self._people()
        situation = situation_of(context, people)
        reading = read(context.user_message, situation)
        if reading.whole:
            return delta_of(reading)
        evidence = evidence_in(context.user_message, situation, reading.left)
        if evidence.schema is None:
            return {"operations": [], "_meta": {"source": "code"}}
        prompt = context.build_messages(f"{self.context_block(context)}\nIn the message are {evidence}.")
        try:
            reply = read_object(await self.chat(context, prompt, schema=evidence.schema))
        except UnreadableReplyError:
            return self.unread()
        operations = supported(reply.get("operations") or (), context.user_message, situation)
        if len(evidence.people) > 1 and sum("recipient" in _slots(each) for each in operations) < len(evidence.people):
            # Several people are named, and the model has left one out. Half of a message is not acted on.
            return self.unread()
        return {"operations": operations, "_meta": {"source": "model"}}
