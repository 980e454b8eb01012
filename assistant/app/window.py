"""Starts the window at once, and the engine in the background."""

import contextlib
import ctypes
import faulthandler
import logging
import os
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from types import FrameType
from uuid import uuid4

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

from assistant.app.late_connection import LateConnection
from assistant.app.restarting import may_restart, restart, start_again, was_restarted
from assistant.app.window_engine import (
    EngineElsewhere,
    EngineFactory,
    LateEngine,
    RunningEngine,
    WindowShownError,
    hold,
    load_engine,
)
from assistant.core.errors import ErrorCode, SoriError, StorageError
from assistant.core.service.connection import GONE_NOTICE
from assistant.core.service.events import Delivery
from assistant.core.service.request import Refusal, RefusedError
from assistant.core.service.requests.settings import ListSettings, SettingsList
from assistant.core.settings import DesktopSettings, Settings
from assistant.core.texts import Texts
from assistant.core.updates import EngineStopped, Missed, NoticePosted, SettingsChanged, Severity, Update
from assistant.desktop.bridge import Bridge
from assistant.desktop.dictation.ways.choice import ways as ways_to_type
from assistant.desktop.followed_settings import FollowedSettings
from assistant.desktop.keyboard.global_keys import GlobalKeys
from assistant.desktop.keyboard.shortcuts.choice import ways
from assistant.desktop.kit.background import end_background
from assistant.desktop.kit.icons import Icons
from assistant.desktop.kit.theme import Theme
from assistant.desktop.main_window import MainWindow
from assistant.host.allocations import share_arenas
from assistant.host.places import RESOURCES
from assistant.host.texts import load_texts
from assistant.remote.local.client import WINDOW_OPEN, ClientWindow
from assistant.remote.local.endpoint import HeldHome
from assistant.remote.local.server import LocalServer
from assistant.setup.plain_window import show_plainly

log = logging.getLogger(__name__)

TURN_OF_A_THREAD_S = 0.001
"""Longest time for which a thread keeps Python to itself while others wait. At Python's 5 ms a paint, which waits once
for each call of Qt, stands still for a third of a second while a long answer is read aside."""
FIRST_PAINT_TIMEOUT_MS = 1000
"""An invisible window is never painted. The engine then starts after this time."""
ENGINE_END_TIMEOUT_S = 10.0
"""Longest wait for the end of all parts: a running model inference cannot be interrupted."""
FRONT_S = 10.0
"""Longest wait until Qt's thread has brought the window to the front."""
LAST_RESORT_S = 15.0
"""Seconds after which the process ends by force, less than a next start waits. Nothing saved is lost."""


def run(home: Path, settings: Settings, make_engine: EngineFactory = load_engine, *, minimized: bool = False) -> int:
    """Show the window until the user leaves.

    If a window is open for this home already, it is brought to the front instead. If an engine runs without one, the
    window becomes its client.

    Args:
        home: the user's folder, created if it is missing.
        settings: all settings.
        make_engine: called once the window has been painted, on a thread of its own, unless an engine runs.
        minimized: whether the window begins out of the user's way.

    Returns:
        The exit status: 1 if no window can be shown.

    Raises:
        SilentEngineError: another Sori uses the home and does not answer.
        RefusedError: another Sori uses the home and takes no clients of this version.
        StorageError: the home cannot be used.
    """
    texts = load_texts(settings.language)
    with display() as problem:
        if problem:
            words = texts("desktop.app.no_display", reason=problem)
            sys.stderr.write(f"{words}\n")
            show_plainly(texts("desktop.trouble.no_start"), words)
            return 1
        existing = QApplication.instance()
        application = existing if isinstance(existing, QApplication) else QApplication(["sori"])
    try:
        home.mkdir(parents=True, exist_ok=True)
        held = hold(home, texts)
    except WindowShownError:
        sys.stdout.write(f"{texts('desktop.app.already_running')}\n")
        return 0
    except OSError as error:
        raise StorageError(str(home), error.strerror or str(error), message_key="home", cause=error) from error
    previous = qInstallMessageHandler(_log_qt)
    sys.setswitchinterval(TURN_OF_A_THREAD_S)
    share_arenas()
    try:
        desktop = _Desktop(application, texts, home, held, settings, make_engine)
        status = desktop.run(minimized=minimized)
    finally:
        qInstallMessageHandler(previous)
        faulthandler.cancel_dump_traceback_later()
        if held is not None:
            held.close()
    if desktop.hung:
        restart(time.time())
    if desktop.again:
        start_again()
    return status


