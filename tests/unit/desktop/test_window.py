"""The window's start and end, with an engine that answers at once."""

import faulthandler
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from queue import SimpleQueue
from typing import Any

import pytest
from PySide6.QtCore import QLocale, QTime
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from assistant.app import window as window_process
from assistant.app.commands import toggle
from assistant.app.late_connection import LateConnection
from assistant.app.window import TURN_OF_A_THREAD_S, Front, run
from assistant.app.window_engine import RunningEngine
from assistant.core.errors import ErrorCode, StorageError
from assistant.core.service.request import Refusal
from assistant.core.service.requests.conversations import FollowConversation
from assistant.core.service.requests.engine import ShowFirstRun
from assistant.core.service.requests.records import ListTraces
from assistant.core.service.requests.turns import BeginTurn
from assistant.core.service.requests.voice import Stop, ToggleVoice
from assistant.core.settings import Settings
from assistant.core.texts import Texts
from assistant.core.updates import SettingsChanged
from assistant.desktop.bridge import Bridge
from assistant.desktop.main_window import MainWindow
from assistant.host.places import PROJECT
from assistant.host.texts import load_texts
from tests.fakes.front.connection import RecordedConnection
from tests.fakes.front.driver import Driver
from tests.fakes.front.engine import AnsweringEngine

pytestmark = pytest.mark.long

SETTINGS = Settings(language="en")
PROGRAM = """
import sys
import time
from pathlib import Path
from assistant.app.window import run
from assistant.core.settings import Settings
from assistant.core.service.requests.conversations import FollowConversation
from assistant.core.service.requests.engine import ShowFirstRun
from assistant.core.service.requests.voice import TypeDictation
from tests.fakes.front.engine import AnsweringEngine

class Engine(AnsweringEngine):
    def start(self):
        super().start()
        print("started", flush=True)

    def _answer(self, request):
        if not isinstance(request, FollowConversation | ShowFirstRun | TypeDictation):
            print(type(request).__name__, flush=True)
        return super()._answer(request)

    def stop(self, timeout_s):
        print("stopped", flush=True)
        while (Path(sys.argv[1]) / "slow").exists():
            time.sleep(0.01)
        return super().stop(timeout_s)

sys.exit(run(Path(sys.argv[1]), Settings(language="en"), Engine))
"""

HANGING = """
import os, sys, threading
from pathlib import Path
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication
from assistant.app.window import run
from assistant.core.settings import Settings
from assistant.core.updates import EngineStopped
from assistant.desktop.main_window import MainWindow
from assistant.core.service.requests.conversations import FollowConversation
from assistant.core.service.requests.engine import ShowFirstRun
from tests.fakes.front.engine import AnsweringEngine

class Engine(AnsweringEngine):
    def start(self):
        print(os.getpid(), flush=True)
        # It hangs after it has shown its conversation: what is shown later says that it is up again.
        threading.Timer(1.5, self.publish, [EngineStopped(reason="It hangs.", hung=True)]).start()

    def stop(self, timeout_s):
        return False

def look():
    for window in QApplication.topLevelWidgets():
        if isinstance(window, MainWindow) and any("engine has stopped" in each for each in window.notices.messages):
            timer.stop()
            print(*window.notices.messages, sep="\\n", flush=True)
            window.quit_wanted.emit()

application = QApplication([])
timer = QTimer(interval=5)
timer.timeout.connect(look)
timer.start()
sys.exit(run(Path(sys.argv[1]), Settings(language="en"), Engine))
"""

