"""Starts the window: shown at once, with the engine coming up behind it."""

import contextlib
import ctypes
import importlib
import logging
import os
import signal
import socket
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType
from typing import Protocol

from PySide6.QtCore import (
    QEvent,
    QLibraryInfo,
    QLocale,
    QMessageLogContext,
    QObject,
    QSocketNotifier,
    Qt,
    QTimer,
    QtMsgType,
    QTranslator,
    Signal,
    qInstallMessageHandler,
)
from PySide6.QtWidgets import QApplication
from typing_extensions import override

from assistant.app.host.places import RESOURCES
from assistant.app.host.single_instance import AlreadyRunningError, Request, SingleInstance, is_running, send_request
from assistant.app.host.texts import load_texts
from assistant.core.controls import Control, Controls, ToggleVoice
from assistant.core.settings import Settings
from assistant.core.texts import Texts
from assistant.core.updates import EngineStopped, Update
from assistant.desktop.bridge import Bridge
from assistant.desktop.kit.background import end_background
from assistant.desktop.kit.icons import Icons
from assistant.desktop.kit.theme import Theme
from assistant.desktop.main_window import MainWindow

log = logging.getLogger(__name__)

FIRST_PAINT_TIMEOUT_MS = 1000
"""A window that nobody can see is never painted; the engine starts then all the same."""
ENGINE_END_TIMEOUT_S = 10.0
"""Longest wait for the engine when leaving: a model that computes cannot be stopped in the middle."""


class RunningEngine(Controls, Protocol):
    """What the window needs of an engine beside its controls."""

    def start(self) -> None:
        """Begin; returns at once."""
        ...

    def stop(self, timeout_s: float) -> bool:
        """End, and wait for that; whether it did within ``timeout_s`` seconds."""
        ...


EngineFactory = Callable[[Path, Settings, Texts, Callable[[Update], None]], RunningEngine]
"""Makes an engine from the user's folder, settings and texts, and from where it publishes updates."""


def load_engine(home: Path, settings: Settings, texts: Texts, publish: Callable[[Update], None]) -> RunningEngine:
    """The engine. Importing it takes a second or two, which is why nothing else here does.

    Args:
        home: the user's folder.
        settings: all settings.
        texts: the user's words.
        publish: takes updates, on any thread.
    """
    _load_pydantic()
    from assistant.app.engine.thread import EngineThread

    return EngineThread(home, settings, texts, publish)


def _load_pydantic() -> None:
    """Have pydantic whole before threads load the SDKs that need it.

    PySide inspects every module that is imported, and pydantic answers such a look with imports of its own: two SDKs
    that are loaded at once then meet a module that is half made, and one of them fails.
    """
    with contextlib.suppress(ImportError, AttributeError):
        _ = importlib.import_module("pydantic").BaseModel


def run(home: Path, settings: Settings, make_engine: EngineFactory = load_engine) -> int:
    """Show the window until the user leaves.

    When a Sori already runs with this home, its window is brought to the front instead.

    Args:
        home: the user's folder, made if it is not there.
        settings: all settings.
        make_engine: called once the window has been painted, on a thread of its own.

    Returns:
        Exit status: 1 when no window can be shown, or another Sori holds the home and does not answer.
    """
    texts = load_texts(settings.language)
    with display() as problem:
        if problem:
            return _fail(texts("desktop.app.no_display", reason=problem))
        existing = QApplication.instance()
        application = existing if isinstance(existing, QApplication) else QApplication(["sori"])
    requests = _Requests()
    try:
        home.mkdir(parents=True, exist_ok=True)
        instance = _hold(home, requests)
    except AlreadyRunningError:
        return _fail(texts("desktop.app.not_answering"))
    except OSError as error:
        return _fail(texts("desktop.app.home_unusable", path=str(home), reason=error.strerror or str(error)))
    if instance is None:
        sys.stdout.write(f"{texts('desktop.app.already_running')}\n")
        return 0
    previous = qInstallMessageHandler(_log_qt)
    try:
        return _Desktop(application, texts, home, requests, settings, make_engine).run()
    finally:
        qInstallMessageHandler(previous)
        instance.close()


