"""The language model as an agent of a flow sees it."""

from collections.abc import AsyncIterator, Sequence
from typing import Any, Protocol

from assistant.llm.backend import ModelMessage


class FlowModel(Protocol):
    """Answers the messages of one agent. All errors are ``SoriError``."""

    async def complete(
        self, system: str, messages: Sequence[ModelMessage], *, schema: dict[str, Any] | None = None, purpose: str
    ) -> str:
        """The whole reply.

        Args:
            system: the system prompt.
            messages: the messages, the user's newest one last.
            schema: JSON Schema of an object that the reply must follow; ``None`` for free text.
            purpose: the purpose in the egress ledger.
        """
        ...

    def stream(self, system: str, messages: Sequence[ModelMessage], *, purpose: str) -> AsyncIterator[str]:
        """The pieces of a reply in free text, as they arrive."""
        ...
