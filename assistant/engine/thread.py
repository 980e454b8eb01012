"""The engine on a thread with its own asyncio loop."""

import asyncio
import logging
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from assistant.core.display.storage_remedy import storage_remedy
from assistant.core.errors import SoriError, StorageError
from assistant.core.live_settings import LiveSettings
from assistant.core.service.connection import Connection
from assistant.core.service.events import Delivery
from assistant.core.service.grant import OWNER, Grant
from assistant.core.settings import Settings
from assistant.core.texts import LiveTexts, Texts
from assistant.core.updates import EngineStopped
from assistant.engine.doors import MakeDoors
from assistant.engine.engine import Engine
from assistant.engine.rooms.basis import languages_from
from assistant.engine.serving.hub import Hub
from assistant.engine.watching.loop_watch import HUNG_S, LoopWatch
from assistant.tasks import AbandonedThreads

log = logging.getLogger(__name__)

_THREADS_S = 1.0
"""Longest wait for the end of the loop once the engine has ended."""


class EngineThread:
    """Runs the engine; implements ``EngineService``. Clients may connect before ``start``.

    Args:
        home: the user's folder.
        settings: all settings.
        texts: the user's words.
        in_file: what the settings file contained when the settings were read; see ``LiveSettings``.
        hears: whether it uses the microphone and the speaker.
        alone: whether no other process serves the same user. Another one rings the timers and tidies up.
        make_doors: makes the doors in this process that the settings open.
        hung_s: time without a step of the loop after which the engine counts as hung.
    """

    def __init__(
        self,
        home: Path,
        settings: Settings,
        texts: Texts,
        *,
        in_file: Settings | None = None,
        hears: bool = True,
        alone: bool = True,
        make_doors: MakeDoors | None = None,
        hung_s: float = HUNG_S,
    ) -> None:
        live = LiveSettings(settings, in_file=in_file)
        texts = LiveTexts(lambda: live.current.language, languages_from(live, texts))
        self._hub = Hub(texts)
        doors = None if make_doors is None else make_doors(self, texts)
        self._engine = Engine(home, live, texts, self._hub, hears=hears, alone=alone, doors=doors)
        self._thread = threading.Thread(target=self._run, name="engine", daemon=True)
        self._texts, self._hung_s = texts, hung_s
        self._hung, self._over = False, threading.Event()
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None

    def connect(self, deliver: Callable[[Delivery], None], *, name: str, grant: Grant = OWNER) -> Connection:
        """Connect a client; see ``EngineService``."""
        return self._hub.connect(deliver, name=name, grant=grant)

    def start(self) -> None:
        """Start the thread; returns at once."""
        self._thread.start()

    def stop(self, timeout_s: float = 5.0) -> bool:
        """End the engine and wait for it; return whether it ended in time."""
        if self._hung:
            return False
        self._end()
        over = self._over.wait(timeout_s)
        self._thread.join(_THREADS_S)
        return over

    def _end(self) -> None:
        with self._lock:
            if self._loop is None:
                self._engine.end()
                return
        # The loop may close at any moment; then the engine has ended.
        with suppress(RuntimeError):
            self._loop.call_soon_threadsafe(self._engine.end)

    def _give_up(self, place: str) -> None:
        """Report that the loop hangs. What it still does is shown to nobody."""
        log.error("the engine hangs in:\n%s", place)
        self._hung = True
        self._end()  # in case that it goes on later
        self._hub.end(EngineStopped(reason=self._texts("error.engine_hung"), hung=True))

    def _run(self) -> None:
        reason, worded = "", False
        with asyncio.Runner() as runner:
            loop = runner.get_loop()
            loop.set_default_executor(AbandonedThreads())
            watch = LoopWatch(loop, threading.get_ident(), self._give_up, hung_s=self._hung_s)
            watch.start()
            with self._lock:
                self._loop = loop
            try:
                runner.run(self._engine.run())
            except SoriError as error:
                log.exception("the engine ended")
                reason = self._texts(error.message_key, **error.values)
                if isinstance(error, StorageError):
                    reason, worded = f"{reason} {storage_remedy(error, self._texts)}".strip(), True
            except Exception as error:
                log.exception("the engine ended")
                reason = f"{type(error).__name__}: {error}"
            finally:
                watch.stop()
            self._hub.end(EngineStopped(reason=reason, worded=worded))
            self._over.set()
