"""Commands do and say the same whether an engine runs or not, and where one runs, it carries them out."""

import asyncio
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from assistant.app.command_line import main
from assistant.app.served_engine import ServedEngine
from assistant.core.service.requests.timers import ListTimers
from assistant.engine.serving.hub import Hub
from assistant.engine.settings.reading import settings_here
from assistant.host.places import PROJECT, Places
from assistant.host.texts import load_texts
from assistant.remote.local.endpoint import HeldHome
from tests.fakes.model_server.server import ModelServer, Reply, serve_in_thread

END_S = 20.0


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with serve_in_thread((Reply(text="반가워요."),)) as running:
        yield running


@pytest.fixture
def home(tmp_path: Path, server: ModelServer, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home whose model is the fake server's, in Korean."""
    (tmp_path / "config.toml").write_text(
        f'language = "ko"\n[llm]\nprovider = "mine"\nmodel = "m"\n[memory]\nautomatic = false\n'
        f'[[providers]]\nname = "mine"\nkind = "openai"\nbase_url = "{server.base_url}"\n'
        f'[[providers]]\nname = "other"\nkind = "openai"\nbase_url = "{server.base_url}"\n',
        encoding="utf-8",
    )
    monkeypatch.setenv("SORI_HOME", str(tmp_path))
    return tmp_path


@pytest.fixture
def engine(home: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A whole engine that serves the home; a part of one in the command's own process is an error."""
    served = ServedEngine(
        home, settings_here(home / "config.toml", home), load_texts("ko"), HeldHome(home), hears=False
    )
    served.start()
    try:
        ready = served.engine.connect(lambda _: None, name="test")
        asyncio.run(ready.result(ListTimers()))
        monkeypatch.setattr(Hub, "serve", _never)
        yield
    finally:
        assert served.stop(END_S)


def _never(*_: object) -> None:
    raise AssertionError("the command made a part of an engine for itself")


COMMANDS = (
    ("memory add 저는 고양이 두 마리를 키워요", 0, "고양이"),
    ("memory add --scope agent I like green tea", 0, "green tea"),
    ("memory list", 0, "고양이 두 마리"),
    ("memory forget 고양이", 0, "고양이"),
    ("memory forget 강아지", 1, ""),
    ("memory undo", 0, ""),
    ("conversations list", 0, ""),
    ("conversations export --all", 0, "sori"),
    ("conversations show 없는것", 1, "없는것"),
    ("tools ask set_timer", 0, "set_timer"),
    ("tools", 0, "set_timer"),
    ("tools unask set_timer", 0, "set_timer"),
    ("tools forget server:none", 1, "server:none"),
    ("usage --json", 0, '"rows"'),
    ("traces", 0, ""),
    ("traces 7", 1, "7"),
    ("audit", 0, ""),
    ("egress --json", 0, "["),
    ("agents add coach --persona Kind.", 0, "coach"),
    ("agents show coach", 0, "Kind."),
    ("agents edit coach --persona 친절해요.", 0, "coach"),
    ("agents remove coach", 0, "coach"),
    ("workspaces add 여행", 0, "여행"),
    ("workspaces list", 0, "여행"),
    ("models verify", 0, ""),
    ("models pull no-such-model", 1, "no-such-model"),
)


def run_all(capsys: pytest.CaptureFixture[str]) -> None:
    for command, status, said in COMMANDS:
        assert main(command.split()) == status, (command, capsys.readouterr())
        printed = capsys.readouterr()
        assert said in printed.out + printed.err, command


@pytest.mark.usefixtures("home")
def test_commands_work_without_an_engine(capsys: pytest.CaptureFixture[str]) -> None:
    run_all(capsys)


@pytest.mark.usefixtures("engine")
def test_commands_are_carried_out_by_the_engine_that_runs(capsys: pytest.CaptureFixture[str]) -> None:
    run_all(capsys)


CHOICES = (
    ("--temperature 0.3", {"temperature": 0.3}),
    ("--reasoning-effort low", {"reasoning_effort": "low"}),
    ("--provider other", {"model": "m"}),
    ("--model other/n", {"model": "n"}),
)


def ask_all(server: ModelServer) -> None:
    for options, sent in CHOICES:
        assert main(["chat", *options.split(), "안녕, 뭐 하고 있어?"]) == 0
        body = server.chats[-1].body
        assert {name: body.get(name) for name in sent} == sent, options
        assert "tools" in body
    assert main(["chat", "--no-tools", "Tell me about the sea."]) == 0
    assert "tools" not in server.chats[-1].body
    assert main(["chat", "그리고 안녕"]) == 0
    assert "temperature" not in server.chats[-1].body
    assert main(["chat", "--provider", "nobody", "안녕"]) == 1


@pytest.mark.usefixtures("home")
def test_a_turn_has_its_options_without_an_engine(server: ModelServer) -> None:
    ask_all(server)


@pytest.mark.usefixtures("engine")
def test_a_turn_takes_its_options_to_the_engine_that_runs(
    server: ModelServer, capsys: pytest.CaptureFixture[str]
) -> None:
    ask_all(server)
    assert "mine, other" in capsys.readouterr().err


@pytest.mark.usefixtures("engine")
def test_a_mistake_in_the_settings_file_stops_no_command_while_an_engine_runs(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (home / "config.toml").write_text('language = "ko"\n[llm]\ntemperatur = 1\n', encoding="utf-8")
    assert main(["chat", "안녕"]) == 0
    assert capsys.readouterr().out == "반가워요.\n"
    assert main(["memory", "list"]) == 0
    assert main(["providers"]) == 2  # It reads the settings itself.


def test_a_mistake_in_the_settings_file_is_told_without_an_engine(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (home / "config.toml").write_text('language = "ko"\n[llm]\ntemperatur = 1\n', encoding="utf-8")
    assert main(["chat", "안녕"]) == 2
    assert "temperatur" in capsys.readouterr().err


WRITES = """
import sys
from assistant.app.command_line import main
for number in range(5):
    assert main(["memory", "add", f"{sys.argv[1]} 번호 {number}"]) == 0
    assert main(["tools", "ask", sys.argv[2]]) == 0
"""


def write_twice(home: Path) -> None:
    """Let two processes write into the same files at once."""
    writers = [
        subprocess.Popen([sys.executable, "-c", WRITES, word, tool], cwd=PROJECT, stdout=subprocess.DEVNULL)
        for word, tool in (("첫째", "set_timer"), ("second", "create_note"))
    ]
    assert [each.wait() for each in writers] == [0, 0]
    told = Places(home).personal_memory.read_text("utf-8")
    assert all(f"{word} 번호 {number}" in told for word in ("첫째", "second") for number in range(5))
    assert set(json.loads(Places(home).grants.read_text("utf-8"))["ask"]) == {"set_timer", "create_note"}


@pytest.mark.long
def test_two_processes_lose_nothing_of_each_other_without_an_engine(home: Path) -> None:
    write_twice(home)


@pytest.mark.long
@pytest.mark.usefixtures("engine")
def test_two_processes_lose_nothing_of_each_other_at_an_engine(home: Path) -> None:
    write_twice(home)