LEAVING_WHILE_READING = """
import sys
from pathlib import Path
from PySide6.QtCore import QThreadPool, QTimer
from PySide6.QtWidgets import QApplication
from assistant.app.window import run
from assistant.core.messages import Attachment, Message, Role
from assistant.core.settings import Settings
from assistant.core.updates import ConversationOpened
from assistant.desktop.main_window import MainWindow
from tests.fakes.front.engine import AnsweringEngine
from tests.fakes.pictures import encoded, noise

image = Attachment(mime_type="image/jpeg", name="a.jpg", data=encoded(noise(1800, 1200), "JPEG"))
message = Message(role=Role.USER, text="", attachments=(image,) * 6)
begun = False

def leave():
    global begun
    window = next((each for each in QApplication.topLevelWidgets() if isinstance(each, MainWindow)), None)
    if window is None:
        return
    if not begun:
        begun = True
        window.show_update(ConversationOpened(conversation="b", messages=(message,)))
    elif QThreadPool.globalInstance().activeThreadCount():
        timer.stop()
        window.quit_wanted.emit()

application = QApplication([])
timer = QTimer()
timer.timeout.connect(leave)
timer.start(1)
sys.exit(run(Path(sys.argv[1]), Settings(language="en"), AnsweringEngine))
"""


@pytest.fixture
def driver(qapp: QApplication) -> Iterator[Driver]:
    driver = Driver()
    yield driver
    driver.stop()
    QApplication.processEvents()


