"""What ``sori doctor`` says of MCP servers."""

import os
import sys
from pathlib import Path

import pytest

from assistant.engine.checks.check import Check, Grade
from assistant.engine.checks.mcp_checks import McpChecks
from assistant.host.places import Places
from assistant.host.texts import load_texts
from assistant.tools.mcp.approvals import Approvals
from assistant.tools.mcp.entries import ServerEntry
from assistant.tools.mcp.mcp_json import McpFile

PYTHON = ServerEntry(name="own", command=sys.executable)


def checks(home: Path, language: str = "en") -> list[Check]:
    return list(McpChecks(Places(home), load_texts(language)).mcp())


def configure(home: Path, entry: ServerEntry, *, approved: bool = True) -> None:
    McpFile(Places(home).mcp_servers).put(entry)
    if approved:
        Approvals(Places(home).mcp_approvals).approve(entry)


def warnings(home: Path) -> list[str]:
    found = [each for language in ("ko", "en") for each in checks(home, language) if each.verdict is Grade.WARN]
    assert all(each.remedy for each in found)
    return [each.detail for each in found[len(found) // 2 :]]


def test_nothing_is_said_without_servers(tmp_path: Path) -> None:
    assert checks(tmp_path) == []


def test_servers_that_can_be_used_are_counted(tmp_path: Path) -> None:
    configure(tmp_path, PYTHON)
    configure(tmp_path, ServerEntry(name="off", command="gone", enabled=False))
    (line,) = checks(tmp_path)
    assert (line.verdict, line.detail) == (Grade.OK, "1 of 2 in use")


def test_bad_entries_and_files_are_named_with_their_line(tmp_path: Path) -> None:
    path = Places(tmp_path).mcp_servers
    path.write_text('{"mcpServers": {\n"bad": {}}}')
    (bad,) = warnings(tmp_path)
    assert f"{path}:2: bad: " in bad
    path.write_text("{\n{")
    assert f"{path}:2: " in warnings(tmp_path)[0]


def test_damaged_approvals_a_missing_approval_program_and_variable_are_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("GONE", raising=False)
    configure(tmp_path, ServerEntry(name="a", command="no-such-program"))
    configure(tmp_path, ServerEntry(name="b", command=sys.executable, environment={"K": "${GONE}"}))
    configure(tmp_path, ServerEntry(name="c", command=sys.executable), approved=False)
    found = warnings(tmp_path)
    assert [("no-such-program" in found[0]), ("GONE" in found[1]), ("c waits" in found[2])] == [True] * 3
    Places(tmp_path).mcp_approvals.write_text("[]")
    assert "mcp-approvals.json is damaged" in warnings(tmp_path)[0]


def test_a_program_is_looked_for_where_it_would_be_started(tmp_path: Path) -> None:
    program = tmp_path / "bin" / "server"
    program.parent.mkdir()
    program.touch(0o755)
    configure(tmp_path, ServerEntry(name="own", command="./server", folder=str(program.parent)))
    configure(tmp_path, ServerEntry(name="path", command="server", environment={"PATH": str(program.parent)}))
    assert warnings(tmp_path) == []


@pytest.mark.skipif(os.name != "posix", reason="Windows has no file modes")
def test_secrets_that_others_can_read_are_told(tmp_path: Path) -> None:
    configure(tmp_path, ServerEntry(name="own", command=sys.executable, environment={"KEY": "${PATH}"}))
    Places(tmp_path).mcp_servers.chmod(0o644)
    assert warnings(tmp_path) == []
    configure(tmp_path, ServerEntry(name="own", command=sys.executable, environment={"KEY": "hush"}))
    (readable,) = warnings(tmp_path)
    assert "other users" in readable
    assert "hush" not in readable
