"""An engine in this process, which the user's other programs reach as well."""

from functools import partial
from pathlib import Path

from assistant.app.doors import AppDoors
from assistant.core.settings import Settings
from assistant.core.texts import Texts
from assistant.engine.thread import EngineThread
from assistant.host.allocations import share_arenas
from assistant.host.places import Places
from assistant.remote.local.endpoint import HeldHome
from assistant.remote.local.server import LocalServer


class ServedEngine:
    """An engine, and the local socket of its home.

    Args:
        home: the user's folder.
        settings: those of the settings file, as it was read.
        texts: the user's words.
        held: the home; ``None`` while another process holds it. Other programs then reach that process.
        hears: whether the engine uses microphone and speaker.

    Attributes:
        engine: the engine. Clients may connect before ``start``.
    """

    def __init__(self, home: Path, settings: Settings, texts: Texts, held: HeldHome | None, *, hears: bool) -> None:
        share_arenas()
        doors = None if held is None else partial(AppDoors, Places(home))
        self.engine = EngineThread(
            home, settings, texts, in_file=settings, hears=hears, alone=held is not None, make_doors=doors
        )
        self._server = None if held is None else LocalServer(held, self.engine, texts)

    def start(self) -> None:
        """Start both; returns at once."""
        self.engine.start()
        if self._server is not None:
            self._server.start()

    def stop(self, timeout_s: float) -> bool:
        """End both; returns whether the engine ended in time."""
        if self._server is not None:
            self._server.stop_accepting()
        ended = self.engine.stop(timeout_s)
        if self._server is not None:
            self._server.close()
        return ended
