"""The window as a client of an engine that runs in another process."""

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from assistant.app.window import run
from assistant.app.window_engine import RunningEngine
from assistant.core.messages import Attachment
from assistant.core.settings import Settings
from assistant.core.texts import Texts
from assistant.desktop.main_window import MainWindow
from assistant.desktop.questions.ask_card import AskCard
from assistant.desktop.settings.setting_row import SettingRow
from assistant.host.settings_file import read_settings
from assistant.host.texts import load_texts
from tests.e2e.terminal import Terminal, screenless
from tests.fakes.front.driver import Driver, Holds, Then
from tests.fakes.model_server.server import RecordedRequest, Reply, ScriptedCall, serve_in_thread
from tests.fakes.model_server.sori_settings import scripted_settings

# Before Qt starts: this test needs no screen.
os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

ROOT = Path(__file__).parents[2]
TEXTS = load_texts("ko")
SECOND = """
import sys
from pathlib import Path
from assistant.app.window import run
from assistant.host.settings_file import read_settings
home = Path(sys.argv[1])
sys.exit(run(home, read_settings(home / "config.toml")))
"""
SORI = [sys.executable, "-m", "assistant.app.command_line"]

pytestmark = [
    pytest.mark.long,
    pytest.mark.timeout(300),
    pytest.mark.qt_log_ignore("plugin does not support", "systemTrayWindowChanged", extend=True),
    pytest.mark.skipif(sys.platform == "win32", reason="signals are POSIX's"),
]

LONG = " ".join(f"{number}번째" for number in range(1, 80))
MAY_END = threading.Event()
"""Whether a long answer is written to its end, and not only to its middle."""


def reply_to(request: RecordedRequest) -> Reply:
    last = request.body["messages"][-1]
    if last["role"] == "tool":
        return Reply(text=f"다 했어요: {last['content']}")
    if "클립보드" in last["content"]:
        return Reply(tool_calls=(ScriptedCall(name="read_clipboard", arguments="{}"),))
    if "긴 시" in last["content"]:
        return Reply(text=LONG, rest_when=MAY_END.is_set)
    return Reply(text=f"들었어요: {request.body['messages'][-1]['content'].splitlines()[-1]}")


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    with serve_in_thread(reply_to) as server:
        (tmp_path / "config.toml").write_text(scripted_settings(server.base_url), encoding="utf-8")
        for name, value in screenless(tmp_path).items():
            monkeypatch.setenv(name, value)
        monkeypatch.delenv("DBUS_SESSION_BUS_ADDRESS", raising=False)
        yield tmp_path


