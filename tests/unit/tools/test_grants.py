"""The file of what the user has decided for good."""

import json
from pathlib import Path

import pytest

from assistant.tools.grants import GrantFile, GrantScope

SERVER = GrantScope(kind="server", name="mail")
DAMAGED = ["", "{", "[]", "null", '{"always": ["server:m', "[" * 100_000, "\0"]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "grants.json"


@pytest.mark.parametrize("damage", DAMAGED)
def test_a_damaged_file_allows_nothing_and_lets_every_tool_ask(path: Path, damage: str) -> None:
    path.write_text(damage)
    grants = GrantFile(path)
    assert grants.damage
    assert not grants.all()
    assert not grants.covers(SERVER)
    assert grants.asks("set_timer")


@pytest.mark.parametrize("damage", DAMAGED)
def test_a_damaged_file_is_kept_beside_the_new_one(path: Path, damage: str) -> None:
    path.write_text(damage)
    grants = GrantFile(path)
    assert not grants.covers(SERVER)
    grants.add(SERVER)
    assert [each.read_text() for each in path.parent.glob("*.damaged")] == [damage]
    assert grants.covers(SERVER)
    assert not grants.damage
    assert not grants.asks("set_timer")


def test_what_another_process_writes_counts_at_once(path: Path) -> None:
    mine, other = GrantFile(path), GrantFile(path)
    assert not mine.covers(SERVER)
    other.add(SERVER)
    assert mine.covers(SERVER)
    other.let_ask(["set_timer"], asks=True)
    assert mine.asks("set_timer")
    assert mine.remove(SERVER.key)
    assert not other.covers(SERVER)
    assert other.asks("set_timer")


def test_an_unchanged_file_is_not_read_for_each_question(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    grants = GrantFile(path)
    grants.add(SERVER)
    assert not grants.asks("set_timer")
    monkeypatch.setattr(Path, "read_bytes", None)
    assert not any(grants.asks(f"tool {number}") for number in range(100))
    assert grants.covers(SERVER)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_a_file_that_was_edited_by_hand_is_read_in_the_encodings_of_editors(path: Path, encoding: str) -> None:
    path.write_text('{"always": ["server:mail"], "ask": ["set_timer"]}', encoding=encoding)
    grants = GrantFile(path)
    assert not grants.damage
    assert grants.covers(SERVER)
    assert grants.asks("set_timer")


@pytest.mark.parametrize("listed", [1, "server:mail", {"server:mail": 1}, None])
def test_a_list_of_another_form_is_empty(path: Path, listed: object) -> None:
    path.write_text(json.dumps({"always": listed}))
    assert not GrantFile(path).covers(SERVER)
