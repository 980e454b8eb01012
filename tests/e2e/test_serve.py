"""``sori serve``: one engine without a window, and the programs of its user."""

import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from assistant.host.texts import load_texts
from assistant.remote.local.endpoint import is_running
from tests.e2e.terminal import Terminal, screenless
from tests.fakes.model_server.server import ModelServer, RecordedRequest, Reply, serve_in_thread
from tests.fakes.model_server.sori_settings import scripted_settings

ROOT = Path(__file__).parents[2]
TEXTS = load_texts("ko")
SORI = [sys.executable, "-m", "assistant.app.command_line"]
FACTS = [
    "내 생일은 5월 3일이야",
    "나는 고수를 못 먹어",
    "우리 강아지 이름은 보리야",
    "나는 부산에 살아",
    "회의는 화요일 오전이야",
    "동생은 간호사야",
    "나는 왼손잡이야",
    "커피는 디카페인만 마셔",
    "안경 도수는 마이너스 4야",
    "자전거로 출근해",
    "My sister lives in Oslo",
    "I play the cello",
    "My car is a blue Kona",
    "I am allergic to peanuts",
    "I work from home on Fridays",
    "My favourite city is Lisbon",
    "I wear size 42 shoes",
    "My doctor is Dr. Han",
    "I read one book a week",
    "My Wi-Fi is called harbour",
]

pytestmark = [
    pytest.mark.timeout(300),
    pytest.mark.skipif(sys.platform == "win32", reason="signals are POSIX's"),
]


def reply_to(request: RecordedRequest) -> Reply:
    return Reply(text=f"들었어요: {request.body['messages'][-1]['content'].splitlines()[-1]}")


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with serve_in_thread(reply_to) as running:
        yield running


@pytest.fixture
def home(tmp_path: Path, server: ModelServer, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "config.toml").write_text(scripted_settings(server.base_url), encoding="utf-8")
    for name, value in screenless(tmp_path).items():
        monkeypatch.setenv(name, value)
    monkeypatch.delenv("DISPLAY", raising=False)
    return tmp_path


class Served:
    """``sori serve`` as a process."""

    def __init__(self) -> None:
        self.process = subprocess.Popen([*SORI, "serve", "--no-voice"], cwd=ROOT, stdout=subprocess.PIPE, text=True)
        assert self.process.stdout is not None
        assert self.process.stdout.readline().strip() == TEXTS("serve.ready")

    def end(self, how: signal.Signals = signal.SIGTERM) -> int:
        self.process.send_signal(how)
        status = self.process.wait()
        if self.process.stdout is not None:
            self.process.stdout.close()
        return status


@pytest.fixture
def served(home: Path) -> Iterator[Served]:
    running = Served()
    yield running
    if running.process.poll() is None:
        running.end(signal.SIGKILL)


def sori(*arguments: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [*SORI, *arguments], cwd=ROOT, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL
    )


def remember_at_once() -> None:
    """Twenty programs remember a fact at once."""
    adding = [subprocess.Popen([*SORI, "memory", "add", each], cwd=ROOT, stdout=subprocess.DEVNULL) for each in FACTS]
    assert [each.wait() for each in adding] == [0] * len(FACTS)


def test_programs_share_the_engine_that_runs(home: Path, served: Served, server: ModelServer) -> None:
    answer = sori("chat", "안녕")
    assert (answer.stdout.strip(), answer.returncode) == ("들었어요: 안녕", 0)
    with Terminal([*SORI, "chat", "--continue"], ROOT, {**os.environ}) as terminal:
        terminal.expect(TEXTS("console.prompt"))
        answer = sori("chat", "--continue", "good morning")
        assert answer.stdout.strip() == "들었어요: good morning"
        terminal.expect("들었어요: good morning")
        terminal.type("/quit")
        assert terminal.status() == 0
    assert "안녕" in sori("conversations", "list").stdout
    assert sori("memory", "add", "나는 부산에 살아").returncode == 0
    assert "나는 부산에 살아" in sori("memory", "list").stdout
    assert served.end() == 0
    assert not is_running(home)
    assert "나는 부산에 살아" in sori("memory", "list").stdout


def listens(port: int) -> bool:
    with socket.socket() as asking:
        return asking.connect_ex(("127.0.0.1", port)) == 0


