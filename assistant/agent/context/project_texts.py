"""The project that a conversation is about: its files as a model is sent them (K-02)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Protocol

from assistant.agent.context.context import Context, tokens_in
from assistant.agent.context.tokens import estimated_tokens
from assistant.core.documents import Document

MOST_PASSAGES: Final = 12
"""Passages that a question is compared with, and that a large model is sent. One has 500 Korean or 1000 English letters
at most."""
FEW_PASSAGES: Final = 3
"""Passages for a small model, which reads slowly and is confused by much text."""
_SHARE: Final = 2
"""Passages take at most one part in this many of the room that the conversation leaves."""
_PER_DOCUMENT: Final = 30
"""Tokens that the form of a document takes beside its text."""


class ProjectTexts(Protocol):
    """The texts of one project, for the agents of its workspace."""

    async def size(self) -> "ProjectSize":
        """How large it is.

        Raises:
            StorageError: it cannot be read.
        """
        ...

    async def whole(self) -> Sequence[Document]:
        """All its files, by name.

        Raises:
            StorageError: they cannot be read.
        """
        ...

    async def found(self, question: str, most: int) -> Sequence[Document]:
        """The passages that match a question best, the best first.

        Raises:
            StorageError: they cannot be read.
        """
        ...

    def sent(self, *, whole: bool) -> bool:
        """Note how it is sent; whether it was sent whole before and is not any more."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class ProjectSize:
    """The number of files, tokens and characters of a project; ``waiting`` is the number of files not read yet."""

    files: int
    tokens: int
    characters: int
    waiting: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Room:
    """What a model has room for beside the conversation.

    Attributes:
        characters: as the settings allow.
        tokens: as the model allows; ``None`` if its limit is unknown.
        small: whether it is a small model.
    """

    characters: int
    tokens: int | None
    small: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class SentProject:
    """What a model is sent of a project.

    Attributes:
        documents: its files, or passages of them.
        found: what tells whether the files answer the question: more passages than a small model is sent.
        cut: whether it was sent whole before and is not any more.
    """

    documents: tuple[Document, ...] = ()
    found: tuple[Document, ...] = ()
    cut: bool = False


NOTHING_SENT: Final = SentProject()


def room_beside(context: Context, *, max_size: int, room: int | None, scale: float | None, small: bool) -> Room:
    """The room that a conversation leaves.

    Args:
        context: the conversation.
        max_size: maximum size of a context in characters.
        room: the model's tokens for a request; ``None`` if unknown.
        scale: tokens by the model's tokenizer for each estimated token; ``None`` if they are only estimated.
        small: whether it is a small model.
    """
    tokens = None if room is None else int(room / (scale or 1)) - tokens_in(context)
    return Room(characters=max_size - context.size, tokens=tokens, small=small)


async def sent_of(project: ProjectTexts, question: str, room: Room) -> SentProject:
    """The whole project if there is room for it, else the passages that match the question.

    Raises:
        StorageError: it cannot be read.
    """
    size = await project.size()
    form = size.files * _PER_DOCUMENT
    # What is not read yet can be found as soon as it is, but the whole would seem to be all.
    fits = size.characters + 3 * form <= room.characters and (room.tokens is None or size.tokens + form <= room.tokens)
    if fits:
        project.sent(whole=True)
        whole = tuple(await project.whole())
        return SentProject(documents=whole, found=whole)
    cut = project.sent(whole=False)
    found = tuple(await project.found(question, MOST_PASSAGES)) if question.strip() else ()
    sent = _within(found[:FEW_PASSAGES] if room.small else found, room)
    return SentProject(documents=tuple(sent), found=found, cut=cut)


def _within(found: Sequence[Document], room: Room) -> Sequence[Document]:
    """The first of these passages, as far as there is room."""
    characters, tokens = room.characters // _SHARE, (room.tokens or 0) // _SHARE
    kept: list[Document] = []
    for each in found:
        characters -= len(each.contents) + 3 * _PER_DOCUMENT
        tokens -= estimated_tokens(each.contents) + _PER_DOCUMENT
        if characters < 0 or (room.tokens is not None and tokens < 0):
            break
        kept.append(each)
    return kept
