import json
from pathlib import Path

import pytest

from assistant.app.command_line import main
from assistant.host.places import Places


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("SORI_HOME", str(tmp_path))
    monkeypatch.setenv("LC_ALL", "en_US.UTF-8")
    return tmp_path


def test_facts_are_added_listed_and_forgotten(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["memory", "add", "my", "sister", "lives", "in", "Busan"]) == 0
    assert main(["memory", "add", "My sister lives in Busan."]) == 0
    assert main(["memory", "list", "--json"]) == 0
    out = capsys.readouterr().out
    assert [fact["text"] for fact in json.loads(out[out.index("[") :])] == ["my sister lives in Busan"]
    assert main(["memory", "list"]) == 0
    assert str(Places(home).personal_memory) in capsys.readouterr().out
    assert main(["memory", "forget", "sister"]) == 0
    assert main(["memory", "forget", "sister"]) == 1
    assert "- " not in Places(home).personal_memory.read_text("utf-8")


def test_a_file_that_cannot_be_read_is_named(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Places(home).personal_memory.mkdir(parents=True)
    assert main(["memory", "list"]) != 0
    assert "user.md" in capsys.readouterr().err


def test_the_message_behind_a_fact_is_shown(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["chat", "remember that my sister lives in Busan"]) == 0
    assert main(["memory", "add", "one cat"]) == 0
    capsys.readouterr()
    assert main(["memory", "show", "sister"]) == 0
    assert "remember that my sister lives in Busan" in capsys.readouterr().out
    assert main(["memory", "show", "cat"]) == 0
    assert "not from a message" in capsys.readouterr().out
    assert main(["memory", "show", "dog"]) == 1


def test_the_newest_change_is_undone_whoever_made_it(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["memory", "add", "--scope", "agent", "one cat"]) == 0
    assert main(["chat", "remember that my sister lives in Busan"]) == 0
    capsys.readouterr()
    for undone in ("my sister lives in Busan", "one cat"):
        assert main(["memory", "undo"]) == 0
        assert undone in capsys.readouterr().out
    assert main(["memory", "undo"]) == 1
    assert "- " not in Places(home).personal_memory.read_text("utf-8")


def test_a_full_memory_says_what_made_room_and_finds_it(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (home / "config.toml").write_text("[memory]\nmax_size = 200\n", encoding="utf-8")
    for name in ("Bori", "Nabi", "Coco"):
        assert main(["memory", "add", f"I have a cat named {name}, who sleeps on the sofa all day long"]) == 0
    assert "moved to the archive" in capsys.readouterr().out
    assert main(["memory", "show", "Bori"]) == 0
    assert "I have a cat named Bori" in capsys.readouterr().out


def test_a_former_fact_is_shown_after_a_new_value(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["memory", "add", "My birthday is March 2"]) == 0
    assert main(["memory", "add", "My birthday is March 5"]) == 0
    assert "Remembered instead of “My birthday is March 2”: My birthday is March 5" in capsys.readouterr().out
    assert main(["memory", "show", "birthday"]) == 0
    assert "Formerly: My birthday is March 2" in capsys.readouterr().out


def test_a_memory_from_before_a_summary_is_shown_and_restored(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = Places(home).personal_memory
    path.parent.mkdir()
    path.write_text("- short\n", encoding="utf-8")
    assert main(["memory", "restore"]) == 1
    path.with_name("user.md.snapshot").write_text("- my sister lives in Busan\n", encoding="utf-8")
    capsys.readouterr()
    assert main(["memory", "snapshots", "--json"]) == 0
    (told,) = json.loads(capsys.readouterr().out)
    assert [fact["text"] for fact in told["facts"]] == ["my sister lives in Busan"]
    assert main(["memory", "snapshots"]) == 0
    assert "my sister lives in Busan" in capsys.readouterr().out
    assert main(["memory", "restore", "1"]) == 0
    assert path.read_text("utf-8") == "- my sister lives in Busan\n"
    assert main(["memory", "snapshots"]) == 0
    assert "- short" in capsys.readouterr().out


def test_without_a_scope_the_copies_of_every_memory_are_shown(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = Places(home).workspaces / "default"
    folder.mkdir(parents=True)
    (folder / "memory.md").write_text("- short\n", encoding="utf-8")
    (folder / "memory.md.snapshot").write_text("- the office is in Daegu\n", encoding="utf-8")
    assert main(["memory", "snapshots"]) == 0
    out = capsys.readouterr().out
    assert "the office is in Daegu" in out
    assert "sori memory restore --scope workspace" in out
    assert main(["memory", "snapshots", "--json"]) == 0
    assert [each["scope"] for each in json.loads(capsys.readouterr().out)] == ["workspace"]
    assert main(["memory", "snapshots", "--scope", "personal", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == []


def test_without_a_fact_it_says_so_and_names_the_file(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["memory", "list"]) == 0
    out = capsys.readouterr().out
    assert "do not remember anything" in out
    assert str(Places(home).personal_memory) in out
