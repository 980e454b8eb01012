"""What the workers of all chats share."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass

from telegram import Bot

from assistant.core.clock import Clock
from assistant.core.settings import TelegramSettings
from assistant.core.telegram.store import TelegramNews, TelegramStore
from assistant.core.texts import Texts
from assistant.remote.telegram.form.redaction import Redaction
from assistant.remote.telegram.turns import ChatTurns


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatSurroundings:
    """What the workers of all chats share.

    Attributes:
        settings: gives the settings as they are now.
        device: id of this device, which no message may tell.
        at_once: limits how many chats are answered at the same time.
    """

    bot: Bot
    turns: ChatTurns
    store: TelegramStore
    news: TelegramNews
    texts: Texts
    clock: Clock
    redact: Redaction
    settings: Callable[[], TelegramSettings]
    device: str
    at_once: asyncio.Semaphore
