"""A way to Telegram that knows one bot and reaches nobody."""

from collections.abc import Callable
from dataclasses import dataclass, field

from assistant.core.errors import ErrorCode, SoriError
from assistant.core.records.egress import EgressLedger
from assistant.core.settings import TelegramSettings
from assistant.core.telegram.records import TelegramBot, TelegramUpdate
from assistant.core.telegram.store import TelegramNews, TelegramStore

TOKEN = "123456:" + "A" * 35  # not a token of anybody's
BOT = TelegramBot(bot=123456, username="sori_bot", name="소리")


@dataclass
class FakeLine:
    """Implements ``TelegramLine``.

    Attributes:
        bots: the bots by their tokens.
        opened: the tokens with which it was opened.
        stores: what has kept the records each time.
        news: who is told; ``None`` while it is closed.
        said: the words for chats.
        taken_over: tokens of bots whose messages no service on the web gets any more.
    """

    bots: dict[str, TelegramBot] = field(default_factory=lambda: {TOKEN: BOT})
    opened: list[str] = field(default_factory=list)
    stores: list[TelegramStore] = field(default_factory=list)
    news: TelegramNews | None = None
    said: list[TelegramUpdate] = field(default_factory=list)
    taken_over: list[str] = field(default_factory=list)

    async def bot_of(self, token: str, ledger: EgressLedger, server: str) -> TelegramBot:
        """The bot of a token."""
        if token not in self.bots:
            raise SoriError(ErrorCode.INVALID_REQUEST, "no such bot", message_key="telegram_token_refused")
        return self.bots[token]

    async def take_over(self, token: str, ledger: EgressLedger, server: str) -> None:
        """Note it."""
        self.taken_over.append(token)

    async def open(
        self,
        token: str,
        settings: Callable[[], TelegramSettings],
        store: TelegramStore,
        ledger: EgressLedger,
        news: TelegramNews,
    ) -> None:
        """Note it."""
        self.opened.append(token)
        self.stores.append(store)
        self.news = news

    async def close(self) -> None:
        """Note it."""
        self.news = None

    def say(self, words: TelegramUpdate) -> None:
        """Note it."""
        self.said.append(words)