@pytest.fixture
def launch(tmp_path: Path) -> Iterator[Callable[[], "subprocess.Popen[str]"]]:
    """Starts the program in a process of its own."""
    started: list[subprocess.Popen[str]] = []

    def start() -> "subprocess.Popen[str]":
        process = subprocess.Popen(
            [sys.executable, "-c", PROGRAM, str(tmp_path)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=PROJECT,
        )
        started.append(process)
        return process

    yield start
    for process in started:
        process.kill()
        process.communicate()


def line(process: "subprocess.Popen[str]") -> str:
    assert process.stdout is not None
    return process.stdout.readline().strip()


def idle(window: MainWindow) -> bool:
    return window.strip.word.text() == "Ready"


def test_the_window_is_painted_before_the_engine_is_made(driver: Driver, tmp_path: Path) -> None:
    visible: list[bool] = []
    threads: list[threading.Thread] = []
    turns_s: list[float] = []
    sys.setswitchinterval(0.005)

    def make(home: Path, settings: Settings, texts: Texts) -> RunningEngine:
        turns_s.append(sys.getswitchinterval())
        visible.extend(each.isVisible() for each in QApplication.topLevelWidgets() if isinstance(each, MainWindow))
        threads.append(threading.current_thread())
        return AnsweringEngine(home, settings, texts)

    driver.when(idle, lambda _window: None)
    driver.start()

    assert run(tmp_path, SETTINGS, make) == 0
    assert visible == [True]
    assert threads != [threading.main_thread()]
    assert turns_s == [pytest.approx(TURN_OF_A_THREAD_S)]


def test_what_is_typed_before_the_engine_is_there_is_answered_by_it(driver: Driver, tmp_path: Path) -> None:
    typed = threading.Event()
    engines: list[AnsweringEngine] = []

    def make(home: Path, settings: Settings, texts: Texts) -> RunningEngine:
        typed.wait(30)
        engines.append(AnsweringEngine(home, settings, texts))
        return engines[0]

    def type_early(window: MainWindow) -> None:
        window.composer.input.setPlainText("Hello?")
        window.composer.submit()
        typed.set()

    driver.when(lambda window: window.isVisible(), type_early)
    driver.when(lambda window: window.conversation.last_answer == "Certainly.", lambda _window: None)
    driver.start()

    assert run(tmp_path, SETTINGS, make) == 0
    (sent,) = (each for each in engines[0].sent if isinstance(each, BeginTurn))
    assert (sent.text, sent.conversation) == ("Hello?", "a")
    assert engines[0].stopped


def test_what_qt_says_is_in_the_users_language(driver: Driver, tmp_path: Path) -> None:
    said: list[str] = []

    def open_menu(window: MainWindow) -> None:
        menu = window.composer.input.createStandardContextMenu()
        said.extend(action.text().partition("(")[0] for action in menu.actions() if action.text())
        menu.deleteLater()
        said.append(QLocale().toString(QTime(15, 5), QLocale.FormatType.ShortFormat))

    driver.when(lambda window: window.isVisible(), open_menu)
    driver.start()

    assert run(tmp_path, Settings(language="ko"), AnsweringEngine) == 0
    assert said[:5] == ["실행 취소", "다시 실행", "잘라내기", "복사", "붙여넣기"]
    assert said[-1] == "오후 3:05"


def test_a_message_that_comes_after_the_end_does_not_end_the_process(
    driver: Driver, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[window_process._Desktop] = []
    armed: list[float] = []

    class Kept(window_process._Desktop):
        def __init__(self, *given: Any) -> None:
            super().__init__(*given)
            made.append(self)

    monkeypatch.setattr(window_process, "_Desktop", Kept)
    driver.start()
    assert run(tmp_path, SETTINGS, AnsweringEngine) == 0
    monkeypatch.setattr(faulthandler, "dump_traceback_later", lambda after_s, **_: armed.append(after_s))
    made[0]._replaced.emit()
    QApplication.processEvents()
    assert armed == []


def test_another_language_is_seen_at_once_with_the_same_conversation_and_draft(driver: Driver, tmp_path: Path) -> None:
    engines, seen = list[AnsweringEngine](), list[str]()

    def make(home: Path, settings: Settings, texts: Texts) -> RunningEngine:
        engines.append(AnsweringEngine(home, settings, texts))
        return engines[0]

    def type_and_change(window: MainWindow) -> None:
        window.composer.input.setPlainText("아직 쓰는 중")
        engines[0].publish(SettingsChanged(names=("language",), values={"language": "ko"}))

    def spoken(language: str) -> list[MainWindow]:
        windows = [each for each in QApplication.topLevelWidgets() if isinstance(each, MainWindow)]
        ready = load_texts(language)("desktop.state.idle")
        return [each for each in windows if each.isVisible() and each.strip.word.text() == ready]

    def look(_: MainWindow) -> None:
        (window,) = spoken("ko")
        seen.extend([window.composer.input.toPlainText(), window.composer.voice.text()])
        window.quit_wanted.emit()

    driver.when(idle, type_and_change)
    driver.when(lambda _: bool(spoken("ko")) and bool(spoken("ko")[0].composer.input.toPlainText()), look)
    driver.start()

    assert run(tmp_path, SETTINGS, make) == 0
    assert seen == ["아직 쓰는 중", load_texts("ko")("desktop.composer.talk")]
    sent = [type(each) for each in engines[0].connection.sent]
    assert [sent.count(each) for each in (FollowConversation, ShowFirstRun)] == [2, 1]


def test_an_engine_that_cannot_be_made_is_said_and_the_window_stays(driver: Driver, tmp_path: Path) -> None:
    said: list[str] = []

    def make(home: Path, settings: Settings, texts: Texts) -> RunningEngine:
        raise OSError("libexample.so.2: cannot open shared object file")

    driver.when(
        lambda window: window.notices.shown is not None,
        lambda window: said.extend(each.detail.text() for each in [window.notices.shown] if each is not None),
    )
    driver.start()

    assert run(tmp_path, SETTINGS, make) == 0
    assert "libexample.so.2" in said[0]


def test_requests_wait_for_an_engine_in_order(qtbot: QtBot) -> None:
    bridge, engine = Bridge(), RecordedConnection()
    bridge.connect_view(lambda _: None)
    late, replies = LateConnection(bridge), list[object]()
    for request in (ToggleVoice(), Stop()):
        late.ask(request, replies.append)

    late.connect(engine)
    late.ask(ListTraces(), replies.append)
    engine.reply(ListTraces, ())

    assert engine.sent == [ToggleVoice(), Stop(), ListTraces()]
    qtbot.waitUntil(lambda: replies == [()])


def test_requests_to_an_engine_that_cannot_be_loaded_are_refused(qtbot: QtBot) -> None:
    bridge = Bridge()
    bridge.connect_view(lambda _: None)
    late, replies = LateConnection(bridge), list[object]()
    refusal = Refusal(code=ErrorCode.ENGINE_UNAVAILABLE, reason="engine_gone", message="Sori has ended.")
    late.ask(ToggleVoice(), replies.append)

    late.fail(refusal)
    late.ask(Stop(), replies.append)

    qtbot.waitUntil(lambda: replies == [refusal, refusal])


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT])
def test_signals_end_it_cleanly(launch: Callable[[], "subprocess.Popen[str]"], how: signal.Signals) -> None:
    process = launch()
    begun = line(process)

    process.send_signal(how)
    rest, _ = process.communicate()

    assert begun == "started"
    assert rest.split() == ["stopped"]
    assert process.returncode == 0