def until(holds: Callable[[], bool]) -> None:
    """Wait: a command waits only a moment for the parts that follow a setting."""
    while not holds():  # the test's own limit ends it
        time.sleep(0.05)


@pytest.mark.usefixtures("home")
def test_http_opens_moves_and_closes_while_sori_runs(served: Served) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken, socket.create_server(("127.0.0.1", 0)) as free:
        used, port = taken.getsockname()[1], free.getsockname()[1]
        free.close()
        assert sori("settings", "set", "http.port", str(used)).returncode == 0  # HTTP is off
        until(lambda: str(used) in sori("settings", "set", "http.enabled", "true").stderr)
        until(lambda: sori("settings", "set", "http.enabled", "true").returncode == 1)
        sori("settings", "set", "http.port", str(port))
        until(lambda: listens(port))
        assert f":{port}/#code=" in sori("web").stdout
        until(lambda: sori("settings", "set", "http.port", str(used)).returncode == 1)
        assert listens(port)
        sori("settings", "reset", "http.enabled")
        until(lambda: not listens(port))
    assert served.end() == 0
    for name, value in (("enabled", "true"), ("port", str(port))):
        assert sori("settings", "set", f"http.{name}", value).returncode == 0
    again = Served()
    until(lambda: listens(port))
    assert again.end() == 0
    assert not listens(port)


@pytest.mark.long
def test_no_fact_is_lost_when_many_programs_remember(home: Path, served: Served) -> None:
    remember_at_once()
    assert served.end() == 0
    kept = (home / "memory" / "user.md").read_text("utf-8")
    assert [each for each in FACTS if each not in kept] == []


@pytest.mark.long
def test_no_fact_is_lost_when_no_engine_runs(home: Path) -> None:
    remember_at_once()
    kept = (home / "memory" / "user.md").read_text("utf-8")
    assert [each for each in FACTS if each not in kept] == []


@pytest.mark.usefixtures("home")
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM], ids=["killed", "ended"])
def test_a_terminal_says_that_sori_has_gone_and_comes_back(how: signal.Signals, served: Served) -> None:
    with Terminal([*SORI, "chat"], ROOT, {**os.environ}) as terminal:
        terminal.expect(TEXTS("console.prompt"))
        served.end(how)
        terminal.expect(TEXTS("notice.engine_gone"))
        again = Served()
        terminal.expect(TEXTS("notice.engine_back"))
        terminal.type("다시 안녕")
        terminal.expect("들었어요: 다시 안녕")
        terminal.type("/quit")
        assert terminal.status() == 0
        assert again.end(signal.SIGINT) == 0


def test_one_engine_a_home(home: Path, served: Served) -> None:
    second = sori("serve")
    assert (second.returncode, second.stderr.strip()) == (1, TEXTS("serve.runs_already"))
    with subprocess.Popen(
        [*SORI, "serve", "--no-voice", "--wait"], cwd=ROOT, stdout=subprocess.PIPE, text=True
    ) as next_one:
        assert next_one.stdout is not None
        assert next_one.stdout.readline().strip() == TEXTS("serve.waits")
        assert served.end(signal.SIGKILL) == -signal.SIGKILL
        assert next_one.stdout.readline().strip() == TEXTS("serve.ready")
        next_one.send_signal(signal.SIGTERM)
        assert next_one.wait() == 0


@pytest.mark.long
@pytest.mark.usefixtures("home")
def test_of_engines_that_start_at_once_one_runs() -> None:
    starts = [
        subprocess.Popen(
            [*SORI, "serve", "--no-voice"], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        for _ in range(3)
    ]
    until(lambda: sum(each.poll() is not None for each in starts) == len(starts) - 1)
    (running,) = [each for each in starts if each.poll() is None]
    running.send_signal(signal.SIGTERM)
    told = {each: each.communicate() for each in starts}
    assert told.pop(running)[0].strip() in {TEXTS("serve.ready"), ""}
    assert [error.strip() for _, error in told.values()] == [TEXTS("serve.runs_already")] * 2


def test_the_unit_starts_this_sori(home: Path) -> None:
    unit = sori("serve", "--unit", "--no-voice").stdout
    assert re.search(r"^ExecStart=.*main\.py serve --wait --no-voice$", unit, re.MULTILINE)
    assert f"SORI_HOME={home}" in unit
