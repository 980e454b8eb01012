"""A scripted model for agents of flows."""

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from assistant.core.settings import Language
from assistant.llm.backend import ModelMessage


@dataclass(frozen=True, slots=True)
class Asked:
    """One request to the model."""

    system: str
    messages: tuple[ModelMessage, ...]
    schema: dict[str, Any] | None
    language: Language


@dataclass(slots=True)
class ScriptedModel:
    """Implements ``FlowModel``: gives the next reply, or raises it if it is an exception."""

    replies: list[str | Exception]
    asked: list[Asked] = field(default_factory=list)

    async def complete(
        self,
        system: str,
        messages: Sequence[ModelMessage],
        *,
        language: Language,
        schema: dict[str, Any] | None = None,
        purpose: str,
    ) -> str:
        del purpose
        return self._next(Asked(system, tuple(messages), schema, language))

    async def stream(
        self, system: str, messages: Sequence[ModelMessage], *, language: Language, purpose: str
    ) -> AsyncIterator[str]:
        del purpose
        for word in self._next(Asked(system, tuple(messages), None, language)).split(" "):
            yield word

    def _next(self, asked: Asked) -> str:
        self.asked.append(asked)
        reply = self.replies.pop(0)
        if isinstance(reply, Exception):
            raise reply
        return reply