@contextlib.contextmanager
def display() -> Iterator[str]:
    """The system's reason why no window can be shown; empty if one can.

    Qt ends the whole process if it finds no display or lacks a library for it, so both are checked first. The
    connection stays open inside the context: an X server such as Xvfb restarts when its last client disconnects, and
    refuses new clients during the restart.
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


def _log_qt(kind: QtMsgType, _context: QMessageLogContext, message: str) -> None:
    levels = {
        QtMsgType.QtDebugMsg: logging.DEBUG,
        QtMsgType.QtInfoMsg: logging.INFO,
        QtMsgType.QtWarningMsg: logging.WARNING,
    }
    log.log(levels.get(kind, logging.ERROR), "Qt: %s", message)


def _never_came(texts: Texts) -> Refusal:
    return Refusal(code=ErrorCode.ENGINE_UNAVAILABLE, reason="engine_gone", message=texts("error.engine_gone"))


class _Desktop(QObject):
    """The window, its engine, and their end.

    Attributes:
        hung: whether the window was left because the engine hangs.
        again: whether the user wants Sori to start again.
    """

    _hangs = Signal()
    _wanted = Signal()
    _replaced = Signal()

    def __init__(
        self,
        application: QApplication,
        texts: Texts,
        home: Path,
        held: HeldHome | None,
        settings: Settings,
        make_engine: EngineFactory,
    ) -> None:
        super().__init__()
        self._application = application
        self._home, self._settings, self._texts = home, settings, texts
        self._held = held is not None
        self._as_client = ClientWindow(id=uuid4().hex, show=self._wanted.emit, leave=self._replaced.emit)
        self._make_engine = make_engine if self._held else self._attach
        self._bridge = Bridge()
        self._connection = LateConnection(self._bridge)
        self._engine: RunningEngine | None = None
        self.hung = self.again = self._over = False
        self._hangs.connect(self._leave_hung, Qt.ConnectionType.QueuedConnection)
        self._loader = threading.Thread(target=self._load_engine, name="engine-loader", daemon=True)
        self._locale = QLocale()
        self._translator = _translate_qt(application, settings.language)
        application.setApplicationName("Sori")
        application.setDesktopFileName("sori")
        application.setQuitOnLastWindowClosed(False)
        self._icons = Icons(RESOURCES / "icons")
        application.setWindowIcon(self._icons.application())
        self._theme = Theme(application, settings.desktop.theme)
        self._former: list[MainWindow] = []
        self._window = self._make_window()
        self._window.installEventFilter(self)
        self._followed = FollowedSettings(settings.desktop, self._theme, self._window, self._shortcuts)
        self._wanted.connect(self._present, Qt.ConnectionType.QueuedConnection)
        self._replaced.connect(self._leave, Qt.ConnectionType.QueuedConnection)
        self._late = LateEngine()
        self._front = Front(self._wanted.emit)
        self._server = None if held is None else LocalServer(held, self._late, texts, self._front.bring)

    def run(self, *, minimized: bool) -> int:
        """Show the window and stay until the user leaves."""
        if minimized:
            self._window.showMinimized()
        else:
            self._window.present()
        self._bridge.connect_view(self._show)
        self._window.follow()
        if not minimized:
            self._window.pages.begin_first_run()
        if was_restarted(os.environ, time.time()):
            self._window.notices.post(self._texts("desktop.notice.restarted"), Severity.WARNING)
        self._followed.start()
        QTimer.singleShot(FIRST_PAINT_TIMEOUT_MS, self, self._start_engine)
        if self._server is not None:
            self._server.start()
        with _QuitSignals(self._leave):
            status = self._application.exec()
            until = time.monotonic() + ENGINE_END_TIMEOUT_S
            self._followed.stop()
            self._bridge.close()
            self._front.close()
            if self._server is not None:
                self._server.stop_accepting()
            self._end_engine(until)
            self._connection.close()
            if self._server is not None:
                self._server.close()
            if not end_background(round(_left_s(until) * 1000)):
                log.error("a file is still being read or drawn")
        self._application.commitDataRequest.disconnect(self._window.let_close)
        self._application.removeTranslator(self._translator)
        QLocale.setDefault(self._locale)
        self._forget_former()
        self._window.deleteLater()
        self._over = True
        return status

    @override
    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Start the engine once the window has been painted."""
        if event.type() == QEvent.Type.Paint:
            watched.removeEventFilter(self)
            QTimer.singleShot(0, self, self._start_engine)
        return False

    def _make_window(self) -> MainWindow:
        key = self._settings.desktop.talk_key
        window = MainWindow(
            self._connection,
            self._texts,
            self._icons,
            self._theme,
            self._home,
            talk_key=key,
            ends_sori=self._held,
            typing=ways_to_type(sys.platform, os.environ),
        )
        window.quit_wanted.connect(self._leave)
        window.restart_wanted.connect(self._restart)
        self._application.commitDataRequest.connect(window.let_close, Qt.ConnectionType.DirectConnection)
        return window

    def _show(self, update: Update) -> None:
        if isinstance(update, SettingsChanged):
            self._use(update)
        elif isinstance(update, Missed):
            self._connection.ask(ListSettings(), self._use_all)
        self._window.show_update(update)

    def _use(self, changed: SettingsChanged) -> None:
        self._followed.follow(changed)
        language = changed.values.get("language", self._texts.language)
        if language != self._texts.language and self._engine is not None:
            self._speak(language, self._engine)

    def _use_all(self, reply: SettingsList | Refusal) -> None:
        """Use the settings as they are: what was missed may have been a change."""
        if isinstance(reply, SettingsList):
            values = {each.name: each.in_force for each in reply.settings}
            self._use(SettingsChanged(names=tuple(values), values=values))

    def _speak(self, language: str, engine: RunningEngine) -> None:
        """Replace the window by one in another language, which a new connection tells everything."""
        former, self._texts = self._window, load_texts(language)
        self._application.removeTranslator(self._translator)
        self._translator = _translate_qt(self._application, language)
        shown, active = former.isVisible(), former.isActiveWindow()
        page, first_run = former.pages.shown, former.pages.first_run
        step = "" if first_run is None else first_run.shown
        self._application.commitDataRequest.disconnect(former.let_close)
        unfinished = former.hand_over()
        former.leave()
        self._window = self._make_window()
        self._window.take_over(unfinished)
        self._followed.show_in(self._window)
        if shown:
            self._window.present() if active else self._window.come_forward()
        if not self._held:
            engine = self._engine = self._attach(self._home, self._settings, self._texts)
        try:
            self._connection.connect(engine.connect(self._take, name="window"))
        except (SoriError, RefusedError) as error:  # The former connection tells that the engine has gone.
            log.warning("the engine does not take another connection: %s", error)
        self._window.follow()
        if page is not None:
            self._window.show_page(*page)
        if step:
            self._window.pages.show_first_run(step)
        self._former.append(former)
        self._bridge.call(self._forget_former)  # after the replies that it still gets

    def _forget_former(self) -> None:
        while self._former:
            self._former.pop().deleteLater()

    def _shortcuts(self, settings: DesktopSettings) -> GlobalKeys:
        keys = GlobalKeys(self._texts, settings, ways(sys.platform, os.environ), parent=self)
        keys.used.connect(lambda name: self._window.shortcuts.press(name))
        keys.held.connect(lambda name, held: self._window.shortcuts.hold(name, held=held))
        keys.failed.connect(lambda words: self._window.notices.post(words, Severity.WARNING))
        return keys

    def _attach(self, home: Path, _settings: Settings, texts: Texts) -> RunningEngine:
        return EngineElsewhere(home, texts, self._as_client)

    def _start_engine(self) -> None:
        if self._loader.ident is None:
            self._loader.start()

    def _load_engine(self) -> None:
        """Make and start the engine, on a thread of its own so that the window stays responsive."""
        import_module("assistant.desktop.markdown.view")  # The first answer would wait for it.
        try:
            engine = self._make_engine(self._home, self._settings, self._texts)
            connection = engine.connect(self._take, name="window")
            engine.start()
        except Exception as error:
            if isinstance(error, RefusedError) and error.refusal.reason == WINDOW_OPEN:  # opened at the same time
                self._replaced.emit()
                return
            log.exception("the engine cannot be started")
            reason = self._texts("desktop.app.engine_failed", kind=type(error).__name__, detail=str(error))
            self._bridge.publish(EngineStopped(reason=reason))
            self._connection.fail(_never_came(self._texts))
            self._late.settle(None)
            return
        self._engine = engine
        self._late.settle(engine)
        self._connection.connect(connection)

    def _present(self) -> None:
        if not self._front.closed:
            self._window.present()
            self._front.brought()

    def _take(self, delivery: Delivery) -> None:
        """Take an event of the engine; called on a thread of the connection."""
        update = delivery.event
        if isinstance(update, NoticePosted) and update.key == GONE_NOTICE:
            self._bridge.publish(EngineStopped())
        if self._held and isinstance(update, EngineStopped) and update.hung and may_restart(os.environ, time.time()):
            self._hangs.emit()
        else:
            self._bridge.publish(update)

    def _restart(self) -> None:
        self.again = True
        self._leave()

    def _leave_hung(self) -> None:
        self.hung = True
        self._leave()

    def _leave(self) -> None:
        if self._over:  # Else a late message would arm the last resort, which nobody disarms any more.
            return
        # From now on another start takes over when this process has ended, instead of showing a window that goes.
        self._front.close()
        if self._server is not None:
            self._server.stop_accepting()
        else:
            self._connection.close()
        if sys.__stderr__ is not None:  # None on Windows without a console
            faulthandler.dump_traceback_later(LAST_RESORT_S, exit=True, file=sys.__stderr__)
        self._window.leave()
        self._application.quit()

    def _end_engine(self, until: float) -> None:
        if self._loader.ident is None:
            self._late.settle(None)
            return
        self._loader.join(_left_s(until))
        if self._engine is not None and not self._engine.stop(_left_s(until)):
            log.error("the engine did not end within %.0f s", ENGINE_END_TIMEOUT_S)


