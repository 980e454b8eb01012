"""Servers of other apps become entries of Sori's, or are refused with the reason."""

import json
import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from assistant.core.permissions import Category
from assistant.core.texts import Texts
from assistant.host.settings_file import settings_trouble
from assistant.tools.mcp.entries import ServerEntry
from assistant.tools.mcp.mcp_json import Configuration, parse
from assistant.tools.mcp.other_apps.reading import plan, read_file, read_text

HOME = Path("/home/me")
PROJECT = Path("/work/project")


def read(value: object, *, project: Path | None = None) -> Configuration:
    return read_text(json.dumps(value), home=HOME, project=project)


def entry(value: object, *, project: Path | None = None) -> ServerEntry:
    found = read({"mcpServers": {"a": value}}, project=project)
    assert not found.problems
    return found.entries[0]


def refusal(value: object) -> str:
    found = read({"mcpServers": {"a": value}})
    assert not found.entries
    return found.problems[0].error.problem


def test_claude_desktop_and_cursor() -> None:
    found = read({"theme": "dark", "mcpServers": {"files": {"command": "npx", "args": ["-y", "s"], "env": {"K": "v"}}}})
    assert found.entries == (ServerEntry(name="files", command="npx", arguments=("-y", "s"), environment={"K": "v"}),)


def test_windsurf_s_address() -> None:
    found = entry({"serverUrl": "https://a.org/mcp", "headers": {"Authorization": "Bearer ${env:T}"}})
    assert found == ServerEntry(name="a", url="https://a.org/mcp", headers={"Authorization": "Bearer ${env:T}"})


def test_vs_code_with_comments_and_its_former_settings() -> None:
    text = """{
      // my servers
      "servers": {"one": {"type": "stdio", "command": "uvx", "args": ["s",], "env": {"PORT": 1, "GONE": null}},},
      "inputs": [{"id": "key"}],
    }"""
    found = read_text(text, home=HOME)
    assert found.entries == (ServerEntry(name="one", command="uvx", arguments=("s",), environment={"PORT": "1"}),)
    servers = {"one": {"command": "uvx"}}
    assert read({"mcp": {"servers": servers}}).entries == read({"mcp.servers": servers}).entries
    assert read({"mcp": {"servers": servers}}).entries[0].command == "uvx"


def test_zed_in_both_forms() -> None:
    found = read(
        {
            "context_servers": {
                "new": {"source": "custom", "command": "a", "args": ["b"], "enabled": False},
                "old": {"command": {"path": "a", "args": ["b"], "env": {"C": "d"}}, "settings": {}},
                "far": {"url": "https://a.org/mcp"},
            }
        }
    )
    assert found.entries == (
        ServerEntry(name="new", command="a", arguments=("b",), enabled=False),
        ServerEntry(name="old", command="a", arguments=("b",), environment={"C": "d"}),
        ServerEntry(name="far", url="https://a.org/mcp"),
    )


def test_claude_code_s_projects_start_in_their_folders() -> None:
    found = read(
        {
            "mcpServers": {"mine": {"command": "a"}},
            "projects": {
                "/work/one": {"mcpServers": {"b": {"command": "./b"}}, "history": []},
                "/work/two": {"mcpServers": {"b": {"command": "./b"}}},
                "/work/three": {},
            },
        }
    )
    assert found.entries == (
        ServerEntry(name="mine", command="a"),
        ServerEntry(name="b", command="./b", folder=str(Path("/work/one"))),
    )
    (twice,) = found.problems
    assert (twice.name, twice.error.problem) == ("b", "mcp_twice")


def test_a_server_in_two_projects_is_one_server_if_it_is_the_same() -> None:
    server = {"type": "http", "url": "https://a.org"}
    found = read({"projects": {each: {"mcpServers": {"a": server}} for each in ("/1", "/2")}})
    assert len(found.entries) == 1
    assert not found.problems


def test_an_editor_s_variables_get_their_values() -> None:
    value = {
        "command": "${userHome}${/}bin",
        "args": ["${workspaceFolder}/a", "${workspaceFolderBasename}", "${env:X}"],
    }
    found = entry(value, project=PROJECT)
    assert found.command == f"{HOME}{os.sep}bin"
    assert found.arguments == (f"{PROJECT}/a", "project", "${env:X}")
    assert found.folder == str(PROJECT)
    assert entry({"command": "a", "cwd": "sub"}, project=PROJECT).folder == str(PROJECT / "sub")
    assert entry({"command": "a", "args": ["${CLAUDE_PROJECT_DIR:-.}"]}, project=PROJECT).arguments == (str(PROJECT),)
    assert not entry({"url": "http://a"}, project=PROJECT).folder


