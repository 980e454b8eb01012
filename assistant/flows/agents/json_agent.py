"""Agents whose result is JSON for the code: slots, intents (F-01, F-04)."""

from typing import Any, ClassVar

from assistant.flows.agents.base import BaseAgent, UnreadableReplyError
from assistant.flows.context import ExecutionContext
from assistant.llm.reply.tool_arguments import read_tool_arguments


class JsonAgent(BaseAgent):
    """Answers with an object that follows ``schema``. Nobody reads its words."""

    schema: ClassVar[dict[str, Any]]
    """JSON Schema of the object."""

    def context_block(self, context: ExecutionContext[Any]) -> str:
        """The facts that the model should know, such as today's date."""
        raise NotImplementedError(f"{type(self).__name__} has no context_block")

    async def run(self, context: ExecutionContext[Any]) -> dict[str, Any]:
        """The object.

        Raises:
            SoriError: the model cannot answer.
            UnreadableReplyError: its reply is no object.
        """
        prompt = context.build_messages(self.context_block(context))
        return read_object(await self.chat(context, prompt, schema=self.schema))


class SlotFillerAgent(JsonAgent):
    """Extracts the operations of a message. A reply that cannot be read becomes ``parse_error``, not an exception."""

    @staticmethod
    def unread() -> dict[str, Any]:
        """The result when nothing was understood, of which ``StateManager.apply`` makes a slot error."""
        return {"operations": [], "_meta": {"parse_error": True}}

    async def run(self, context: ExecutionContext[Any]) -> dict[str, Any]:
        """The operations: ``{"operations": [...]}``, or ``unread()``.

        Raises:
            SoriError: the model cannot answer.
        """
        try:
            delta = await super().run(context)
        except UnreadableReplyError:
            return self.unread()
        return delta if isinstance(delta.get("operations"), list) else self.unread()


class IntentAgent(JsonAgent):
    """Finds what the user wants: one of the scenarios of a service."""

    scenarios: ClassVar[tuple[str, ...]]
    """The scenarios. The last one is general conversation, in which the service has no part."""

    async def run(self, context: ExecutionContext[Any]) -> dict[str, Any]:
        """The scenario: ``{"scenario": name}``.

        Raises:
            SoriError: the model cannot answer.
            UnreadableReplyError: it named no scenario of the service.
        """
        prompt = context.build_messages(self.context_block(context))
        schema = {
            "type": "object",
            "properties": {"scenario": {"type": "string", "enum": list(self.scenarios)}},
            "required": ["scenario"],
            "additionalProperties": False,
        }
        reply = read_object(await self.chat(context, prompt, schema=schema))
        if reply.get("scenario") not in self.scenarios:
            raise UnreadableReplyError(f"the scenario {reply.get('scenario')!r} is unknown")
        return {"scenario": reply["scenario"]}


def read_object(reply: str) -> dict[str, Any]:
    """The object in a reply, repaired where that is safe.

    Raises:
        UnreadableReplyError: there is none.
    """
    read = read_tool_arguments(reply)
    if read is None:
        raise UnreadableReplyError(f"the reply is no object: {reply[:80]!r}")
    return read
