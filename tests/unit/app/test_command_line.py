import argparse
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from assistant.app import command_line
from assistant.app.cli.grammar import build_parser, existing_file
from assistant.app.cli.parser import own_words_in
from assistant.app.command_line import main
from assistant.core.display.table import cells
from assistant.host.places import PROJECT, Places, default_home, models_folder
from assistant.host.texts import TRANSLATIONS, load_texts
from assistant.setup import plain_window


def commands_of(parser: argparse.ArgumentParser) -> Iterator[list[str]]:
    """Every command of a parser, with the commands below it."""
    yield []
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for name, below in action.choices.items():
                yield from ([name, *rest] for rest in commands_of(below))


COMMANDS = list(commands_of(build_parser(load_texts("en"))))
ENGLISH_OF_ARGPARSE = ["usage:", "options:", "positional arguments", "show this help", "error:", "required", "invalid"]


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "home"
    monkeypatch.setenv("SORI_HOME", str(folder))
    monkeypatch.delenv("SORI_MODELS", raising=False)
    for name in ("LC_ALL", "LC_MESSAGES"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("LANG", "ko_KR.UTF-8")
    monkeypatch.setattr(sys, "excepthook", sys.excepthook)
    return folder


def exit_status(arguments: list[str]) -> int:
    with pytest.raises(SystemExit) as caught:
        main(arguments)
    return int(caught.value.code or 0)


@pytest.mark.parametrize("arguments", COMMANDS)
def test_help_is_all_in_korean(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert exit_status([*arguments, "--help"]) == 0
    said = capsys.readouterr().out
    assert said.startswith("사용법: sori")
    assert "이 도움말을 보여 줘요" in said
    assert not [word for word in ENGLISH_OF_ARGPARSE if word in said]


@pytest.mark.parametrize("arguments", COMMANDS)
def test_help_is_all_in_english(
    arguments: list[str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LANG", "en_US.UTF-8")
    assert exit_status([*arguments, "--help"]) == 0
    said = capsys.readouterr().out
    assert said.startswith("usage: sori")
    assert said.isascii()


def test_the_settings_language_comes_before_the_desktops(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    home.mkdir()
    (home / "config.toml").write_text('language = "en"\n')
    exit_status(["--help"])
    assert capsys.readouterr().out.startswith("usage:")


@pytest.mark.parametrize("language", ["ko", "en"])
def test_help_stands_in_columns_and_within_the_screen(language: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    with own_words_in(language, TRANSLATIONS):
        _help_stands_in_columns(build_parser(load_texts(language)))


def _help_stands_in_columns(parser: argparse.ArgumentParser) -> None:
    (commands,) = (each.choices for each in parser._actions if isinstance(each.choices, dict))
    for command in commands.values():
        words = command.format_help()
        listed = words.split("\n\n", 2)[-1]
        rows = [re.fullmatch(r"(  \S.*?  +)\S.*", line) for line in listed.splitlines()]
        assert len({cells(row[1]) for row in rows if row}) == 1
        assert max(map(cells, words.splitlines())) <= 80
        assert "\0" not in words


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["listen"], "빠진 것이 있어요: --input"),
        (["chat", "--continue", "--conversation", "a"], "--conversation"),
        (["nonsense"], "쓸 수 없어요"),
        (["doctor", "--nonsense"], "여기서는 쓸 수 없어요: --nonsense"),
        (["listen", "--input"], "--input: 값이 하나 필요해요"),
        (["listen", "--input", "a.wav", "--pace", "slow"], "고를 수 있는 값"),
        (["chat", "--json=1", "hi"], "값을 쓰지 않아요"),
        (["chat", "--reasoning-effort", "some", "hi"], "고를 수 있는 값"),
        (["chat", "--image"], "--image: 값이 하나 필요해요"),
    ],
)
def test_a_mistake_is_explained_in_korean_and_ends_with_status_2(
    arguments: list[str], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert exit_status(arguments) == 2
    said = capsys.readouterr()
    assert words in said.err
    assert said.out == ""
    assert not [word for word in ENGLISH_OF_ARGPARSE if word in said.err]


NUMBERS = [
    (["chat", "--temperature", "hi"], "0", "2"),
    (["usage", "--days"], "1", "36500"),
    (["egress", "--days"], "1", "36500"),
    (["conversations", "list", "--limit"], "1", "1000000"),
    (["conversations", "search", "word", "--limit"], "1", "1000000"),
    (["files", "show", "a", "--passage"], "1", "10000000"),
    (["files", "search", "word", "--limit", "--project", "a"], "1", "100"),
    (["ask", "--temperature", "--project", "a", "hi"], "0", "2"),
    (["mcp", "add", "a", "--timeout"], "1", "3600"),
    (["audio-check", "--seconds"], "1", "60"),
    (["listen", "--input", "a.wav", "--echo-gain-db"], "-120", "20"),
    (["listen", "--input", "a.wav", "--echo-delay-ms"], "0", "10000"),
    (["sync", "differences", "--put-away"], "1", "1000000"),
]


@pytest.mark.parametrize("value", ["-1000", "1e9", "99999999", "nan", "inf", "some", "", "0x1"])
@pytest.mark.parametrize(("arguments", "low", "high"), NUMBERS)
@pytest.mark.parametrize("language", ["ko", "en"])
def test_a_number_that_cannot_be_is_refused_with_its_option_itself_and_the_range(
    language: str,
    arguments: list[str],
    low: str,
    high: str,
    value: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("LANG", language)
    option = next(index for index, each in enumerate(arguments) if each.startswith("--") and each != "--input")
    assert exit_status([*arguments[: option + 1], value, *arguments[option + 1 :]]) == 2
    said = capsys.readouterr().err.splitlines()[-1]
    named = f"{arguments[option]}: " if language == "ko" else f"error: argument {arguments[option]}: "
    command = max((each for each in COMMANDS if arguments[: len(each)] == each), key=len)
    assert said.startswith(f"sori {' '.join(command)}: {named}")
    span = f"{low}부터 {high}까지" if language == "ko" else f"from {low} to {high}"
    assert span in said
    assert value in said


@pytest.mark.parametrize(("arguments", "low", "high"), NUMBERS)
def test_the_ends_of_a_range_are_inside(arguments: list[str], low: str, high: str) -> None:
    option = next(index for index, each in enumerate(arguments) if each.startswith("--") and each != "--input")
    name = arguments[option].removeprefix("--").replace("-", "_")
    for end in (low, high):
        given = [*arguments[: option + 1], end, *arguments[option + 1 :]]
        assert getattr(build_parser(load_texts("en")).parse_args(given), name) == float(end)


def test_every_option_that_takes_a_number_names_its_range() -> None:
    """No option converts with ``int`` or ``float`` themselves, which know no range."""
    parsers, found = [build_parser(load_texts("en"))], 0
    while parsers:
        for action in parsers.pop()._actions:
            if isinstance(action, argparse._SubParsersAction):
                parsers += action.choices.values()
            assert action.type in (None, Path) or callable(action.type)
            assert action.type not in (int, float)
            found += action.type not in (None, Path, existing_file) and bool(action.option_strings)
    assert found == len(NUMBERS)


@pytest.mark.parametrize("number", ["0", "21", "x"])
def test_a_snapshot_that_cannot_be_is_refused_with_the_range(number: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert exit_status(["memory", "restore", number]) == 2
    said = capsys.readouterr().err.splitlines()[-1]
    assert "1" in said
    assert "20" in said


def test_a_bad_settings_file_is_told_with_file_line_and_remedy_and_left_as_it_is(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    home.mkdir()
    content = 'language = "en"\n[voice]\nspede = 1.0\n'
    (home / "config.toml").write_text(content)
    assert main(["models", "list"]) == 2
    said = capsys.readouterr().err
    assert f"{home / 'config.toml'}:3" in said
    assert "speed" in said
    assert (home / "config.toml").read_text() == content


def test_the_first_command_writes_commented_settings(home: Path) -> None:
    assert main(["models", "list"]) == 0
    assert '# language = "ko"' in (home / "config.toml").read_text(encoding="utf-8")


def test_an_error_is_told_in_words_and_logged_and_ends_with_status_1(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["models", "pull", "nope"]) == 1
    assert "이런 이름의 모델은 없어요: nope" in capsys.readouterr().err
    assert "has a model 'nope'" in (home / "logs" / "models.log").read_text()


def test_a_home_that_cannot_be_made_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("SORI_HOME", str(tmp_path / "file"))
    assert main(["models", "list"]) == 1
    assert "SORI_HOME" in capsys.readouterr().err


def test_everything_after_test_is_pytests(monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[str] = []

    def run_tests(_: Places, arguments: list[str]) -> int:
        given.extend(arguments)
        return 5

    monkeypatch.setattr("assistant.app.commands.test_run.run_tests", run_tests)
    assert main(["test", "-k", "wake", "--maxfail=1", "tests/unit"]) == 5
    assert given == ["-k", "wake", "--maxfail=1", "tests/unit"]


def test_the_listen_grammar_fills_every_option() -> None:
    line = "listen --input i.wav --output o.wav --pace realtime --language ko --no-wake --echo-gain-db -12"
    line += " --echo-delay-ms 80 --cues --trace t.json --project p --provider mine"
    parsed = vars(build_parser(load_texts("en")).parse_args(line.split()))
    assert parsed == {
        "command": "listen",
        "minimized": False,
        "input": Path("i.wav"),
        "output": Path("o.wav"),
        "pace": "realtime",
        "language": "ko",
        "no_wake": True,
        "echo_gain_db": -12.0,
        "echo_delay_ms": 80,
        "cues": True,
        "trace": Path("t.json"),
        "project": "p",
        "provider": "mine",
    }


def test_a_part_that_cannot_be_loaded_is_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "assistant.app.commands.toggle", None)
    assert main(["toggle"]) == 1
    assert "assistant.app.commands.toggle" in capsys.readouterr().err


def test_help_imports_no_engine_and_no_window() -> None:
    program = """
import sys
from assistant.app.command_line import main
try:
    main(["--help"])
except SystemExit:
    pass
heavy = {"numpy", "onnxruntime", "PySide6", "faster_whisper", "sounddevice", "openai", "tqdm", "keyring"}
sys.exit(f"imported {heavy & set(sys.modules)}" if heavy & set(sys.modules) else 0)
"""
    subprocess.run([sys.executable, "-c", program], cwd=PROJECT, check=True, stdout=subprocess.DEVNULL)


def test_a_reader_that_goes_away_is_no_crash(home: Path) -> None:
    command = f"{sys.executable} -m assistant.app.command_line models list | true"
    answer = subprocess.run(
        ["/bin/sh", "-c", command], cwd=PROJECT, env=dict(os.environ), capture_output=True, text=True, check=False
    )
    assert "Traceback" not in answer.stderr


def shell(line: str) -> subprocess.CompletedProcess[str]:
    sori = f"{sys.executable} -m assistant.app.command_line"
    return subprocess.run(
        ["/bin/sh", "-c", line.replace("sori", sori)],
        cwd=PROJECT,
        env=dict(os.environ),
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize("command", ["usage", "egress --all --json", "keys list"])
def test_an_output_that_cannot_be_written_is_told(command: str) -> None:
    answer = shell(f"sori {command} > /dev/full")
    assert answer.returncode == 1
    assert answer.stderr.splitlines() == ["출력을 쓰지 못했어요: No space left on device"]


@pytest.mark.parametrize("command", ["usage", "egress"])
def test_an_output_that_is_closed_is_no_crash(command: str) -> None:
    answer = shell(f"sori {command} >&-")
    assert (answer.returncode, answer.stderr) == (0, "")


def test_another_error_of_the_system_is_not_taken_for_the_outputs(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(_: object) -> int:
        raise PermissionError(13, "no")

    monkeypatch.setitem(command_line._COMMANDS, "toggle", broken)
    with pytest.raises(PermissionError):
        main(["toggle"])


@pytest.mark.parametrize("command", ["usage", "egress", "providers"])
def test_a_command_that_finds_a_damaged_database_says_where_it_was_put(
    command: str, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    home.mkdir()
    (home / "sori.db").write_bytes(b"no database" * 1000)
    assert main([command]) == 0
    (kept,) = home.glob("sori.db.damaged-*")
    assert str(kept) in capsys.readouterr().err


# Where a start leads


class Stage:
    """Which face of Sori was started."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.faces: list[str] = []
        self.fetched: list[str] = []
        for face, name in (("window", "window"), ("console", "commands.console"), ("demo", "commands.demo")):
            module = type(sys)(f"assistant.app.{name}")
            monkeypatch.setattr(module, "run", self._face(face), raising=False)
            monkeypatch.setitem(sys.modules, f"assistant.app.{name}", module)
        monkeypatch.setattr(command_line, "_ensure", lambda _run, names: self.fetched.extend(names))

    def _face(self, name: str) -> object:
        def run(_home: Path, _settings: object, _options: object = None, **_more: object) -> int:
            self.faces.append(name)
            return 0

        return run


@pytest.fixture
def stage(monkeypatch: pytest.MonkeyPatch) -> Stage:
    return Stage(monkeypatch)


@pytest.mark.parametrize(
    ("display", "terminal", "face"),
    [(True, True, "window"), (True, False, "window"), (False, True, "console"), (False, False, "demo")],
)
def test_a_start_takes_the_window_then_the_terminal_then_the_demonstration(
    stage: Stage, monkeypatch: pytest.MonkeyPatch, face: str, *, display: bool, terminal: bool
) -> None:
    monkeypatch.setattr(command_line, "has_display", lambda: display)
    monkeypatch.setattr(sys, "stdin", type("In", (), {"isatty": lambda _: terminal})())
    monkeypatch.setattr(sys.stdout, "isatty", lambda: terminal, raising=False)
    assert main([]) == 0
    assert stage.faces == [face]
    # Behind a window the engine fetches for itself; in a terminal one waits with a bar instead.
    assert bool(stage.fetched) is (face != "window")


def test_a_plain_command_in_a_new_home_fetches_nothing(stage: Stage, home: Path) -> None:
    assert main(["chat", "몇 시야?"]) == 0
    assert stage.fetched == []


@pytest.mark.parametrize("words", [[], ["--continue"], ["--conversation", "여행"], ["--file", "a.txt"]])
def test_a_chat_without_a_message_is_a_conversation_in_the_terminal(
    stage: Stage, monkeypatch: pytest.MonkeyPatch, words: list[str]
) -> None:
    monkeypatch.setattr(sys, "stdin", type("In", (), {"isatty": lambda _: True, "buffer": None})())
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    assert main(["chat", *words]) == 0
    assert stage.faces == ["console"]


@pytest.mark.parametrize(("words", "shown"), [(["--json"], True), (["--no-tools"], True), ([], False)])
def test_a_conversation_needs_a_terminal_and_some_options_need_a_message(
    stage: Stage,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    words: list[str],
    *,
    shown: bool,
) -> None:
    monkeypatch.setattr(sys, "stdin", type("In", (), {"isatty": lambda _: True, "buffer": None})())
    monkeypatch.setattr(sys.stdout, "isatty", lambda: shown, raising=False)
    assert main(["chat", *words]) == 2
    assert "sori chat" in capsys.readouterr().err
    assert stage.faces == []


def test_a_window_that_does_not_load_gives_way_to_what_works(
    stage: Stage, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(command_line, "has_display", lambda: True)
    monkeypatch.setattr(sys, "stdin", type("In", (), {"isatty": lambda _: False})())
    monkeypatch.setitem(sys.modules, "assistant.app.window", None)
    shown: list[str] = []
    monkeypatch.setattr(plain_window, "show_plainly", lambda _, words: shown.append(words))
    assert main([]) == 0
    assert stage.faces == ["demo"]
    assert "assistant.app.window" in capsys.readouterr().err
    (words,) = shown
    assert "assistant.app.window" in words


# Places


def test_sori_home_moves_everything_and_sori_models_the_weights_alone() -> None:
    environment = {"SORI_HOME": "/a", "SORI_MODELS": "/b"}
    assert default_home(environment) == Path("/a")
    assert models_folder(Path("/a"), environment) == Path("/b")
    assert models_folder(Path("/a"), {}) == Path("/a/models")
    assert default_home({}).name == "sori"
