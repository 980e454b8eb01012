"""Words of Sori's own that a chat is to get, kept among the updates until they were sent. Pure."""

import json
from datetime import datetime
from typing import Final

from assistant.core.telegram.records import TelegramUpdate

RANDOM_BITS: Final = 20
_BELOW: Final = 1 << 62
_WORDS: Final = "words"


def words_update(chat: int, text: str, *, now: datetime, random_bits: int) -> TelegramUpdate:
    """Words as they are kept. Their number is negative, grows with the time, and is that of no others of any device.

    Args:
        chat: Telegram's id of the chat.
        text: the words, as Markdown.
        now: the time, with time zone.
        random_bits: ``RANDOM_BITS`` random bits.
    """
    number = (int(now.timestamp() * 1000) << RANDOM_BITS | random_bits) - _BELOW
    return TelegramUpdate(update_id=number, chat=chat, content=words_content(text), sent_at=now)


def words_content(text: str) -> str:
    """Words as ``TelegramUpdate.content``, in the door's own form."""
    return json.dumps({_WORDS: text}, ensure_ascii=False)


def words_of(update: TelegramUpdate) -> str:
    """The words of an update that holds some."""
    return str(json.loads(update.content)[_WORDS])


def is_own(update: TelegramUpdate) -> bool:
    """Whether an update holds words of Sori's own, and did not come from Telegram."""
    return update.update_id < 0
