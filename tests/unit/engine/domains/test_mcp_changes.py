"""MCP servers are switched and graded by requests: only the user's own doors may, and nothing is approved by it."""

import json
from pathlib import Path
from typing import Any

import pytest

from assistant.core.errors import ErrorCode, SoriError
from assistant.core.permissions import Category
from assistant.core.records.mcp import McpPermission
from assistant.core.service.grant import Grant
from assistant.core.service.request import Request, Right
from assistant.core.service.requests import mcp as rq
from assistant.engine.approving.rows import permission_of
from assistant.engine.approving.servers import Servers
from assistant.engine.domains.mcp import McpApprovals
from assistant.host.texts import load_texts
from assistant.tools.mcp.approvals import Approvals
from assistant.tools.mcp.log_file import end_of_log, log_file
from assistant.tools.mcp.mcp_json import McpFile
from tests.fakes.front.asking import ask

ENTRY = {"command": "echo", "args": ["--one two"], "env": {"TOKEN": "${TOKEN}"}, "x-mine": 1}


@pytest.fixture
def servers(tmp_path: Path) -> Servers:
    made = Servers(McpFile(tmp_path / "mcp.json"), Approvals(tmp_path / "approvals.json"), load_texts("en"))
    (tmp_path / "mcp.json").write_text(json.dumps({"mcpServers": {"files": ENTRY, "other": {"url": "http://a/"}}}))
    return made


async def approve(domain: McpApprovals, name: str) -> None:
    shown = await ask(domain, rq.ShowMcpApproval(server=name))
    await ask(domain, rq.ApproveMcpServer(server=name, digest=shown.digest))


def permission(servers: Servers, name: str) -> McpPermission:
    return permission_of(servers.find(name), servers.approvals)


async def test_a_server_is_switched_off_and_on_and_keeps_its_entry_and_its_approval(servers: Servers) -> None:
    domain = McpApprovals(servers)
    await approve(domain, "files")
    before = servers.find("files")
    await ask(domain, rq.SwitchMcpServer(server="files", enabled=False))
    assert permission(servers, "files") is McpPermission.DISABLED
    await ask(domain, rq.SwitchMcpServer(server="files", enabled=True))
    assert permission(servers, "files") is McpPermission.APPROVED
    assert servers.find("files") == before
    written = json.loads(servers.file.path.read_text())["mcpServers"]
    assert written["files"]["x-mine"] == 1, "what Sori does not know stays"
    assert "other" in written


async def test_switching_on_approves_nothing(servers: Servers) -> None:
    domain = McpApprovals(servers)
    await ask(domain, rq.SwitchMcpServer(server="files", enabled=False))
    await ask(domain, rq.SwitchMcpServer(server="files", enabled=True))
    assert permission(servers, "files") is McpPermission.UNAPPROVED


async def test_what_changed_after_it_was_shown_is_not_approved(servers: Servers) -> None:
    domain = McpApprovals(servers)
    shown = await ask(domain, rq.ShowMcpApproval(server="files"))
    await ask(domain, rq.PutMcpServer(server="files", entry={**ENTRY, "args": ["rm", "-rf"]}))
    with pytest.raises(SoriError) as raised:
        await ask(domain, rq.ApproveMcpServer(server="files", digest=shown.digest))
    assert raised.value.reason == "mcp_changed"
    assert permission(servers, "files") is McpPermission.UNAPPROVED


@pytest.mark.parametrize("category", list(Category))
async def test_the_user_decides_what_the_tools_can_affect(servers: Servers, category: Category) -> None:
    domain = McpApprovals(servers)
    await ask(domain, rq.SetMcpCategory(server="files", category=category))
    await ask(domain, rq.SetMcpCategory(server="files", category=Category.RESTRICTED, tool="delete"))
    entry = servers.find("files")
    assert (entry.category, dict(entry.tools)) == (category, {"delete": Category.RESTRICTED})


CHANGES: tuple[Request[Any], ...] = (
    rq.SwitchMcpServer(server="nobody", enabled=True),
    rq.SetMcpCategory(server="nobody", category=Category.SAFE),
    rq.ShowMcpApproval(server="nobody"),
    rq.ApproveMcpServer(server="nobody", digest=""),
)


@pytest.mark.parametrize("request_", CHANGES)
async def test_a_server_that_is_not_there_is_told(servers: Servers, request_: Request[Any]) -> None:
    with pytest.raises(SoriError) as raised:
        await ask(McpApprovals(servers), request_)
    assert raised.value.reason == "mcp_unknown"


@pytest.mark.parametrize(
    "request_",
    [
        rq.ShowMcpApproval(server="files"),
        rq.ApproveMcpServer(server="files", digest="x"),
        rq.PutMcpServer(server="evil", entry=ENTRY),
        rq.SwitchMcpServer(server="files", enabled=False),
        rq.SetMcpCategory(server="files", category=Category.SAFE),
        rq.RevokeMcpServer(server="files"),
        rq.RemoveMcpServer(server="files"),
    ],
)
async def test_a_token_without_the_right_changes_nothing(servers: Servers, request_: Request[Any]) -> None:
    before = servers.file.path.read_text()
    grant = Grant(rights=frozenset(Right) - {Right.OWN})
    with pytest.raises(SoriError) as raised:
        await ask(McpApprovals(servers), request_, grant)
    assert raised.value.code is ErrorCode.PERMISSION
    assert servers.file.path.read_text() == before


async def test_a_broken_file_is_not_written_over(servers: Servers) -> None:
    servers.file.path.write_text('{"mcpServers": {"files": ')
    for request in CHANGES[:2]:
        with pytest.raises(SoriError):
            await ask(McpApprovals(servers), request)
    assert servers.file.path.read_text() == '{"mcpServers": {"files": '


LOGS = (
    (b"", ""),
    (b"one\ntwo\n", "one\ntwo"),
    ("오류: 파일이 없어요\n".encode(), "오류: 파일이 없어요"),
    (b"\xff\xfe not text\n", "\ufffd\ufffd not text"),
)


@pytest.mark.parametrize(("content", "shown"), LOGS)
def test_the_end_of_a_log_is_read_whatever_it_holds(tmp_path: Path, content: bytes, shown: str) -> None:
    log_file(tmp_path, "a b/c").write_bytes(content)
    assert end_of_log(tmp_path, "a b/c") == shown


def test_of_a_long_log_whole_lines_of_the_end_are_read(tmp_path: Path) -> None:
    log_file(tmp_path, "x").write_text("".join(f"line {number}\n" for number in range(5000)))
    lines = end_of_log(tmp_path, "x").splitlines()
    assert lines[-1] == "line 4999"
    assert all(line.startswith("line ") for line in lines)
    assert len(lines) < 1000
    assert end_of_log(tmp_path, "missing") == ""
