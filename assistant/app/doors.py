"""The doors of an engine in this process that the settings open and close."""

import asyncio
from typing import TYPE_CHECKING

from assistant.app.phone.line import DoorToPhones
from assistant.app.telegram_line import DoorToTelegram
from assistant.core.service.connection import EngineService
from assistant.core.settings import Settings
from assistant.core.texts import Texts
from assistant.host.clock import SystemClock
from assistant.host.places import RESOURCES, Places
from assistant.host.tokens import TokenFile

if TYPE_CHECKING:
    from assistant.remote.http.door import HttpDoor


class AppDoors:
    """HTTP on the port of the settings, Telegram, and the page for phones; implements ``Doors``.

    Calls come one after another.

    Args:
        places: the user's files.
        service: the engine.
        texts: the user's words.
    """

    def __init__(self, places: Places, service: EngineService, texts: Texts) -> None:
        self._places, self._service, self._texts = places, service, texts
        self._open: tuple[int, HttpDoor] | None = None
        self.telegram = DoorToTelegram(service, texts)
        self.phones = DoorToPhones(places, service, texts)

    async def follow(self, settings: Settings) -> None:
        """Open, move or close the door.

        Raises:
            SoriError: the port cannot be used; a door that was open stays open.
        """
        wanted = settings.http.port if settings.http.enabled else None
        if wanted == (self._open and self._open[0]):
            return
        opened = None if wanted is None else (wanted, await asyncio.to_thread(self._opened, wanted))
        await self._close_http()
        self._open = opened

    async def close(self) -> None:
        """Close all doors."""
        await self.telegram.close()
        await self.phones.close()
        await self._close_http()

    async def _close_http(self) -> None:
        former, self._open = self._open, None
        if former is not None:
            await asyncio.to_thread(former[1].close)

    def _opened(self, port: int) -> "HttpDoor":
        # Imported only where HTTP is switched on: the server takes 0.2 s.
        from assistant.remote.http.door import HttpDoor
        from assistant.remote.http.page.files import PageFiles

        tokens = TokenFile(self._places.tokens, SystemClock())
        page = PageFiles(RESOURCES / "page", RESOURCES / "icons", self._texts)
        door = HttpDoor(self._service, tokens, self._texts, lambda: page)
        door.open(port)
        return door
