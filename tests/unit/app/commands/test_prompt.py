import sys
from pathlib import Path

import pytest

from assistant.app.command_line import main
from assistant.app.commands.prompt import editor_of
from assistant.host.places import RESOURCES
from assistant.storage.base_prompts import LONGEST_PROMPT

PACKAGED = (RESOURCES / "prompts" / "system.en.md").read_text(encoding="utf-8").strip()


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("SORI_HOME", str(tmp_path))
    monkeypatch.setenv("LC_ALL", "en_US.UTF-8")
    monkeypatch.delenv("VISUAL", raising=False)
    return tmp_path


def shown(capsys: pytest.CaptureFixture[str], *options: str) -> str:
    capsys.readouterr()
    assert main(["prompt", "show", "--language", "en", *options]) == 0
    return capsys.readouterr().out.strip()


def test_a_prompt_is_set_from_a_file_shown_and_reset(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert shown(capsys) == PACKAGED
    (home / "own.md").write_text("I am Sori, a pirate.\n", encoding="utf-8")
    assert main(["prompt", "set", "--language", "en", "--file", str(home / "own.md")]) == 0
    assert shown(capsys) == "I am Sori, a pirate."
    assert shown(capsys, "--packaged") == PACKAGED
    assert main(["prompt", "show", "--language", "ko"]) == 0
    assert "pirate" not in capsys.readouterr().out
    assert main(["prompt", "reset", "--language", "en"]) == 0
    assert shown(capsys) == PACKAGED


@pytest.mark.parametrize("data", [b"", b"\xff\xfe\x00", b"x" * (LONGEST_PROMPT + 1)], ids=["empty", "binary", "long"])
def test_a_file_that_is_no_prompt_changes_nothing(home: Path, capsys: pytest.CaptureFixture[str], data: bytes) -> None:
    (home / "own.md").write_bytes(data)
    assert main(["prompt", "set", "--language", "en", "--file", str(home / "own.md")]) == 1
    assert main(["prompt", "set", "--language", "en", "--file", str(home / "missing.md")]) == 1
    assert shown(capsys) == PACKAGED


def test_the_editor_gets_the_prompt_in_use_and_its_text_is_kept_unless_it_fails(
    home: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    script = home / "editor.py"
    script.write_text(
        "import sys, pathlib\n"
        "path = pathlib.Path(sys.argv[1])\n"
        "path.write_text(path.read_text('utf-8').replace('Sori', 'Nova'), 'utf-8')\n"
        f"sys.exit(pathlib.Path({str(home / 'fails')!r}).exists())\n",
        encoding="utf-8",
    )
    monkeypatch.setenv("EDITOR", f'"{sys.executable}" "{script}"')
    (home / "fails").touch()
    assert main(["prompt", "edit", "--language", "en"]) == 1
    assert shown(capsys) == PACKAGED
    (home / "fails").unlink()
    assert main(["prompt", "edit", "--language", "en"]) == 0
    assert shown(capsys) == PACKAGED.replace("Sori", "Nova")


def test_the_editor_is_that_of_the_environment() -> None:
    assert editor_of({"EDITOR": "vim", "VISUAL": "code --wait"}) == ["code", "--wait"]
    assert editor_of({"EDITOR": "vim"}) == ["vim"]
