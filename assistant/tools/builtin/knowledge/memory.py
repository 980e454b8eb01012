"""The memory for requests that no plain command matches, so that a model has to remember or forget.

Each call needs the user's confirmation: a file or a page that the model reads could ask it to remember something.
"""

from collections.abc import Sequence
from typing import Protocol

from assistant.core.permissions import Category
from assistant.tools.signature import tool_of
from assistant.tools.tool import Tool, ToolError


class RememberedFact(Protocol):
    """One fact."""

    @property
    def text(self) -> str:
        """The fact in words."""
        ...


class NotedFact(Protocol):
    """The result of remembering."""

    @property
    def fact(self) -> RememberedFact:
        """The fact as it is kept."""
        ...

    @property
    def known(self) -> bool:
        """Whether it was known before."""
        ...


class MemoryBook(Protocol):
    """Remembers and forgets facts about the user. Implemented by ``assistant.memory.personal.PersonalMemory``."""

    @property
    def enabled(self) -> bool:
        """Whether the settings let Sori use the memory."""
        ...

    async def add(self, text: str) -> NotedFact:
        """Add a fact, unless it is known."""
        ...

    async def remove(self, words: str) -> Sequence[RememberedFact]:
        """Remove the facts that contain all these words and return them."""
        ...


def memory_tools(memory: MemoryBook) -> tuple[Tool, ...]:
    """The tools that remember and forget facts about the user."""

    async def remember(fact: str) -> str:
        """Remembers a lasting fact about the user for later conversations, when the user asks for it.

        Args:
            fact: the fact as one short sentence in the user's language.
        """
        _check(memory)
        if not fact.strip():
            raise ToolError("The fact is empty.")
        noted = await memory.add(fact)
        return f"{'Known already' if noted.known else 'Remembered'}: {noted.fact.text}"

    async def forget(words: str) -> str:
        """Forgets the remembered facts that contain these words.

        Args:
            words: words of the facts, such as birthday.
        """
        _check(memory)
        gone = await memory.remove(words)
        return "\n".join(f"Forgotten: {fact.text}" for fact in gone) or "No remembered fact contains these words."

    return (
        tool_of(remember, category=Category.SENSITIVE, idempotent=True, for_small_models=False),
        tool_of(forget, category=Category.SENSITIVE, idempotent=True, for_small_models=False),
    )


def _check(memory: MemoryBook) -> None:
    if not memory.enabled:
        raise ToolError("The memory is switched off in the settings ([memory] personal = false).")
