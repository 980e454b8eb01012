"""Reading and writing ``mcp.json``."""

import json
import os
import tempfile
from collections.abc import Mapping
from pathlib import Path

import pytest

from assistant.core.errors import SettingsError, StorageError
from assistant.core.permissions import Category
from assistant.core.texts import Texts
from assistant.host.settings_file import settings_trouble
from assistant.tools.mcp.entries import ServerEntry, Transport
from assistant.tools.mcp.mcp_json import McpFile, parse

FILES = ServerEntry(
    name="files", command="npx", arguments=("-y", "server", "/home/민수"), environment={"TOKEN": "${TOKEN}"}
)
FAR = ServerEntry(name="far", url="https://example.org/mcp", headers={"Authorization": "Bearer ${KEY}"})


def test_a_file_of_another_app_is_read() -> None:
    found = parse(
        json.dumps(
            {
                "theme": "dark",
                "mcpServers": {
                    "files": {
                        "type": "stdio",
                        "command": "npx",
                        "args": ["-y", "server", "/home/민수"],
                        "env": {"TOKEN": "${TOKEN}"},
                        "autoApprove": [],
                    },
                    "far": {
                        "type": "http",
                        "url": "https://example.org/mcp",
                        "headers": {"Authorization": "Bearer ${KEY}"},
                    },
                },
            }
        )
    )
    assert found.entries == (FILES, FAR)
    assert not found.problems
    assert [each.transport for each in found.entries] == [Transport.STDIO, Transport.HTTP]


def test_sori_s_own_keys_are_read() -> None:
    found = parse(
        '{"mcpServers": {"a": {"command": "a", "cwd": "/tmp", "disabled": true, "timeout_s": 5, "category": "safe"}}}'
    )
    assert found.entry("a") == ServerEntry(
        name="a", command="a", folder="/tmp", enabled=False, timeout_s=5, category=Category.SAFE
    )


def test_an_empty_or_missing_file_has_no_servers(tmp_path: Path) -> None:
    assert parse("") == parse(" \n") == parse("{}") == McpFile(tmp_path / "mcp.json").read()
    assert not parse("").entries
    assert not parse("").problems


@pytest.mark.parametrize(
    ("value", "problem"),
    [
        ("[]", "mcp_value"),
        ("{}", "mcp_one"),
        ('{"command": "a", "url": "http://a"}', "mcp_one"),
        ('{"command": ["a"]}', "mcp_value"),
        ('{"command": "a\\u0000b"}', "mcp_value"),
        ('{"command": "a", "args": "b"}', "mcp_value"),
        ('{"command": "a", "args": [1]}', "mcp_value"),
        ('{"command": "a", "env": {"N": 1}}', "mcp_value"),
        ('{"command": "a", "env": {"N=": "1"}}', "mcp_value"),
        ('{"command": "a", "env": ["N"]}', "mcp_value"),
        ('{"command": "a", "type": "http"}', "mcp_type"),
        ('{"url": "http://a", "type": "sse"}', "mcp_type"),
        ('{"url": "ftp://a"}', "mcp_url"),
        ('{"url": "file:///etc/passwd"}', "mcp_url"),
        ('{"url": "http://"}', "mcp_url"),
        ('{"url": "http://["}', "mcp_url"),
        ('{"url": "http://a:99999"}', "mcp_url"),
        ('{"url": "https://good.org\\\\@bad.org"}', "mcp_url"),
        ('{"url": "https://good.org\\u202e"}', "mcp_url"),
        ('{"command": "a", "timeout_s": true}', "mcp_value"),
        ('{"command": "a", "timeout_s": 0}', "mcp_value"),
        ('{"command": "a", "timeout_s": 1e999}', "mcp_value"),
        ('{"command": "a", "timeout_s": 1' + "0" * 400 + "}", "mcp_value"),
        ('{"command": "a\\ud83d"}', "mcp_value"),
        ('{"command": "a", "disabled": "yes"}', "mcp_value"),
        ('{"command": "a", "category": "harmless"}', "mcp_value"),
    ],
)
def test_a_bad_entry_is_named_with_its_line_and_the_others_are_used(
    value: str, problem: str, all_texts: Mapping[str, Texts]
) -> None:
    found = parse(f'{{"mcpServers": {{\n"good": {{"command": "b"}},\n"bad": {value}\n}}}}')
    assert [each.name for each in found.entries] == ["good"]
    (bad,) = found.problems
    assert bad.name == "bad"
    assert bad.error.line == 3
    assert bad.error.problem == problem
    for texts in all_texts.values():
        assert all(settings_trouble(bad.error, texts))


@pytest.mark.parametrize("name", ["", "a b", "a/b", "a\\\\b", "x" * 65, "a\\u202eb", "a\\u200bb"])
def test_a_name_that_cannot_be_typed_is_refused(name: str) -> None:
    (bad,) = parse(f'{{"mcpServers": {{"{name}": {{"command": "a"}}}}}}').problems
    assert bad.error.problem == "mcp_name"


