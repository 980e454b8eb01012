"""The codes that link a chat to a workspace and an agent: short, for one use, for a short time, for a few tries.

A code has 40 bits. All wrong tries together end it after ``MOST_WRONG``, so that guessing it has a chance below one in
ten thousand million; one chat has ``MOST_WRONG_OF_CHAT``, so that a stranger alone cannot spoil the user's code.
"""

import hashlib
import hmac
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum
from typing import Final

CODE_BITS: Final = 40
"""Random bits of a code."""
CODE_S: Final = 600
"""Seconds in which a code links a chat."""
MOST_WRONG_OF_CHAT: Final = 5
"""Wrong tries after which a chat is not heard as long as the code lives."""
MOST_WRONG: Final = 50
"""Wrong tries of all chats after which a code is worth nothing."""

_LETTERS: Final = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
"""Crockford's base 32, which has no letters that look like digits."""
_LETTER_BITS: Final = 5
_LENGTH: Final = CODE_BITS // _LETTER_BITS
_ALIKE: Final = str.maketrans("OIL", "011")
_START: Final = re.compile(r"/start(?:@\w+)?\s+", re.IGNORECASE)
_WRITTEN: Final = re.compile(rf"[{_LETTERS}]{{{_LENGTH}}}")


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkCode:
    """A code that was given out. At most one lives at a time.

    Attributes:
        digest: SHA-256 of its letters, in hexadecimal; the code itself is kept nowhere.
        workspace: id of the workspace that it links; empty for none.
        agent: id of the agent that it links.
        until: when it ends, with time zone.
        wrong: how many wrong tries each chat had, by the chat's id.
    """

    digest: str
    workspace: str
    agent: str
    until: datetime
    wrong: Mapping[int, int] = field(default_factory=dict)


class LinkResult(StrEnum):
    """What a try to link a chat did."""

    LINKED = "linked"
    WRONG = "wrong"
    """Nobody was given this code, or it was used."""
    EXPIRED = "expired"
    """It was right, but too late."""
    BLOCKED = "blocked"
    """The chat had too many wrong tries. Whether this one was right is not told."""


GIVEN_OUT: Final = frozenset({LinkResult.LINKED, LinkResult.EXPIRED})
"""Results of a code that was given out. Of a linked chat, anything else may be a message that looks like a code."""


@dataclass(frozen=True, slots=True)
class LinkAttempt:
    """What a try did.

    Attributes:
        result: what it did.
        code: the code as it is kept from now on; ``None`` for none.
    """

    result: LinkResult
    code: LinkCode | None


def code_of(random_bits: int) -> str:
    """The code of ``CODE_BITS`` random bits, as people read it: ``7K3M-9QXA``."""
    letters = "".join(
        _LETTERS[random_bits >> shift & (1 << _LETTER_BITS) - 1] for shift in range(0, CODE_BITS, _LETTER_BITS)
    )
    return f"{letters[: _LENGTH // 2]}-{letters[_LENGTH // 2 :]}"


def written_code(text: str) -> str | None:
    """The letters of a code that a message is, also after ``/start``; ``None`` for any other message."""
    words = _START.sub("", text.strip(), count=1)
    letters = re.sub(r"[\s\-‐-―−]", "", words).upper().translate(_ALIKE)
    return letters if _WRITTEN.fullmatch(letters) else None


def is_start(text: str) -> bool:
    """Whether a message is ``/start`` with something behind it, as a link to the bot sends it."""
    return _START.match(text.strip()) is not None


def digest_of(code: str) -> str:
    """The digest of a code.

    Raises:
        ValueError: the text is no code.
    """
    letters = written_code(code)
    if letters is None:
        raise ValueError("this is no code")
    return hashlib.sha256(letters.encode()).hexdigest()


def attempt(code: LinkCode | None, letters: str, *, chat: int, now: datetime) -> LinkAttempt:
    """Try to link a chat.

    Args:
        code: the code that was given out; ``None`` for none.
        letters: what ``written_code`` has read.
        chat: the chat from which it comes.
        now: the time, with time zone.
    """
    digest = hashlib.sha256(letters.encode()).hexdigest()
    # Compared in constant time whatever the rest says, also where there is no code.
    right = hmac.compare_digest(digest, code.digest if code is not None else "0" * len(digest))
    if code is None:
        return LinkAttempt(LinkResult.WRONG, None)
    wrong = code.wrong.get(chat, 0)
    if wrong >= MOST_WRONG_OF_CHAT:
        return LinkAttempt(LinkResult.BLOCKED, code)
    if right:
        return LinkAttempt(LinkResult.LINKED if now < code.until else LinkResult.EXPIRED, None)
    tried = replace(code, wrong={**code.wrong, chat: wrong + 1})
    return LinkAttempt(LinkResult.WRONG, tried if sum(tried.wrong.values()) < MOST_WRONG else None)
