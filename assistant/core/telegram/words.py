"""Words of Sori's own that a chat is to get, kept among the updates until they were sent. Pure."""

import json
from datetime import datetime
from typing import Final

from assistant.core.telegram.records import TelegramUpdate

RANDOM_BITS: Final = 20


def words_update(chat: int, text: str, *, now: datetime, random_bits: int) -> TelegramUpdate:
    """Words as they are kept. Their number is negative and that of no others, also not of another device's.

    Args:
        chat: Telegram's id of the chat.
        text: the words, as Markdown.
        now: the time, with time zone.
        random_bits: ``RANDOM_BITS`` random bits.
    """
    number = -((int(now.timestamp() * 1000) << RANDOM_BITS) | random_bits)
    content = json.dumps({"words": text}, ensure_ascii=False)
    return TelegramUpdate(update_id=number, chat=chat, content=content, sent_at=now)


def is_own(update: TelegramUpdate) -> bool:
    """Whether an update holds words of Sori's own, and did not come from Telegram."""
    return update.update_id < 0
