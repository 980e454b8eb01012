"""The language model as an agent of a flow sees it."""

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

from assistant.agent.aside import AsideModel, AsideRequest
from assistant.core.settings import Language
from assistant.llm.backend import ModelMessage

_LONGEST = 4_000
"""Maximum characters of a reply: more than anybody reads or hears in one step of a flow."""

_LIMIT_S = 60.0
"""Seconds for a reply. An agent may have less (``BaseAgent.timeout_s``)."""


class FlowModel(Protocol):
    """Answers the messages of one agent. All errors are ``SoriError``."""

    async def complete(
        self,
        system: str,
        messages: Sequence[ModelMessage],
        *,
        language: Language,
        schema: dict[str, Any] | None = None,
        purpose: str,
    ) -> str:
        """The whole reply.

        Args:
            system: the system prompt.
            messages: the messages, the user's newest one last.
            language: the language of free text.
            schema: JSON Schema of an object that the reply must follow; ``None`` for free text.
            purpose: the purpose in the egress ledger.
        """
        ...

    def stream(
        self, system: str, messages: Sequence[ModelMessage], *, language: Language, purpose: str
    ) -> AsyncIterator[str]:
        """The pieces of a reply in free text, as they arrive."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnModel:
    """The model that answers in a conversation, as a ``FlowModel``. The errors are those of ``AsideModel``.

    Attributes:
        aside: asks the models.
        conversation: id of the conversation that the usage is counted for.
        model: reference of the model that the user chose for the conversation; empty for that of the settings.
    """

    aside: AsideModel
    conversation: str
    model: str = ""

    async def complete(
        self,
        system: str,
        messages: Sequence[ModelMessage],
        *,
        language: Language,
        schema: dict[str, Any] | None = None,
        purpose: str,
    ) -> str:
        """The whole reply; see ``FlowModel``."""
        asked = self._request(system, messages, language=language, purpose=purpose)
        return await self.aside.complete(replace(asked, schema=schema))

    def stream(
        self, system: str, messages: Sequence[ModelMessage], *, language: Language, purpose: str
    ) -> AsyncIterator[str]:
        """The pieces of a reply; see ``FlowModel``."""
        return self.aside.stream(self._request(system, messages, language=language, purpose=purpose))

    def _request(
        self,
        system: str,
        messages: Sequence[ModelMessage],
        *,
        language: Language,
        purpose: str,
    ) -> AsideRequest:
        return AsideRequest(
            messages=tuple(messages),
            system=system,
            purpose=purpose,
            conversation=self.conversation,
            longest=_LONGEST,
            limit_s=_LIMIT_S,
            model=self.model,
            language=language,
        )
