"""Entries of a conversation list. ``assistant.core.messages`` has the messages."""

from dataclasses import dataclass
from enum import StrEnum


class ConversationMark(StrEnum):
    """What goes on in a conversation."""

    NONE = "none"
    ANSWERING = "answering"
    """An answer is being written."""
    ASKING = "asking"
    """A turn has asked the user, and waits."""
    UNREAD = "unread"
    """An answer was completed, or failed, while another conversation was open."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ConversationEntry:
    """One entry of a conversation list.

    Attributes:
        id: id in the store.
        title: the title; empty when the conversation holds nothing to derive one from.
        updated_at: when its newest message was added; ISO 8601 with offset.
        snippet: the part of a message that matched a search; empty when the title matched or nothing was searched.
        marks: start and end of each part of ``snippet`` that matched, in order.
        message: id of the message that ``snippet`` is from.
    """

    id: str
    title: str
    updated_at: str
    snippet: str = ""
    marks: tuple[tuple[int, int], ...] = ()
    message: str = ""