def _left_s(until: float) -> float:
    return max(0.0, until - time.monotonic())


def _translate_qt(application: QApplication, language: str) -> QTranslator:
    """Load Qt's texts (such as those of the input's menu) and its formats in the user's language."""
    QLocale.setDefault(QLocale(language))
    translator = QTranslator(application)
    folder = QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath)
    if translator.load(QLocale(language), "qtbase", "_", folder):
        application.installTranslator(translator)
    return translator


class Front:
    """Brings the window to the front for other starts, each of which learns whether it came.

    Args:
        ask: asks Qt's thread for it, which then calls ``brought``.
    """

    def __init__(self, ask: Callable[[], None]) -> None:
        self._ask = ask
        self._changed = threading.Condition()
        self._times, self.closed = 0, False

    def bring(self) -> bool:
        """Bring it to the front; ``False`` if Sori ends instead. Waits for Qt's thread; call on another one."""
        with self._changed:
            before = self._times
            if not self.closed:
                self._ask()
            self._changed.wait_for(lambda: self.closed or self._times > before, FRONT_S)
            return not self.closed

    def brought(self) -> None:
        """It is in front."""
        with self._changed:
            self._times += 1
            self._changed.notify_all()

    def close(self) -> None:
        """Sori ends."""
        with self._changed:
            self.closed = True
            self._changed.notify_all()


class _QuitSignals:
    """Inside the context, SIGINT and SIGTERM quit like the menu entry; a second signal ends the process at once.

    Python runs its signal handlers between its own instructions, and Qt's loop executes none of them. So each signal
    writes to a socket, which wakes the loop.
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
