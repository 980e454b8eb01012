"""What the engine asks of the doors in its process that the settings open and close."""

from collections.abc import Callable
from typing import Protocol

from assistant.core.records.egress import EgressLedger
from assistant.core.service.connection import EngineService
from assistant.core.service.requests.phone.phones import PhoneStanding
from assistant.core.settings import Settings, TelegramSettings
from assistant.core.telegram.records import TelegramBot, TelegramUpdate
from assistant.core.telegram.store import TelegramNews, TelegramStore
from assistant.core.texts import Texts


class TelegramLine(Protocol):
    """The way to Telegram, which is closed when it is made. Calls of ``open`` and ``close`` come one after another."""

    async def bot_of(self, token: str, ledger: EgressLedger, server: str) -> TelegramBot:
        """Ask Telegram whose token this is.

        Args:
            token: the token.
            ledger: takes what leaves.
            server: the address of the Bot API; empty for Telegram's own.

        Raises:
            SoriError: Telegram does not accept the token, or cannot be reached.
        """
        ...

    async def take_over(self, token: str, ledger: EgressLedger, server: str) -> None:
        """Let Telegram send the messages of a bot to no service on the web any more.

        Args:
            token: the token.
            ledger: takes what leaves.
            server: the address of the Bot API; empty for Telegram's own.

        Raises:
            SoriError: Telegram refuses or cannot be reached.
        """
        ...

    async def open(
        self,
        token: str,
        settings: Callable[[], TelegramSettings],
        store: TelegramStore,
        ledger: EgressLedger,
        news: TelegramNews,
    ) -> None:
        """Answer the messages of a bot from now on. Whether they arrive is told to ``news``."""
        ...

    async def close(self) -> None:
        """Answer no more."""
        ...

    def say(self, words: TelegramUpdate) -> None:
        """Send words of Sori's own that are kept; while the line is closed they wait until it is opened."""
        ...


class PhoneLine(Protocol):
    """The way of the user's phones to the web page, which is closed when it is made. Calls come one after another."""

    async def stand(self, port: int | None, signed_in: Callable[[str], None]) -> PhoneStanding:
        """Open, move or close the page, as the port and this computer's addresses say now, and tell how it stands.

        Args:
            port: the port; ``None`` to be closed.
            signed_in: told the name of each phone that signs in, on any thread.

        Raises:
            SoriError: the page cannot be opened, and is closed.
        """
        ...

    def cut_off(self, name: str) -> None:
        """End what is being answered to a phone whose token was revoked."""
        ...


class Doors(Protocol):
    """Doors that are closed when they are made."""

    @property
    def telegram(self) -> TelegramLine:
        """The way to Telegram, which its domain opens and closes."""
        ...

    @property
    def phones(self) -> PhoneLine:
        """The way of the user's phones, which their domain opens and closes."""
        ...

    async def follow(self, settings: Settings) -> None:
        """Open and close what the settings ``http.enabled`` and ``http.port`` say.

        Raises:
            SoriError: a door cannot be opened; the doors stay as they were.
        """
        ...

    async def close(self) -> None:
        """Close all doors."""
        ...


MakeDoors = Callable[[EngineService, Texts], Doors]
"""Makes the doors of an engine, with the user's words."""
