"""The way to Telegram, which the domain of Telegram opens and closes."""

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from assistant.core.addresses import is_local_host, is_web_address
from assistant.core.errors import ErrorCode, SoriError
from assistant.core.records.egress import EgressLedger
from assistant.core.service.connection import EngineService
from assistant.core.settings import TelegramSettings
from assistant.core.telegram.records import TelegramBot, TelegramStanding, TelegramState, TelegramUpdate
from assistant.core.telegram.store import TelegramNews, TelegramStore
from assistant.core.texts import Texts
from assistant.host.clock import SystemClock
from assistant.host.logs import kept_secrets

if TYPE_CHECKING:
    from assistant.remote.telegram.door import TelegramDoor

TELEGRAM_API: Final = "https://api.telegram.org"


class NoLine:
    """Asks Telegram whose a token is, and answers nobody; implements ``TelegramLine`` for a command."""

    async def bot_of(self, token: str, ledger: EgressLedger, server: str) -> TelegramBot:
        """Ask Telegram whose token this is; see ``TelegramLine``."""
        return await _bot_of(token, ledger, server)

    async def take_over(self, token: str, ledger: EgressLedger, server: str) -> None:
        """Let Telegram send the messages of a bot to no service on the web; see ``TelegramLine``."""
        await _take_over(token, ledger, server)

    async def open(
        self,
        token: str,  # noqa: ARG002 - nobody answers
        settings: Callable[[], TelegramSettings],  # noqa: ARG002 - as above
        store: TelegramStore,  # noqa: ARG002 - as above
        ledger: EgressLedger,  # noqa: ARG002 - as above
        news: TelegramNews,
    ) -> None:
        """Tell that an engine answers, which does not run here."""
        news.stands(TelegramStanding(state=TelegramState.NO_ENGINE))

    async def close(self) -> None:
        """Nothing is open."""

    def say(self, words: TelegramUpdate) -> None:
        """Nothing is open."""


class DoorToTelegram:
    """The way to Telegram; implements ``TelegramLine``.

    Args:
        service: the engine.
        texts: the user's words.
    """

    def __init__(self, service: EngineService, texts: Texts) -> None:
        self._service, self._texts = service, texts
        self._open: TelegramDoor | None = None

    async def bot_of(self, token: str, ledger: EgressLedger, server: str) -> TelegramBot:
        """Ask Telegram whose token this is; see ``TelegramLine``."""
        return await _bot_of(token, ledger, server)

    async def take_over(self, token: str, ledger: EgressLedger, server: str) -> None:
        """Let Telegram send the messages of a bot to no service on the web; see ``TelegramLine``."""
        await _take_over(token, ledger, server)

    async def open(
        self,
        token: str,
        settings: Callable[[], TelegramSettings],
        store: TelegramStore,
        ledger: EgressLedger,
        news: TelegramNews,
    ) -> None:
        """Answer the messages of a bot; see ``TelegramLine``."""
        await self.close()
        api = _checked_server(settings().server)

        def opened() -> "TelegramDoor":
            # Imported only where Telegram is switched on: the client takes 0.2 s.
            from assistant.remote.telegram.door import TelegramDoor

            door = TelegramDoor(
                self._service, store, ledger, self._texts, news, SystemClock(), api=api, keys=kept_secrets
            )
            door.open(token, settings)
            return door

        self._open = await asyncio.to_thread(opened)

    async def close(self) -> None:
        """Answer no more."""
        former, self._open = self._open, None
        if former is not None:
            await asyncio.to_thread(former.close)

    def say(self, words: TelegramUpdate) -> None:
        """Send words of Sori's own that are kept."""
        if self._open is not None:
            self._open.say(words)


async def _bot_of(token: str, ledger: EgressLedger, server: str) -> TelegramBot:
    """Ask Telegram whose token this is; see ``TelegramLine``."""
    from assistant.remote.telegram.bot import bot_of

    return await bot_of(token, ledger, api=_checked_server(server))


async def _take_over(token: str, ledger: EgressLedger, server: str) -> None:
    from assistant.remote.telegram.bot import take_over

    await take_over(token, ledger, api=_checked_server(server))


def _checked_server(server: str) -> str:
    """The address of the Bot API.

    Raises:
        SoriError: it is none, or the token would go over the network unencrypted.
    """
    address = server.strip().rstrip("/") or TELEGRAM_API
    parts = urlsplit(address)
    if not is_web_address(address) or (parts.scheme != "https" and not is_local_host(parts.hostname or "")):
        detail = f"not the address of a Bot API server: {address}"
        raise SoriError(ErrorCode.SETTINGS, detail, message_key="telegram_server", values={"address": address})
    return address
