"""The memory for requests that no plain command matches, so that a model has to remember or forget.

Each call needs the user's confirmation: a file or a page that the model reads could ask it to remember something.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Literal, Protocol

from assistant.core.errors import StorageError
from assistant.core.permissions import Category
from assistant.tools.calling import RunningCall
from assistant.tools.signature import tool_of
from assistant.tools.tool import Baseline, Tool, ToolError

_MOST_FOUND = 20
"""Maximum number of facts in one result; the newest ones."""
_NOT_FOUND = "No remembered fact contains these words."


class RememberedFact(Protocol):
    """One fact."""

    @property
    def text(self) -> str:
        """The fact in words."""
        ...

    @property
    def since(self) -> str:
        """The day on which it was noted, as ``YYYY-MM-DD``; empty for an unknown one."""
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

    @property
    def former(self) -> RememberedFact | None:
        """The fact that it replaces."""
        ...

    @property
    def archived(self) -> Sequence[RememberedFact]:
        """The oldest facts, which have made room for it."""
        ...


class MemoryBook(Protocol):
    """Remembers and forgets facts. Implemented by ``assistant.agent.remembering.memories.Memories``."""

    @property
    def enabled(self) -> bool:
        """Whether the settings let Sori use the memory."""
        ...

    async def add(self, text: str, scope: str, call: RunningCall) -> NotedFact | None:
        """Add a fact, unless it is known; ``None`` when the conversation has no such memory."""
        ...

    async def remove(self, words: str, conversation: str) -> Sequence[RememberedFact]:
        """Remove the facts that contain all these words and return them."""
        ...

    async def search(self, words: str, conversation: str) -> Sequence[RememberedFact]:
        """The facts that contain all these words, also those that made room for others."""
        ...


def memory_tools(memory: MemoryBook) -> tuple[Tool, ...]:
    """The tools that remember and forget facts."""

    async def remember(
        fact: str, call: RunningCall, scope: Literal["personal", "workspace", "agent"] = "personal"
    ) -> str:
        """Remembers a lasting fact for later conversations, when the user asks for it. A new value replaces an old one.

        Args:
            fact: the fact as one short sentence in the user's language.
            call: the call that this serves.
            scope: personal for a fact about the user; workspace for what the user says of this workspace, project or
                team; agent for what only you should know.
        """
        _check(memory)
        if not fact.strip():
            raise ToolError("tool_reason.empty", name="fact")
        with _told_as_unsaved():
            noted = await memory.add(fact, scope, call)
        if noted is None:
            raise ToolError("tool_reason.no_memory_of_scope", scope=scope)
        room = f"\n{len(noted.archived)} of the oldest facts moved to the archive." if noted.archived else ""
        if noted.former is not None:
            return f"Remembered instead of {noted.former.text!r}: {noted.fact.text}{room}"
        return f"{'Known already' if noted.known else 'Remembered'}: {noted.fact.text}{room}"

    async def forget(words: str, call: RunningCall) -> str:
        """Forgets the remembered facts that contain these words.

        Args:
            words: words of the facts, such as birthday.
            call: the call that this serves.
        """
        _check(memory)
        with _told_as_unsaved():
            gone = await memory.remove(words, call.conversation)
        return "\n".join(f"Forgotten: {fact.text}" for fact in gone) or _NOT_FOUND

    async def search_memory(words: str, call: RunningCall) -> str:
        """Searches all remembered facts, also old ones of the archive that you are not told otherwise.

        Args:
            words: one or two words of the fact, such as birthday.
            call: the call that this serves.
        """
        _check(memory)
        found = await memory.search(words, call.conversation)
        return "\n".join(f"{fact.text} ({fact.since or 'by hand'})" for fact in found[-_MOST_FOUND:]) or _NOT_FOUND

    return (
        tool_of(
            remember,
            category=Category.SENSITIVE,
            idempotent=True,
            baseline=Baseline.LARGE,
            search_words=("기억", "기억해 줘", "기억해", "remember", "note that", "keep in mind"),
        ),
        tool_of(
            forget,
            category=Category.SENSITIVE,
            idempotent=True,
            baseline=Baseline.LARGE,
            search_words=("잊어 줘", "잊어", "기억 지워", "forget"),
        ),
        tool_of(
            search_memory,
            category=Category.SAFE,
            idempotent=True,
            # An old line of the archive, which the model was not told before, may have been made of a page.
            untrusted=True,
            reads_private=True,
            search_words=("기억나", "예전에 말한", "전에 말했던", "did I tell you", "do you remember"),
        ),
    )


def _check(memory: MemoryBook) -> None:
    if not memory.enabled:
        raise ToolError("tool_reason.memory_off")


@contextmanager
def _told_as_unsaved() -> Iterator[None]:
    """Tell that the memory could not be written, as everywhere, and then the file and the reason."""
    try:
        yield
    except StorageError as error:
        raise StorageError(error.path, error.values["detail"], message_key="memory_unsaved", cause=error) from error
