"""Which engine the window uses: one of its own, or the one that another process runs for this home."""

import asyncio
import contextlib
import threading
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Protocol

from assistant.app.doors import AppDoors
from assistant.core.errors import ErrorCode, SoriError
from assistant.core.service.connection import Connection, EngineService
from assistant.core.service.events import Delivery
from assistant.core.service.grant import OWNER, Grant
from assistant.core.service.refusals import ENGINE_GONE
from assistant.core.service.request import RefusedError
from assistant.core.settings import Settings
from assistant.core.texts import Texts
from assistant.host.places import Places
from assistant.remote.local.client import ANSWER_S, AttachedEngine, connect
from assistant.remote.local.endpoint import HeldHome, HomeHeldError


class RunningEngine(EngineService, Protocol):
    """The window's interface to an engine, in addition to its connections."""

    def start(self) -> None:
        """Start the engine; returns at once."""
        ...

    def stop(self, timeout_s: float) -> bool:
        """End the engine; return whether it ended within ``timeout_s`` seconds."""
        ...


EngineFactory = Callable[[Path, Settings, Texts], RunningEngine]
"""Makes an engine from the user's folder, the settings and the texts."""


def load_engine(home: Path, settings: Settings, texts: Texts) -> RunningEngine:
    """Make the engine. Its import takes a second or two, so only this function imports it.

    Args:
        home: the user's folder.
        settings: those of the settings file, as it was read.
        texts: the user's words.
    """
    from assistant.engine.thread import EngineThread

    return EngineThread(home, settings, texts, in_file=settings, make_doors=partial(AppDoors, Places(home)))


class WindowShownError(Exception):
    """This home has a window already, which is in front now."""


def hold(home: Path, texts: Texts) -> HeldHome | None:
    """Take ``home`` for this process; ``None`` if another process has it and no window is open.

    Raises:
        WindowShownError: another process has it, and its window was brought to the front.
        SilentEngineError: another process has it and does not answer.
        RefusedError: another process has it and takes no clients of this version.
        OSError: the folder cannot be used.
    """
    while True:
        if (connection := connect(home, texts, name="second start", within_s=ANSWER_S)) is None:
            with contextlib.suppress(HomeHeldError):  # Another start was faster.
                return HeldHome(home)
            continue
        try:
            asyncio.run(connection.show_window())
        except RefusedError as error:
            if error.refusal.reason == "no_window":
                return None
            if error.refusal.reason != ENGINE_GONE:
                raise
        else:
            raise WindowShownError
        finally:
            connection.close()


class LateEngine:
    """The engine for other programs, which wait while it is being loaded; implements ``EngineService``."""

    def __init__(self) -> None:
        self._engine: EngineService | None = None
        self._decided = threading.Event()

    def settle(self, engine: EngineService | None) -> None:
        """The engine was loaded; ``None`` if that failed."""
        self._engine = engine
        self._decided.set()

    def connect(self, deliver: Callable[[Delivery], None], *, name: str, grant: Grant = OWNER) -> Connection:
        """Connect a client once there is an engine.

        Raises:
            SoriError: the engine cannot be loaded.
        """
        self._decided.wait()
        if self._engine is None:
            raise SoriError(ErrorCode.ENGINE_UNAVAILABLE, "the engine was not loaded", message_key="engine_gone")
        return self._engine.connect(deliver, name=name, grant=grant)


class EngineElsewhere(AttachedEngine):
    """The engine of another process, which the window neither starts nor ends; implements ``RunningEngine``."""

    def start(self) -> None:
        """It runs already."""

    def stop(self, timeout_s: float) -> bool:
        """It goes on."""
        del timeout_s
        return True
