"""The language model of the agents in one turn of a conversation."""

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from assistant.agent.aside import AsideModel
from assistant.core.settings import Language
from assistant.llm.backend import ModelMessage

LIMIT_S: Final = 45.0
"""Seconds that one reply may take. An agent's own limit may be shorter."""
_LONGEST: Final = 8_000
"""Characters of a reply."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnModel:
    """Implements ``FlowModel`` with the model that would answer in the conversation.

    Attributes:
        aside: asks models for texts.
        conversation: id of the conversation that the usage is counted for.
        chosen: reference of the model that was chosen for it; empty for that of the settings.
        language: the language of texts for the user.
    """

    aside: AsideModel
    conversation: str
    chosen: str
    language: Language

    async def complete(
        self, system: str, messages: Sequence[ModelMessage], *, schema: dict[str, Any] | None = None, purpose: str
    ) -> str:
        """The whole reply; see ``FlowModel``."""
        return await self.aside.complete(
            messages,
            system,
            schema=schema,
            purpose=purpose,
            conversation=self.conversation,
            longest=_LONGEST,
            limit_s=LIMIT_S,
            model=self.chosen,
            language="" if schema else self.language,
        )

    def stream(self, system: str, messages: Sequence[ModelMessage], *, purpose: str) -> AsyncIterator[str]:
        """The pieces of a reply in free text; see ``FlowModel``."""
        return self.aside.stream(
            messages,
            system,
            purpose=purpose,
            conversation=self.conversation,
            longest=_LONGEST,
            limit_s=LIMIT_S,
            model=self.chosen,
            language=self.language,
        )
