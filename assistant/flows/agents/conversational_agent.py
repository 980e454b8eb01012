"""An agent that answers with an action and a message (F-01)."""

from collections.abc import AsyncGenerator
from typing import Any, ClassVar

from assistant.core.settings import Language
from assistant.flows.agents.base import BaseAgent, UnreadableReplyError
from assistant.flows.agents.json_agent import read_object
from assistant.flows.context import ExecutionContext


class ConversationalAgent(BaseAgent):
    """Answers with ``{"action": …, "message": …}``. The whole reply is read before any of it is shown."""

    fallback_message: ClassVar[dict[Language, str]] = {
        "ko": "말씀을 제대로 알아듣지 못했어요. 다시 한번 말씀해 주세요.",
        "en": "I did not understand that. Please say it again.",
    }
    """The message when the reply cannot be read."""
    actions: ClassVar[tuple[str, ...]] = ("ASK", "INFORM")
    """What the front end may be asked to do."""

    def context_block(self, context: ExecutionContext[Any]) -> str:
        """The facts that the model should know; the stage and the errors by default."""
        errors = "; ".join(f"{slot}: {error}" for slot, error in context.state.meta.slot_errors.items())
        return "\n".join(filter(None, [f"stage: {context.state.stage}", f"errors: {errors}" if errors else ""]))

    async def run(self, context: ExecutionContext[Any]) -> dict[str, Any]:
        """The action and the message, those of the fallback if the reply cannot be read.

        Raises:
            SoriError: the model cannot answer.
        """
        prompt = context.build_messages(self.context_block(context))
        try:
            read = read_object(await self.chat(context, prompt, schema=self._schema()))
        except UnreadableReplyError:
            read = {}
        message = str(read.get("message") or "").strip()
        if not message:
            return {"action": self.actions[0], "message": self.fallback_message[context.language], "fallback": True}
        action = read.get("action")
        return {**read, "action": action if action in self.actions else self.actions[0], "message": message}

    async def run_stream(self, context: ExecutionContext[Any]) -> AsyncGenerator[str | dict[str, Any], None]:
        """The letters of the message, then the action and the message."""
        result = await self.run(context)
        for letter in result["message"]:
            yield letter
        yield result

    def _schema(self) -> dict[str, Any]:
        if self.response_schema is not None:
            return self.response_schema.model_json_schema()
        return {
            "type": "object",
            "properties": {
                "action": {"type": "string", "enum": list(self.actions)},
                "message": {"type": "string", "minLength": 1},
            },
            "required": ["action", "message"],
            "additionalProperties": False,
        }