def _fail(words: str) -> int:
    sys.stderr.write(f"{words}\n")
    return 1


@contextlib.contextmanager
def display() -> Iterator[str]:
    """Why no window can be shown, in the system's words; empty when one can.

    Qt ends the whole process when it finds no display or lacks a library for it, so both are tried before. The
    connection stays open while entered: an X server such as Xvfb starts anew when its last client leaves, and refuses
    the next one while it does.
    """
    platform = os.environ.get("QT_QPA_PLATFORM", "")
    elsewhere = bool(platform) and not platform.startswith("xcb")
    wayland = not platform and bool(os.environ.get("WAYLAND_DISPLAY"))
    if sys.platform != "linux" or elsewhere or wayland:
        yield ""
        return
    plugin = Path(QLibraryInfo.path(QLibraryInfo.LibraryPath.PluginsPath), "platforms", "libqxcb.so")
    try:
        ctypes.CDLL(str(plugin))
        xcb = ctypes.CDLL("libxcb.so.1")
    except OSError as error:
        yield str(error)
        return
    xcb.xcb_connect.restype = ctypes.c_void_p
    connection = ctypes.c_void_p(xcb.xcb_connect(None, None))
    failed = xcb.xcb_connection_has_error(connection)
    try:
        yield f"DISPLAY={os.environ.get('DISPLAY', '')}" if failed else ""
    finally:
        xcb.xcb_disconnect(connection)


class _Requests(QObject):
    """Carries requests of other processes to Qt's thread."""

    asked = Signal(str)

    def obey(self, request: Request) -> None:
        """Pass a request on; safe on any thread."""
        self.asked.emit(str(request))


def _hold(home: Path, requests: _Requests) -> SingleInstance | None:
    """The hold on ``home``, or ``None`` when another process has it and has shown itself.

    Raises:
        AlreadyRunningError: another process has it and does not answer.
        OSError: the folder cannot be used.
    """
    while True:
        try:
            return SingleInstance(home, requests.obey)
        except AlreadyRunningError:
            if send_request(home, Request.SHOW):
                return None
            if is_running(home):
                raise
            # It ended between the two questions.


def _log_qt(kind: QtMsgType, _context: QMessageLogContext, message: str) -> None:
    levels = {
        QtMsgType.QtDebugMsg: logging.DEBUG,
        QtMsgType.QtInfoMsg: logging.INFO,
        QtMsgType.QtWarningMsg: logging.WARNING,
    }
    log.log(levels.get(kind, logging.ERROR), "Qt: %s", message)


