"""The words that code understands without a model: what begins, confirms and cancels."""

from typing import Final

from assistant.core.settings import Language
from assistant.flows.replies import Replies, begins, verb_of

TITLES: Final[dict[Language, str]] = {"ko": "양식", "en": "form"}
_REPLIES: Final = Replies([verb_of("저장")], ["save"])


def wants(text: str) -> bool:
    """Whether a message begins the service."""
    return begins(text, TITLES)


def is_confirm(text: str) -> bool:
    """Whether a whole message says yes."""
    return _REPLIES.is_yes(text)


def is_cancel(text: str) -> bool:
    """Whether a whole message calls it off."""
    return _REPLIES.is_no(text)
