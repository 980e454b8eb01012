"""``sori mcp``, as the user types it."""

import io
import json
import os
import tempfile
from dataclasses import replace
from pathlib import Path

import pytest

from assistant.app.cli import typed_ahead
from assistant.app.command_line import main
from assistant.engine.approving.servers import Servers
from assistant.engine.domains.mcp import McpApprovals
from assistant.host.places import Places
from assistant.host.texts import load_texts
from assistant.tools.mcp.approvals import Approvals
from assistant.tools.mcp.entries import ServerEntry
from assistant.tools.mcp.mcp_json import McpFile
from assistant.tools.mcp.showing import HIDDEN
from tests.fakes.front.small_engine import SmallEngine
from tests.fakes.mcp.approving import approve_tools

FILES = ServerEntry(name="files", command="npx", arguments=("-y", "a b"), environment={"KEY": "hush", "T": "${TOKEN}"})


class Terminal(io.StringIO):
    """Standard input at which somebody sits."""

    def isatty(self) -> bool:
        return True


@pytest.fixture
def user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The user's own home, without other apps."""
    folder = tmp_path / "user"
    folder.mkdir()
    for name in ("HOME", "USERPROFILE"):
        monkeypatch.setenv(name, str(folder))
    for name in ("XDG_CONFIG_HOME", "APPDATA"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(folder)
    return folder


def file(home: Path) -> McpFile:
    return McpFile(Places(home).mcp_servers)


def approvals(home: Path) -> Approvals:
    return Approvals(Places(home).mcp_approvals)


def test_a_command_is_added_as_it_was_typed_and_not_approved(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    options = ["--env", "KEY=hush", "--env", "T=${TOKEN}", "--timeout", "5", "--category", "safe"]
    assert main(["mcp", "add", "files", *options, "--", "npx", "-y", "--env", "--", "a b"]) == 0
    (entry,) = file(home).read().entries
    assert (entry.command, entry.arguments) == ("npx", ("-y", "--env", "--", "a b"))
    assert entry.environment == {"KEY": "hush", "T": "${TOKEN}"}
    assert (entry.timeout_s, entry.category.value) == (5, "safe")
    assert not approvals(home).approved(entry)
    shown = capsys.readouterr().out
    assert "npx -y --env -- 'a b'" in shown
    assert "sori mcp approve files" in shown
    assert "hush" not in shown


def test_an_address_is_added(home: Path) -> None:
    assert main(["mcp", "add", "far", "--url", "https://a.org/mcp", "--header", "X-Key:  v:w"]) == 0
    assert file(home).read().entries == (ServerEntry(name="far", url="https://a.org/mcp", headers={"X-Key": "v:w"}),)


def test_a_program_of_the_present_folder_is_added_by_its_path(home: Path, user: Path) -> None:
    (user / "server.py").touch()
    assert main(["mcp", "add", "own", "--cwd", "sub", "--", f".{os.sep}server.py"]) == 0
    (entry,) = file(home).read().entries
    assert (entry.command, entry.folder) == (str(user / "server.py"), str(user / "sub"))


@pytest.mark.parametrize(
    "arguments",
    [
        ["a"],
        ["a", "--url", "http://a", "--", "npx"],
        ["a", "--url", "ftp://a"],
        ["a/b", "--", "npx"],
        ["a", "--env", "KEY", "--", "npx"],
        ["a", "--header", "X", "--url", "http://a"],
        ["a\u202eb", "--", "npx"],
    ],
)
def test_a_wrong_entry_is_refused_with_a_remedy(
    home: Path, arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["mcp", "add", *arguments]) == 1
    said = capsys.readouterr().err
    assert ". " in said
    assert "\u202e" not in said
    assert not file(home).path.exists()


def test_a_taken_name_is_replaced_only_on_request(home: Path) -> None:
    file(home).put(FILES)
    assert main(["mcp", "add", "files", "--", "uvx"]) == 1
    assert file(home).read().entries == (FILES,)
    assert main(["mcp", "add", "files", "--replace", "--", "uvx"]) == 0
    assert file(home).read().entries == (ServerEntry(name="files", command="uvx"),)


def test_the_list_hides_values_and_tells_the_state(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["mcp", "list"]) == 0
    assert "sori mcp add" in capsys.readouterr().out
    file(home).put(FILES)
    file(home).put(ServerEntry(name="far", url="https://me:hush@a.org", headers={"A": "hush"}, enabled=False))
    assert main(["mcp", "list"]) == 0
    listed = capsys.readouterr().out
    assert "waits for approval" in listed
    assert "disabled" in listed
    approvals(home).approve(FILES)
    approve_tools(approvals(home), FILES, {"read": ("1", "Reads.")})
    assert main(["mcp", "list", "--json"]) == 0
    told = capsys.readouterr().out
    first, second = json.loads(told)
    assert (first["approved"], first["args"], first["tools"]) == (True, ["-y", "a b"], ["read"])
    assert first["env"] == {"KEY": HIDDEN, "T": "${TOKEN}"}
    assert second["headers"] == {"A": HIDDEN}
    assert main(["mcp", "show", "files"]) == 0
    shown = capsys.readouterr().out
    assert "Approved tools: read" in shown
    assert f"KEY={HIDDEN}" in shown
    assert "TOKEN (not set now)" in shown
    file(home).put(replace(FILES, command="uvx"))
    assert main(["mcp", "list"]) == 0
    assert "changed, waits for approval" in capsys.readouterr().out
    assert main(["mcp", "show", "far", "--json"]) == 0
    assert "hush" not in listed + told + shown + capsys.readouterr().out


def test_approving_shows_the_command_and_asks(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    entry = ServerEntry(name="files", command="npx", arguments=("x\r\x1b[2K\u202ecod.exe",))
    file(home).put(entry)
    for typed, status in (("n\n", 1), ("", 1), ("y\n", 0)):
        monkeypatch.setattr("sys.stdin", Terminal(typed))
        assert main(["mcp", "approve", "files"]) == status
        shown = capsys.readouterr().out
        assert r"npx $'x\x0d\x1b[2K\u202ecod.exe'" in shown
        assert shown.index("npx") < shown.index("[y/N]")
        assert approvals(home).approved(entry) == (status == 0)
    assert main(["mcp", "approve", "files"]) == 0
    assert "[y/N]" not in capsys.readouterr().out


def test_without_a_terminal_only_the_option_approves(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file(home).put(FILES)
    monkeypatch.setattr("sys.stdin", io.StringIO("y\n"))
    assert main(["mcp", "approve", "files"]) == 1
    assert "--yes" in capsys.readouterr().err
    assert not approvals(home).approved(FILES)
    assert main(["mcp", "approve", "files", "--yes"]) == 0
    assert approvals(home).approved(FILES)


def test_what_changed_since_it_was_shown_is_not_approved(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def edit() -> list[str]:
        file(home).put(ServerEntry(name="files", command="rm"))
        return []

    monkeypatch.setattr(typed_ahead, "typed_ahead", edit)  # called just before the question
    file(home).put(FILES)
    monkeypatch.setattr("sys.stdin", Terminal("y\n"))
    assert main(["mcp", "approve", "files"]) == 1
    assert "no longer what was shown" in capsys.readouterr().err
    assert not approvals(home).approved(FILES)
    assert not approvals(home).approved(file(home).read().entries[0])


def test_the_engine_that_runs_changes_and_approves(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    servers = Servers(file(home), approvals(home), load_texts("en"))
    with SmallEngine(home, McpApprovals(servers)) as engine:
        for command, status, *requests in (
            ("add files --env KEY=hush -- npx -y", 0, "PutMcpServer"),
            ("add files -- uvx", 1),
            ("add far --url ftp://a", 1),
            ("disable files", 0, "PutMcpServer"),
            ("approve files --yes", 0, "ApproveMcpServer"),
            ("category files read safe", 0, "PutMcpServer"),
            ("category files read default", 0, "PutMcpServer"),
            ("category nobody read safe", 1),
            ("revoke files", 0, "RevokeMcpServer"),
            ("revoke files", 1, "RevokeMcpServer"),
            ("remove files", 0, "RemoveMcpServer"),
            ("remove files", 1, "RemoveMcpServer"),
        ):
            engine.asked.clear()
            assert main(["mcp", *command.split()]) == status, command
            assert [type(each).__name__ for each in engine.asked] == requests, command
            if command.startswith("category files"):
                (entry,) = file(home).read().entries
                assert approvals(home).approved(entry)
                assert (entry.arguments, entry.environment, entry.enabled) == (("-y",), {"KEY": "hush"}, False)
                assert ("read" in entry.tools) == command.endswith("safe")
        file(home).path.write_text("{")
        assert main(["mcp", "remove", "files"]) == 1
        assert "mcp.json" in capsys.readouterr().err


def test_approvals_are_revoked_and_go_with_the_server(home: Path) -> None:
    file(home).put(FILES)
    approvals(home).approve(FILES)
    assert main(["mcp", "revoke", "files"]) == 0
    assert main(["mcp", "revoke", "files"]) == 1
    approvals(home).approve(FILES)
    assert main(["mcp", "remove", "files"]) == 0
    assert not file(home).read().entries
    assert not approvals(home).approved(FILES)
    assert main(["mcp", "remove", "files"]) == 1


def test_a_server_is_switched_off_and_on_and_stays_approved(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file(home).put(FILES)
    approvals(home).approve(FILES)
    assert main(["mcp", "disable", "files"]) == 0
    assert not file(home).read().entries[0].enabled
    capsys.readouterr()
    assert main(["mcp", "enable", "files"]) == 0
    assert "approve" not in capsys.readouterr().out
    assert file(home).read().entries == (FILES,)
    assert approvals(home).approved(FILES)


@pytest.mark.parametrize("action", ["show", "approve", "remove", "enable", "disable"])
def test_an_unknown_server_is_named_with_the_known_ones(
    home: Path, action: str, capsys: pytest.CaptureFixture[str]
) -> None:
    file(home).put(FILES)
    assert main(["mcp", action, "nothing"]) == 1
    assert "nothing. Known: files" in capsys.readouterr().err


def test_a_bad_entry_is_named_and_the_others_are_listed(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = file(home).path
    path.parent.mkdir()
    path.write_text('{"mcpServers": {\n"good": {"command": "a"},\n"bad": {"command": 1}}}')
    assert main(["mcp", "list"]) == 1
    told = capsys.readouterr()
    assert "good" in told.out
    assert f"{path}, line 3: bad: " in told.err
    assert main(["mcp", "show", "bad"]) == 1
    assert "line 3" in capsys.readouterr().err
    assert main(["mcp", "remove", "bad"]) == 0
    assert main(["mcp", "list"]) == 0


@pytest.mark.parametrize(
    "arguments", [["list"], ["add", "a", "--", "b"], ["remove", "a"], ["enable", "a"], ["approve", "a", "--yes"]]
)
def test_a_damaged_file_is_named_and_left_alone(
    home: Path, arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    path = file(home).path
    path.parent.mkdir()
    path.write_text('{"mcpServers": {\n"a": ')
    assert main(["mcp", *arguments]) == 1
    assert f"{path}, line 2: " in capsys.readouterr().err
    assert path.read_text() == '{"mcpServers": {\n"a": '


def test_damaged_approvals_are_told(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file(home).put(FILES)
    Places(home).mcp_approvals.write_text("{")
    assert main(["mcp", "list"]) == 1
    told = capsys.readouterr()
    assert "waits for approval" in told.out
    assert "damaged" in told.err


@pytest.mark.parametrize(
    "arguments", [["add", "b", "--", "c"], ["remove", "files"], ["disable", "files"], ["approve", "files", "--yes"]]
)
def test_a_folder_that_cannot_be_written_is_an_error_with_words(
    home: Path, arguments: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file(home).put(FILES)
    assert main(["mcp", "list"]) == 0

    def refuse(*_: object, **__: object) -> None:
        raise OSError(30, "Read-only file system")

    monkeypatch.setattr(tempfile, "mkstemp", refuse)
    assert main(["mcp", *arguments]) == 1
    assert "Read-only file system" in capsys.readouterr().err
    assert file(home).read().entries == (FILES,)
    assert not approvals(home).approved(FILES)


def test_servers_of_an_app_are_imported_unapproved(home: Path, user: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["mcp", "import"]) == 0
    assert "were found" in capsys.readouterr().out
    assert main(["mcp", "import", "--from", "cursor"]) == 1
    assert str(user / ".cursor" / "mcp.json") in capsys.readouterr().err
    (user / ".cursor").mkdir()
    (user / ".cursor" / "mcp.json").write_text(
        '{"mcpServers": {"files": {"command": "npx"}, "asks": {"command": "a", "args": ["${input:k}"]}}} // mine'
    )
    assert main(["mcp", "import"]) == 0
    assert "Cursor: 1 in" in capsys.readouterr().out
    assert main(["mcp", "import", "--from", "cursor"]) == 1
    told = capsys.readouterr()
    assert "line 1: asks: " in told.err
    assert "sori mcp approve files" in told.out
    assert file(home).read().entries == (ServerEntry(name="files", command="npx"),)
    assert not approvals(home).approved(file(home).read().entries[0])


def test_a_clash_is_told_and_replaced_only_on_request(
    home: Path, user: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file(home).put(FILES)
    (user / "servers.json").write_text('{"servers": {"files": {"command": "uvx"}, "new": {"command": "a"}}}')
    assert main(["mcp", "import", "servers.json"]) == 1
    assert "another server of this name" in capsys.readouterr().err
    assert [each.command for each in file(home).read().entries] == ["npx", "a"]
    assert main(["mcp", "import", "servers.json", "--replace"]) == 0
    assert [each.command for each in file(home).read().entries] == ["uvx", "a"]
    assert main(["mcp", "import", "servers.json"]) == 0
    assert "there already" in capsys.readouterr().out


def test_a_file_without_servers_or_at_all_is_told(user: Path, home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["mcp", "import", "gone.json"]) == 1
    assert "gone.json" in capsys.readouterr().err
    (user / "empty.json").write_text("{}")
    assert main(["mcp", "import", "empty.json"]) == 0
    assert "no MCP servers" in capsys.readouterr().out
    assert not file(home).path.exists()