@pytest.mark.parametrize(
    ("text", "problem", "line"),
    [
        ('{"mcpServers": {\n"a": {"command": "a"', "json", 2),
        ('{"mcpServers":\n{},,}', "json", 2),
        ("[]", "mcp_form", 1),
        ('{"mcpServers": []}', "mcp_form", 1),
        ('{"mcpServers": ' + "1" * 5000 + "}", "json", 1),
        ('{"mcpServers": {\n"a": {"command": "a"},\n"a": {"command": "b"}}}', "mcp_twice", 3),
    ],
)
def test_a_bad_file_is_named_with_its_line(text: str, problem: str, line: int, all_texts: Mapping[str, Texts]) -> None:
    (bad,) = parse(text).problems
    assert (bad.name, bad.error.problem, bad.error.line) == ("", problem, line)
    for texts in all_texts.values():
        assert all(settings_trouble(bad.error, texts))


def test_deep_nesting_is_a_problem_and_no_crash() -> None:
    (bad,) = parse('{"mcpServers": ' + "[" * 100_000).problems
    assert bad.error.problem == "json"


def test_bytes_that_are_not_text_are_named_with_their_line(tmp_path: Path) -> None:
    path = tmp_path / "mcp.json"
    path.write_bytes(b'{\n"mcpServers": {"\xff": {}}}')
    (bad,) = McpFile(path).read().problems
    assert (bad.error.problem, bad.error.line) == ("utf8", 2)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_a_file_that_notepad_has_saved_is_read_and_changed(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "mcp.json"
    path.write_bytes('{"mcpServers":\r\n{"노트": {"command": "a"}}}'.encode(encoding))
    file = McpFile(path)
    assert [each.name for each in file.read().entries] == ["노트"]
    file.put(ServerEntry(name="b", command="b"))
    assert [each.name for each in file.read().entries] == ["노트", "b"]


def test_a_huge_file_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "mcp.json"
    path.write_text(" " * 1_000_001)
    (bad,) = McpFile(path).read().problems
    assert bad.error.problem == "mcp_large"


def test_hand_edits_are_seen(tmp_path: Path) -> None:
    file = McpFile(tmp_path / "mcp.json")
    file.put(FILES)
    assert file.read().entries == (FILES,)
    file.path.write_text('{"mcpServers": {"other": {"command": "c"}}}')
    assert [each.name for each in file.read().entries] == ["other"]
    file.path.unlink()
    assert not file.read().entries


def test_what_sori_does_not_know_is_kept(tmp_path: Path) -> None:
    file = McpFile(tmp_path / "mcp.json")
    file.path.write_text(
        '{"theme": "dark", "mcpServers": {"files": {"command": "old", "icon": "f"}, "broken": {"command": 1}}}'
    )
    file.put(FILES)
    file.put(FAR)
    document = json.loads(file.path.read_text(encoding="utf-8"))
    assert document["theme"] == "dark"
    assert document["mcpServers"]["files"]["icon"] == "f"
    assert document["mcpServers"]["broken"] == {"command": 1}
    assert file.read().entries == (FILES, FAR)


def test_half_a_character_elsewhere_in_the_file_is_kept(tmp_path: Path) -> None:
    file = McpFile(tmp_path / "mcp.json")
    file.path.write_text('{"note": "\\ud83d", "mcpServers": {}}')
    file.put(FILES)
    assert json.loads(file.path.read_text(encoding="utf-8"))["note"] == "\ud83d"
    assert file.read().entries == (FILES,)


@pytest.mark.parametrize("depth", [300, 900, 1000, 20_000])
def test_a_deeply_nested_file_is_written_whole_or_left_alone(tmp_path: Path, depth: int) -> None:
    """Which depth is too deep differs between versions of Python, and between reading and writing."""
    file = McpFile(tmp_path / "mcp.json")
    nested = "[" * depth + "]" * depth
    file.path.write_text(f'{{"mcpServers": {{}}, "note": {nested}}}')
    before = file.path.read_text()
    try:
        file.put(FILES)
    except SettingsError:
        assert file.path.read_text() == before
    else:
        assert nested in "".join(file.path.read_text(encoding="utf-8").split())


def test_removing_leaves_the_others(tmp_path: Path) -> None:
    file = McpFile(tmp_path / "mcp.json")
    file.put(FILES)
    file.put(FAR)
    assert file.remove("files")
    assert not file.remove("files")
    assert file.read().entries == (FAR,)


def test_a_damaged_file_is_never_overwritten(tmp_path: Path) -> None:
    file = McpFile(tmp_path / "mcp.json")
    file.path.write_text('{"mcpServers": {"files": ')
    with pytest.raises(SettingsError):
        file.put(FILES)
    with pytest.raises(SettingsError):
        file.remove("files")
    assert file.path.read_text() == '{"mcpServers": {"files": '


@pytest.mark.parametrize("call", ["fsync", "mkstemp", "replace"])
def test_a_failing_disk_leaves_the_old_file_whole(tmp_path: Path, call: str, monkeypatch: pytest.MonkeyPatch) -> None:
    file = McpFile(tmp_path / "mcp.json")
    file.put(FILES)
    before = file.path.read_bytes()

    def fail(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    place = {"fsync": os, "mkstemp": tempfile, "replace": Path}[call]
    monkeypatch.setattr(place, call, fail)
    with pytest.raises(StorageError):
        file.put(FAR)
    monkeypatch.undo()
    assert file.path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [file.path]
