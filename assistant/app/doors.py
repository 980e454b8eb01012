"""The doors of an engine in this process that the settings switch on."""

import logging
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from assistant.core.errors import SoriError
from assistant.core.service.connection import Connection, EngineService
from assistant.core.service.events import Delivery
from assistant.core.service.grant import OWNER, Grant
from assistant.core.settings import Settings
from assistant.core.texts import Texts
from assistant.host.clock import SystemClock
from assistant.host.places import RESOURCES, Places
from assistant.host.tokens import TokenFile

if TYPE_CHECKING:
    from assistant.engine.thread import EngineThread
    from assistant.remote.http.door import HttpDoor

log = logging.getLogger(__name__)


class Doors:
    """HTTP, if it is switched on. What cannot be opened stays closed, which the log tells.

    Args:
        service: the engine.
        home: the user's folder.
        settings: all settings.
        texts: the user's words.
    """

    def __init__(self, service: EngineService, home: Path, settings: Settings, texts: Texts) -> None:
        self._http = _http_door(service, home, texts) if settings.http.enabled else None
        self._port, self._texts = settings.http.port, texts

    def open(self) -> str:
        """Open the doors; returns why one stays closed, in the user's words, or nothing."""
        if self._http is None:
            return ""
        try:
            self._http.open(self._port)
        except SoriError as error:
            log.warning("HTTP stays closed: %s", error)
            return self._texts(error.message_key, **error.values)
        return ""

    def close(self) -> None:
        """Close the doors."""
        if self._http is not None:
            self._http.close()


class OpenEngine:
    """An engine whose doors are open while it runs.

    Args:
        engine: the engine.
        doors: its doors.
    """

    def __init__(self, engine: "EngineThread", doors: Doors) -> None:
        self._engine, self._doors = engine, doors

    def connect(self, deliver: Callable[[Delivery], None], *, name: str, grant: Grant = OWNER) -> Connection:
        """Connect a client; see ``EngineService``."""
        return self._engine.connect(deliver, name=name, grant=grant)

    def start(self) -> None:
        """Start the engine, and open its doors."""
        self._engine.start()
        self._doors.open()

    def stop(self, timeout_s: float) -> bool:
        """Close the doors and end the engine; returns whether it ended in time."""
        self._doors.close()
        return self._engine.stop(timeout_s)


def _http_door(service: EngineService, home: Path, texts: Texts) -> "HttpDoor":
    # Imported only where HTTP is switched on: the server takes 0.2 s.
    from assistant.remote.http.door import HttpDoor
    from assistant.remote.http.page.files import PageFiles

    tokens = TokenFile(Places(home).tokens, SystemClock())
    return HttpDoor(service, tokens, texts, lambda: PageFiles(RESOURCES / "page", RESOURCES / "icons", texts))