@pytest.mark.parametrize(
    ("value", "problem"),
    [
        ({"command": "a", "env": {"K": "${input:key}"}}, "mcp_input"),
        ({"url": "http://a", "headers": {"K": "Bearer ${input:key}"}}, "mcp_input"),
        ({"command": "a", "args": ["${workspaceFolder}"]}, "mcp_variable"),
        ({"command": "${command:pick}"}, "mcp_variable"),
        ({"command": "a", "env": {"K": "${file:/etc/passwd}"}}, "mcp_variable"),
        ({"command": "a", "envFile": ".env"}, "mcp_env_file"),
        ({"source": "extension", "settings": {}}, "mcp_extension"),
        ({"settings": {"key": 1}}, "mcp_extension"),
        ({"url": "http://a/sse", "type": "sse"}, "mcp_sse"),
        ({"command": "a", "url": "http://a"}, "mcp_one"),
        ({"command": "a", "args": "b"}, "mcp_value"),
        ({"command": "a", "cwd": 1}, "mcp_value"),
        ("npx", "mcp_value"),
        (None, "mcp_value"),
    ],
)
def test_what_sori_cannot_use_is_refused_with_the_reason(
    value: object, problem: str, all_texts: Mapping[str, Texts]
) -> None:
    assert refusal(value) == problem
    (bad,) = read({"mcpServers": {"a": value}}).problems
    for texts in all_texts.values():
        assert all(settings_trouble(bad.error, texts))


def test_a_file_from_elsewhere_does_not_decide_which_tools_ask() -> None:
    assert entry({"command": "a", "category": "safe", "timeout_s": 3000}) == ServerEntry(name="a", command="a")
    assert entry({"command": "a", "category": "safe"}).category is Category.SENSITIVE


def test_names_become_names_that_can_be_typed() -> None:
    found = read({"mcpServers": {" My  Server ": {"command": "a"}, "io.github/x": {"command": "a"}, "\u202e": {}}})
    assert [each.name for each in found.entries] == ["My-Server", "io.github-x"]
    assert found.problems


def test_a_problem_names_its_line_in_the_right_section() -> None:
    text = '{"tips": {\n"b": 1},\n"mcpServers": {\n"a": {"command": "a"},\n"b": {}}}'
    found = read_text(text, home=HOME)
    assert [each.name for each in found.entries] == ["a"]
    assert [(each.name, each.error.line) for each in found.problems] == [("b", 5)]


@pytest.mark.parametrize(
    ("text", "problem", "line"),
    [
        ('{"mcpServers": {\n"a": {"command"', "json", 2),
        ('{\n"servers": {"a": 1 2}}', "json", 2),
        ("[]", "mcp_form", 1),
        ('{"mcpServers":\n []}', "mcp_value", 1),
        ("[" * 100_000, "json", 1),
    ],
)
def test_a_damaged_file_is_a_problem_with_its_line(
    text: str, problem: str, line: int, all_texts: Mapping[str, Texts]
) -> None:
    (bad,) = read_text(text, home=HOME).problems
    assert (bad.error.problem, bad.error.line) == (problem, line)
    for texts in all_texts.values():
        assert all(settings_trouble(bad.error, texts))


def test_files_are_read_from_the_disk(tmp_path: Path) -> None:
    path = tmp_path / ".mcp.json"
    (missing,) = read_file(path, HOME).problems
    assert missing.error.problem == "unreadable"
    path.write_bytes(b'\xef\xbb\xbf{"mcpServers": {"a": {"command": "./a"}}}')
    assert read_file(path, HOME).entries == (ServerEntry(name="a", command="./a", folder=str(tmp_path)),)
    path.write_bytes(b"\xff")
    assert read_file(path, HOME).problems[0].error.problem == "utf8"
    assert not read_text(" ", home=HOME).problems


def test_what_an_import_would_do() -> None:
    same, other, new = (ServerEntry(name=each, command="a") for each in ("same", "other", "new"))
    broken = ServerEntry(name="broken", command="a")
    present = parse(
        '{"mcpServers": {"same": {"command": "a"}, "other": {"command": "b"}, "broken": {"command": 1}, "x": {}}}'
    )
    found = plan((replace(same, enabled=False), other, new, broken), present)
    assert found.new == (new,)
    assert found.known == ("same",)
    assert found.clashing == (other, broken)
