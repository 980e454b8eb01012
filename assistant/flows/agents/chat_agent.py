"""An agent that answers in plain text, as it arrives (F-01)."""

from collections.abc import AsyncGenerator
from typing import Any

from assistant.flows.agents.base import BaseAgent
from assistant.flows.context import ExecutionContext


class ChatAgent(BaseAgent):
    """Answers in plain text. For prototypes, and services without a schema."""

    def context_block(self, context: ExecutionContext[Any]) -> str:  # noqa: ARG002 - for subclasses
        """The facts that the model should know; none by default."""
        return ""

    async def run(self, context: ExecutionContext[Any]) -> dict[str, Any]:
        """The answer: ``{"message": text}``."""
        return {"message": await self.chat(context, context.build_messages(self.context_block(context)))}

    async def run_stream(self, context: ExecutionContext[Any]) -> AsyncGenerator[str | dict[str, Any], None]:
        """The pieces of the answer as they arrive, then ``{"message": text}``."""
        text = ""
        async for piece in self.chat_stream(context, context.build_messages(self.context_block(context))):
            text += piece
            yield piece
        yield {"message": text}
