"""An engine in this process, which the user's other programs reach as well."""

from pathlib import Path

from assistant.app.doors import Doors
from assistant.core.settings import Settings
from assistant.core.texts import Texts
from assistant.engine.thread import EngineThread
from assistant.remote.local.endpoint import HeldHome
from assistant.remote.local.server import LocalServer


class ServedEngine:
    """An engine, the local socket of its home, and the doors that the settings switch on.

    Args:
        home: the user's folder.
        settings: all settings.
        texts: the user's words.
        held: the home; ``None`` while another process holds it. Other programs then reach that process.
        hears: whether the engine uses microphone and speaker.

    Attributes:
        engine: the engine. Clients may connect before ``start``.
    """

    def __init__(self, home: Path, settings: Settings, texts: Texts, held: HeldHome | None, *, hears: bool) -> None:
        self.engine = EngineThread(home, settings, texts, hears=hears, alone=held is not None)
        self._server = None if held is None else LocalServer(held, self.engine, texts)
        self._doors = None if held is None else Doors(self.engine, home, settings, texts)

    def start(self) -> str:
        """Start the engine and what leads to it; returns at once, with the reason why a door stays closed."""
        self.engine.start()
        if self._server is not None:
            self._server.start()
        return "" if self._doors is None else self._doors.open()

    def stop(self, timeout_s: float) -> bool:
        """End all of it; returns whether the engine ended in time."""
        if self._doors is not None:
            self._doors.close()
        ended = self.engine.stop(timeout_s)
        if self._server is not None:
            self._server.close()
        return ended
