"""Yes and no to a transfer in code, before any model is asked (F-02). Pure."""

from typing import Final

from assistant.flows.replies import Replies, Verb, verb_of

_REPLIES: Final = Replies(
    (
        Verb("보내", "보내", "보낼"),
        Verb("부쳐", "부치", "부칠"),
        Verb("쏴", "쏘", "쏠"),
        verb_of("이체"),
        verb_of("송금"),
    ),
    ("send", "transfer"),
    ("transfer", "payment", "money"),
)


def is_confirm(message: str) -> bool:
    """Whether a whole message says yes."""
    return _REPLIES.is_yes(message)


def is_cancel(message: str) -> bool:
    """Whether a whole message calls everything off."""
    return _REPLIES.is_no(message)
