from pathlib import Path

import pytest

from assistant.app.command_line import main
from assistant.app.commands import toggle
from assistant.core.service.requests.voice import ToggleVoice
from assistant.remote.local import client
from assistant.remote.local.endpoint import HeldHome, connected
from tests.fakes.front.small_engine import SmallEngine


def test_it_reaches_the_one_that_runs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with SmallEngine(tmp_path) as engine:
        assert toggle.run(tmp_path, ToggleVoice()) == 0
        assert engine.domain.toggled == 1
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(("language", "words"), [("ko", "소리가 켜져 있지 않아요"), ("en", "Sori is not running")])
def test_it_says_so_when_nothing_runs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], language: str, words: str
) -> None:
    (tmp_path / "config.toml").write_text(f'language = "{language}"\n', encoding="utf-8")
    assert toggle.run(tmp_path, ToggleVoice()) == 1
    assert words in capsys.readouterr().err


@pytest.mark.parametrize(("language", "words"), [("ko", "응답하지 않아요"), ("en", "does not respond")])
@pytest.mark.parametrize("command", [["toggle"], ["dictate"], ["memory", "list"], ["chat", "안녕"]])
def test_a_command_says_so_when_the_one_that_runs_is_stuck(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    command: list[str],
    language: str,
    words: str,
) -> None:
    (tmp_path / "config.toml").write_text(f'language = "{language}"\n', encoding="utf-8")
    monkeypatch.setenv("SORI_HOME", str(tmp_path))
    monkeypatch.setattr(toggle, "ANSWER_S", 0.1)
    monkeypatch.setattr(client, "connected", lambda home, _: connected(home, 0.1))
    held = HeldHome(tmp_path)
    try:
        assert main(command) == 1
    finally:
        held.close()
    assert words in capsys.readouterr().err
