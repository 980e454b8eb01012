"""Conversations as they are listed; their messages are ``assistant.core.messages``."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class ConversationEntry:
    """One conversation of a list.

    Attributes:
        id: its identity in the store.
        title: what it is called; empty where nothing in it could give it a name.
        updated_at: when its newest message was added; ISO 8601 with offset.
        snippet: the part of a message that a search has found; empty where the title was found, or nothing searched.
    """

    id: str
    title: str
    updated_at: str
    snippet: str = ""
