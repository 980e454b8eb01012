"""The words that code understands without a model: what begins, and what ends."""

from typing import Final

from assistant.core.settings import Language
from assistant.flows.replies import Replies, begins

TITLES: Final[dict[Language, str]] = {"ko": "미니멀", "en": "minimal"}
_REPLIES: Final = Replies()
_ENDS: Final = frozenset({"끝", "종료", "end", "quit", "that's all"})


def wants(text: str) -> bool:
    """Whether a message begins a conversation with this service."""
    return begins(text, TITLES)


def is_cancel(text: str) -> bool:
    """Whether a message ends the conversation."""
    return _REPLIES.is_no(text) or text.strip(" .!").casefold() in _ENDS
