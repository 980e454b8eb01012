"""The language model as an agent of a flow sees it."""

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from assistant.agent.aside import AsideModel
from assistant.core.settings import Language
from assistant.llm.backend import ModelMessage

_LONGEST = 4_000
"""Maximum characters of a reply: more than anybody reads or hears in one step of a flow."""

_LIMIT_S = 60.0
"""Seconds for a reply. An agent may have less (``BaseAgent.timeout_s``)."""


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


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnModel:
    """The model that answers in a conversation, as a ``FlowModel``.

    Attributes:
        aside: asks the models.
        conversation: id of the conversation that the usage is counted for.
        language: the language of free text.
        model: reference of the model that the user chose for the conversation; empty for that of the settings.
    """

    aside: AsideModel
    conversation: str
    language: Language
    model: str = ""

    async def complete(
        self, system: str, messages: Sequence[ModelMessage], *, schema: dict[str, Any] | None = None, purpose: str
    ) -> str:
        """The whole reply; with a ``schema`` the text of an object that follows it.

        Raises:
            SoriError: as in ``AsideModel.complete``.
        """
        return await self.aside.complete(
            messages,
            system,
            schema=schema,
            purpose=purpose,
            conversation=self.conversation,
            longest=_LONGEST,
            limit_s=_LIMIT_S,
            model=self.model,
            language=self.language,
        )

    def stream(self, system: str, messages: Sequence[ModelMessage], *, purpose: str) -> AsyncIterator[str]:
        """The pieces of a reply in free text. The errors are those of ``AsideModel.stream``."""
        return self.aside.stream(
            messages,
            system,
            purpose=purpose,
            conversation=self.conversation,
            longest=_LONGEST,
            limit_s=_LIMIT_S,
            model=self.model,
            language=self.language,
        )
