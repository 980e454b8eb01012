"""A scripted model for agents of flows."""

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from assistant.llm.backend import ModelMessage


@dataclass(frozen=True, slots=True)
class Asked:
    """One request to the model."""

    system: str
    messages: tuple[ModelMessage, ...]
    schema: dict[str, Any] | None


@dataclass(slots=True)
class ScriptedModel:
    """Implements ``FlowModel``: gives the next reply, or raises it if it is an exception."""

    replies: list[str | Exception]
    asked: list[Asked] = field(default_factory=list)

    async def complete(
        self, system: str, messages: Sequence[ModelMessage], *, schema: dict[str, Any] | None = None, purpose: str
    ) -> str:
        del purpose
        return self._next(system, messages, schema)

    async def stream(self, system: str, messages: Sequence[ModelMessage], *, purpose: str) -> AsyncIterator[str]:
        del purpose
        for word in self._next(system, messages, None).split(" "):
            yield word

    def _next(self, system: str, messages: Sequence[ModelMessage], schema: dict[str, Any] | None) -> str:
        self.asked.append(Asked(system, tuple(messages), schema))
        reply = self.replies.pop(0)
        if isinstance(reply, Exception):
            raise reply
        return reply