class LateControls:
    """Controls for an engine that is still being loaded: what is sent before it is there waits for it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._waiting: list[Control] = []
        self._target: Controls | None = None

    def send(self, control: Control) -> None:
        """Hand a control to the engine, or keep it until there is one."""
        with self._lock:
            if self._target is None:
                self._waiting.append(control)
            else:
                self._target.send(control)

    def connect(self, target: Controls) -> None:
        """The engine is there."""
        with self._lock:
            for control in self._waiting:
                target.send(control)
            self._waiting.clear()
            self._target = target


class _Desktop(QObject):
    """The window, the engine behind it, and what ends both."""

    def __init__(
        self,
        application: QApplication,
        texts: Texts,
        home: Path,
        requests: _Requests,
        settings: Settings,
        make_engine: EngineFactory,
    ) -> None:
        super().__init__()
        self._application = application
        self._home, self._settings, self._texts = home, settings, texts
        self._make_engine = make_engine
        self._controls = LateControls()
        self._engine: RunningEngine | None = None
        self._loader = threading.Thread(target=self._load_engine, name="engine-loader", daemon=True)
        self._locale = QLocale()
        self._translator = _translate_qt(application, settings.language)
        application.setApplicationName("Sori")
        application.setDesktopFileName("sori")
        application.setQuitOnLastWindowClosed(False)
        icons = Icons(RESOURCES / "icons")
        application.setWindowIcon(icons.application())
        self._theme = Theme(application, settings.desktop.theme)
        self._bridge = Bridge()
        self._window = MainWindow(self._controls, texts, icons, self._theme, home)
        self._window.quit_wanted.connect(self._leave)
        self._window.installEventFilter(self)
        application.commitDataRequest.connect(self._window.let_close, Qt.ConnectionType.DirectConnection)
        requests.asked.connect(self._obey, Qt.ConnectionType.QueuedConnection)

    def run(self) -> int:
        """Show the window and stay until the user leaves."""
        self._window.present()
        self._bridge.connect_view(self._window.show_update)
        QTimer.singleShot(FIRST_PAINT_TIMEOUT_MS, self, self._start_engine)
        with _QuitSignals(self._leave):
            status = self._application.exec()
            self._bridge.close()
            self._end_engine()
            if not end_background(round(ENGINE_END_TIMEOUT_S * 1000)):
                log.error("a file is still being read or drawn")
        self._application.commitDataRequest.disconnect(self._window.let_close)
        self._application.removeTranslator(self._translator)
        QLocale.setDefault(self._locale)
        self._window.deleteLater()
        return status

    @override
    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Begin with the engine once the window has been painted."""
        if event.type() == QEvent.Type.Paint:
            watched.removeEventFilter(self)
            QTimer.singleShot(0, self, self._start_engine)
        return False

    def _start_engine(self) -> None:
        if self._loader.ident is None:
            self._loader.start()

    def _load_engine(self) -> None:
        """Make and start the engine; on a thread of its own, so that the window lives meanwhile."""
        try:
            engine = self._make_engine(self._home, self._settings, self._texts, self._bridge.publish)
            engine.start()
        except Exception as error:
            log.exception("the engine cannot be started")
            reason = self._texts("desktop.app.engine_failed", kind=type(error).__name__, detail=str(error))
            self._bridge.publish(EngineStopped(reason=reason))
            return
        self._engine = engine
        self._controls.connect(engine)

    def _obey(self, request: str) -> None:
        if request == Request.TOGGLE:
            self._controls.send(ToggleVoice())
        else:
            self._window.present()

    def _leave(self) -> None:
        self._window.leave()
        self._application.quit()

    def _end_engine(self) -> None:
        if self._loader.ident is None:
            return
        self._loader.join(ENGINE_END_TIMEOUT_S)
        if self._engine is not None and not self._engine.stop(ENGINE_END_TIMEOUT_S):
            log.error("the engine did not end within %.0f s", ENGINE_END_TIMEOUT_S)


def _translate_qt(application: QApplication, language: str) -> QTranslator:
    """Qt's own words, such as those of the input's menu, and its dates and sizes in the user's language."""
    QLocale.setDefault(QLocale(language))
    translator = QTranslator(application)
    folder = QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath)
    if translator.load(QLocale(language), "qtbase", "_", folder):
        application.installTranslator(translator)
    return translator


class _QuitSignals:
    """While entered, SIGINT and SIGTERM leave as the menu does; a second one ends the process at once.

    Python runs its signal handlers between its own instructions, and Qt's loop executes none. The system's note of a
    signal on a socket wakes the loop.
    """

    SIGNALS = (signal.SIGINT, signal.SIGTERM)

    def __init__(self, leave: Callable[[], None]) -> None:
        self._leave = leave

    def __enter__(self) -> None:
        self._reader, self._writer = socket.socketpair()
        self._reader.setblocking(False)
        self._writer.setblocking(False)
        self._notifier = QSocketNotifier(self._reader.fileno(), QSocketNotifier.Type.Read)
        self._notifier.activated.connect(self._drain)
        self._previous_fd = signal.set_wakeup_fd(self._writer.fileno(), warn_on_full_buffer=False)
        self._previous = {each: signal.signal(each, self._heard) for each in self.SIGNALS}

    def __exit__(self, *_: object) -> None:
        for each, handler in self._previous.items():
            signal.signal(each, handler)
        signal.set_wakeup_fd(self._previous_fd)
        self._notifier.setEnabled(False)
        self._reader.close()
        self._writer.close()

    def _drain(self) -> None:
        self._reader.recv(64)

    def _heard(self, _number: int, _frame: FrameType | None) -> None:
        for each in self.SIGNALS:
            signal.signal(each, signal.SIG_DFL)
        self._leave()
