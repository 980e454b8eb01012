"""Entries of a conversation list. ``assistant.core.messages`` has the messages."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from assistant.core.records.agents import DEFAULT_WORKSPACE


class ConversationMark(StrEnum):
    """What goes on in a conversation."""

    NONE = "none"
    ANSWERING = "answering"
    """An answer is being written."""
    ASKING = "asking"
    """A turn has asked the user, and waits."""
    UNREAD = "unread"
    """An answer was completed, or failed, while another conversation was open."""


@dataclass(frozen=True, slots=True)
class Excerpt:
    """The part of a text around a match.

    Attributes:
        text: a line, with an ellipsis at each end that was cut.
        marks: start and end of each matched part of ``text``, in order.
    """

    text: str = ""
    marks: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ConversationEntry:
    """One entry of a conversation list.

    Attributes:
        id: id in the store.
        title: the title; empty when the conversation holds nothing to derive one from.
        updated_at: when its newest message was added; ISO 8601 with offset.
        pinned: whether the user keeps it at the top.
        workspace: name of the workspace to which it belongs.
        message: id of the message that a search found; empty when the title matched or nothing was searched.
        passage: makes the part of that message that matched; an empty one without a message. It is made when it is
            shown, because few of many entries are in sight. Any thread may call it.
    """

    id: str
    title: str
    updated_at: str
    pinned: bool = False
    workspace: str = DEFAULT_WORKSPACE
    message: str = ""
    passage: Callable[[], Excerpt] = field(default=Excerpt, repr=False, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class TalkedAbout:
    """A conversation in which something was said in some time.

    Attributes:
        title: its title.
        last_at: when the newest message came.
        messages: how many came, questions and answers.
    """

    title: str
    last_at: datetime
    messages: int
