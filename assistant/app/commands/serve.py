"""``sori serve``: the engine without a window, for a server, a container or a session without a screen."""

import logging
import os
import signal
import sys
import time
from contextlib import suppress
from pathlib import Path
from queue import SimpleQueue
from types import FrameType

from assistant.app.served_engine import ServedEngine
from assistant.core.errors import StorageError
from assistant.core.service.events import Delivery
from assistant.core.service.request import Refusal
from assistant.core.service.requests.timers import ListTimers
from assistant.core.settings import Settings
from assistant.core.texts import ChosenTexts
from assistant.core.updates import EngineStopped, NoticePosted, SettingsChanged, Severity, Update
from assistant.engine.settings.reading import settings_here
from assistant.host.places import Places, start_command
from assistant.host.texts import load_texts
from assistant.remote.local.client import take_home
from assistant.remote.local.endpoint import HeldHome, HomeHeldError

_END_S = 10.0
"""Seconds that the engine has to end: answers are stopped and stored."""
_LOOK_S = 1.0
"""Seconds between two looks whether the home is free."""
_SIGNALS = ("SIGINT", "SIGTERM", "SIGHUP")

log = logging.getLogger(__name__)


def run(home: Path, settings: Settings, *, hears: bool, waits: bool = False) -> int:
    """Serve the programs of this user until SIGINT, SIGTERM, SIGHUP or a request to end.

    One line on standard output says when requests are carried out; warnings go to standard error.

    Args:
        home: the user's folder.
        settings: all settings.
        hears: whether the engine uses microphone and speaker, as far as there are any.
        waits: whether to wait for the end of another Sori that runs for this home, and then to serve in its place.

    Returns:
        Exit status: 1 when another Sori runs for this home, or the engine ended by itself.

    Raises:
        StorageError: the home cannot be used.
    """
    texts = ChosenTexts(settings.language, {"ko": load_texts("ko"), "en": load_texts("en")})
    try:
        home.mkdir(parents=True, exist_ok=True)
        held = take_home(home, texts)
        if held is None and waits:
            print(texts("serve.waits"), flush=True)
            held = _freed(home)
            settings = settings_here(Places(home).config, home)  # They may have changed meanwhile.
    except OSError as error:
        raise StorageError(str(home), error.strerror or str(error), message_key="home", cause=error) from error
    if held is None:
        print(texts("serve.runs_already"), file=sys.stderr)
        return 1
    served = ServedEngine(home, settings, texts.fixed, held, hears=hears)
    try:
        return _serve(served, texts)
    finally:
        if not served.stop(_END_S):
            log.error("the engine did not end within %.0f s", _END_S)


def _freed(home: Path) -> HeldHome:
    """Wait until no other process holds the home, and take it."""
    while True:
        with suppress(HomeHeldError):
            return HeldHome(home)
        time.sleep(_LOOK_S)


def _serve(served: ServedEngine, texts: ChosenTexts) -> int:
    # Its ``put`` may be called by a signal handler, wherever the main thread is.
    ended = SimpleQueue[EngineStopped | None]()

    def take(delivery: Delivery) -> None:
        if isinstance(delivery.event, EngineStopped):
            ended.put(delivery.event)
        else:
            _tell(delivery.event, texts)

    def tell_ready(reply: object) -> None:
        if not isinstance(reply, Refusal):
            print(texts("serve.ready"), flush=True)

    def on_signal(number: int, _frame: FrameType | None) -> None:
        signal.signal(number, signal.SIG_DFL)  # A second one ends the process at once.
        ended.put(None)

    served.engine.connect(take, name="serve").ask(ListTimers(), tell_ready)
    for name in _SIGNALS:
        if hasattr(signal, name):  # Windows has no SIGHUP.
            signal.signal(getattr(signal, name), on_signal)
    served.start()
    stopped = ended.get()
    if stopped is None or not stopped.reason:
        return 0
    print(stopped.reason, file=sys.stderr)
    return 1


def _tell(event: Update, texts: ChosenTexts) -> None:
    """Write warnings for whoever reads the service's journal."""
    match event:
        case SettingsChanged(values={"language": language}):
            texts.choose(language)
        case NoticePosted(severity=Severity.WARNING | Severity.ERROR):
            print(texts(event.key, **event.values), file=sys.stderr, flush=True)
        case _:
            pass


def unit(home: Path, *, hears: bool) -> str:
    """A unit file for systemd's manager of user services.

    Args:
        home: the user's folder.
        hears: as in ``run``.
    """
    words = [*start_command(), "serve", "--wait", *(() if hears else ("--no-voice",))]
    lines = [
        "[Unit]",
        "Description=Sori",
        "",
        "[Service]",
        f"ExecStart={' '.join(map(_quoted, words))}",
        *([f"Environment={_quoted(f'SORI_HOME={home}')}"] if os.environ.get("SORI_HOME") else []),
        "Restart=on-failure",
        "TimeoutStopSec=20",
        "",
        "[Install]",
        "WantedBy=default.target",
        "",
    ]
    return "\n".join(lines)


def _quoted(word: str) -> str:
    """A word of a unit file (systemd.service(5), "Command lines" and "Specifiers")."""
    escaped = word.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%").replace("$", "$$")
    return f'"{escaped}"' if set(escaped) & set(" \t\"'\\;") else escaped