class Engine:
    """``sori serve`` as a process."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[str] | None = None
        self._changes = threading.Lock()

    def start(self) -> None:
        with self._changes:
            command = [*SORI, "serve", "--no-voice"]
            process = self._process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
            assert process.stdout is not None
            assert process.stdout.readline().strip() == TEXTS("serve.ready")

    def end(self, how: signal.Signals = signal.SIGTERM) -> int:
        with self._changes:
            process, self._process = self._process, None
            if process is None:
                return 0
            process.send_signal(how)
            process.communicate()
            return process.returncode


@pytest.fixture
def engine(home: Path) -> Iterator[Engine]:
    engine = Engine()
    engine.start()
    yield engine
    engine.end(signal.SIGKILL)


def sori(*arguments: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [*SORI, *arguments], cwd=ROOT, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL
    )


class User(Driver):
    """Does one thing after another at the window, then quits."""

    def __init__(self, home: Path) -> None:
        super().__init__(patience_s=240.0)
        self._home = home

    def work(self) -> int:
        """Run the window; returns its exit status."""
        self.start()
        try:
            return run(self._home, read_settings(self._home / "config.toml"), own_engine)
        finally:
            self.stop()


def own_engine(_home: Path, _settings: Settings, _texts: Texts) -> RunningEngine:
    raise AssertionError("the window makes an engine of its own")


def says(text: str) -> Holds:
    return lambda window: window.conversation.last_answer == text


def idle(window: MainWindow) -> bool:
    return window.strip.word.text() == TEXTS("desktop.state.idle")


def send(text: str) -> Then:
    return lambda window: window.composer.submitted.emit(text, ())


def question(window: MainWindow) -> AskCard | None:
    """The question that waits for an answer in the window."""
    return next((each for each in window.findChildren(AskCard) if each.no.isVisibleTo(window)), None)


def refuse(window: MainWindow) -> None:
    asked = question(window)
    assert asked is not None
    QTest.mouseClick(asked.no, Qt.MouseButton.LeftButton)


def meanwhile(work: Callable[[], object]) -> Then:
    return lambda _: threading.Thread(target=work).start()


@pytest.mark.usefixtures("qapp")
def test_a_window_shows_the_conversation_of_the_engine_that_runs(home: Path, engine: Engine) -> None:
    user, second = User(home), list[str]()

    def start_again() -> None:
        command = [sys.executable, "-c", SECOND, str(home)]
        second.append(subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True).stdout.strip())

    user.when(idle, send("안녕"))
    user.when(says("들었어요: 안녕"), meanwhile(lambda: sori("chat", "--continue", "good morning")))
    user.when(says("들었어요: good morning"), lambda window: window.hide())
    user.when(lambda _: True, meanwhile(start_again))
    user.when(lambda window: window.isVisible() and bool(second), lambda _: None)

    assert user.work() == 0
    assert second == [TEXTS("desktop.app.already_running")]
    assert sori("chat", "--continue", "아직 있어?").stdout.strip() == "들었어요: 아직 있어?"
    assert engine.end() == 0


@pytest.mark.usefixtures("qapp")
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM], ids=["killed", "ended"])
def test_a_window_says_that_the_engine_has_gone_and_goes_on_when_it_is_back(
    how: signal.Signals, home: Path, engine: Engine
) -> None:
    user = User(home)

    def gone(window: MainWindow) -> bool:
        stopped = window.strip.word.text() == TEXTS("desktop.state.stopped")
        return stopped and TEXTS("notice.engine_gone") in window.notices.messages

    def start_with_another_answer() -> None:
        engine.start()
        sori("chat", "--continue", "그사이")

    def kept(window: MainWindow) -> bool:
        return "지금 보내면?" in window.composer.text and "쓰던 글" in window.composer.text

    user.when(idle, send("안녕"))
    user.when(says("들었어요: 안녕"), lambda window: window.composer.put("쓰던 글"))
    user.when(lambda _: True, meanwhile(lambda: engine.end(how)))
    user.when(gone, send("지금 보내면?"))
    user.when(kept, meanwhile(start_with_another_answer))
    user.when(lambda window: says("들었어요: 그사이")(window) and kept(window), send("다시"))
    user.when(lambda window: says("들었어요: 다시")(window) and idle(window), lambda _: None)

    assert user.work() == 0
    assert engine.end() == 0


@pytest.mark.usefixtures("qapp", "engine")
def test_a_question_that_a_terminal_raises_is_answered_in_the_window(home: Path) -> None:
    user = User(home)
    with Terminal([*SORI, "chat", "--continue"], ROOT, {**os.environ}) as terminal:
        terminal.expect(TEXTS("console.prompt"))
        user.when(idle, lambda _: terminal.type("클립보드를 읽어 줘"))
        user.when(lambda window: question(window) is not None, refuse)
        user.when(lambda window: "허락하지 않아" in window.conversation.last_answer, lambda _: None)
        assert user.work() == 0
        terminal.expect("다 했어요")
        terminal.type("/quit")
        assert terminal.status() == 0


@pytest.mark.usefixtures("qapp")
def test_a_window_leaves_for_one_that_was_started_while_sori_was_gone(home: Path, engine: Engine) -> None:
    user, second = User(home), list[subprocess.Popen[bytes]]()

    def start_again() -> None:
        second.append(subprocess.Popen([sys.executable, "-c", SECOND, str(home)], cwd=ROOT))

    user.when(idle, lambda window: window.composer.put("쓰던 글"))
    user.when(lambda _: True, meanwhile(lambda: engine.end(signal.SIGKILL)))
    user.when(lambda window: TEXTS("notice.engine_gone") in window.notices.messages, meanwhile(start_again))
    user.stay()
    try:
        assert user.work() == 0
        assert second[0].poll() is None
        assert sori("chat", "안녕").stdout.strip() == "들었어요: 안녕"
        assert sori("serve", "--no-voice").stderr.strip() == TEXTS("serve.runs_already")
    finally:
        for each in second:
            each.terminate()
            each.wait()


def shows_setting(title: str) -> Callable[[MainWindow], bool]:
    """Whether the page of settings is open and shows a setting."""

    def is_shown(window: MainWindow) -> bool:
        rows = [row for page in window.pages.open for row in page.findChildren(SettingRow)]
        return title in [row.title.text() for row in rows if row.isVisible()]

    return is_shown


@pytest.mark.usefixtures("qapp", "engine")
def test_a_window_follows_the_settings_of_the_engine(home: Path) -> None:
    user, english = User(home), load_texts("en")
    user.when(idle, lambda window: window.show_page("settings", "files.folders"))
    user.when(shows_setting("폴더"), meanwhile(lambda: sori("settings", "set", "language", "en")))
    user.when(shows_setting("Folders"), lambda window: window.pages.open[0].accept())
    user.when(lambda window: window.strip.word.text() == english("desktop.state.idle"), send("Hello"))
    user.when(says("들었어요: Hello"), lambda _: None)
    assert user.work() == 0


@pytest.mark.usefixtures("qapp", "engine")
def test_the_language_is_switched_while_an_answer_is_written_and_nothing_is_lost(home: Path) -> None:
    user, english, seen, rows = User(home), load_texts("en"), list[list[str]](), list[str]()
    file = Attachment(mime_type="text/plain", name="notes.txt", data=b"notes")

    def shown(window: MainWindow) -> list[str]:
        return [each.text for each in window.conversation.rows]

    def prepare(window: MainWindow) -> None:
        window.composer.submitted.emit("기다리는 말", ())
        window.composer.put("쓰던 글")
        window.composer.files.give_back((file,))
        threading.Thread(target=lambda: sori("settings", "set", "language", "en")).start()

    def speaks_english(window: MainWindow) -> bool:
        is_kept = window.composer.text == "쓰던 글" and window.composer.files.files == (file,)
        is_english = window.composer.input.accessibleName() == english("desktop.composer.input")
        return is_kept and is_english and window.conversation.last_answer.startswith("1번째")

    user.when(idle, send("긴 시를 써 줘"))
    user.when(lambda window: "3번째" in window.conversation.last_answer, prepare)
    user.when(speaks_english, lambda window: seen.append(shown(window)))
    user.when(lambda _: True, lambda _: MAY_END.set())
    user.when(says("들었어요: 기다리는 말"), lambda window: rows.extend(shown(window)))
    assert user.work() == 0
    ((asked, answer, waits),) = seen
    assert (asked, waits) == ("긴 시를 써 줘", "기다리는 말")
    assert len(answer) < len(LONG), "it was switched in the middle of the answer"
    assert rows == [asked, LONG, waits, "들었어요: 기다리는 말"]