def test_leaving_while_images_are_still_being_drawn_ends_it_cleanly(tmp_path: Path) -> None:
    ended = subprocess.run(
        [sys.executable, "-c", LEAVING_WHILE_READING, str(tmp_path)], capture_output=True, cwd=PROJECT, check=False
    )

    assert ended.returncode == 0, ended.stderr


def test_a_second_start_brings_the_first_to_the_front_and_ends(
    launch: Callable[[], "subprocess.Popen[str]"],
) -> None:
    first = launch()
    assert line(first) == "started"

    second = launch()
    words, _ = second.communicate()

    assert second.returncode == 0
    assert "already running" in words
    assert first.poll() is None


def test_toggle_reaches_the_engine_of_the_window(launch: Callable[[], "subprocess.Popen[str]"], tmp_path: Path) -> None:
    process = launch()
    assert line(process) == "started"

    assert toggle.run(tmp_path, ToggleVoice()) == 0
    assert line(process) == "ToggleVoice"


def test_a_start_after_a_kill_is_like_any_other(launch: Callable[[], "subprocess.Popen[str]"]) -> None:
    killed = launch()
    assert line(killed) == "started"
    killed.kill()
    killed.wait()

    assert line(launch()) == "started"


def test_a_window_whose_engine_hangs_starts_again_and_tells_so(tmp_path: Path) -> None:
    ended = subprocess.run(
        [sys.executable, "-c", HANGING, str(tmp_path)], capture_output=True, text=True, cwd=PROJECT, check=False
    )
    assert ended.returncode == 0, ended.stderr
    *starts, restarted, stopped = ended.stdout.splitlines()
    texts = load_texts("en")
    # The process replaces itself three times, and then leaves it to the user.
    assert (len(starts), len(set(starts))) == (4, 1)
    assert (restarted, stopped) == (
        texts("desktop.notice.restarted"),
        texts("desktop.notice.engine_stopped"),
    )


def test_a_display_that_does_not_answer_is_said_in_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("QT_QPA_PLATFORM", "xcb")
    monkeypatch.setenv("DISPLAY", ":9876")

    status = run(tmp_path, SETTINGS, AnsweringEngine)

    assert status == 1
    assert "The window cannot be opened: DISPLAY=:9876" in capsys.readouterr().err


def test_a_home_that_is_a_file_is_named(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.write_text("", encoding="ascii")

    with pytest.raises(StorageError) as refused:
        run(home, SETTINGS, AnsweringEngine)
    assert refused.value.path == str(home)


@pytest.mark.parametrize("comes", [True, False])
def test_another_start_learns_whether_the_window_came(comes: bool) -> None:
    asked = threading.Event()
    front, told = Front(asked.set), SimpleQueue[bool]()
    threading.Thread(target=lambda: told.put(front.bring())).start()
    asked.wait()

    if comes:
        front.brought()
    else:
        front.close()

    assert told.get() is comes
    front.close()
    assert front.bring() is False


def test_a_start_while_the_former_sori_ends_takes_over(
    launch: Callable[[], "subprocess.Popen[str]"], tmp_path: Path
) -> None:
    (tmp_path / "slow").touch()
    first = launch()
    assert line(first) == "started"
    first.send_signal(signal.SIGTERM)
    assert line(first) == "stopped"  # and waits

    second = launch()
    (tmp_path / "slow").unlink()

    assert line(second) == "started"
    assert first.wait() == 0
