"""``sori chat`` with MCP servers: real processes, which live as long as the answer."""

import asyncio
import os
import re
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from assistant.app.cli.options import ChatOptions
from assistant.app.commands.chat import command as chat
from assistant.app.parts import turns
from assistant.core.permissions import Category
from assistant.core.records.mcp import McpServerState
from assistant.core.settings import LlmSettings, Provider, Settings
from assistant.host.places import PROJECT, Places
from assistant.tools.mcp.approvals import Approvals
from assistant.tools.mcp.entries import ServerEntry
from assistant.tools.mcp.mcp_json import McpFile
from assistant.tools.mcp.running.servers import McpServers
from tests.fakes.mcp.approving import approve_all
from tests.fakes.model_server.script import ScriptedCall
from tests.fakes.model_server.server import ModelServer, Reply, serve_in_thread
from tests.fakes.system.processes import alive

ODD = str(PROJECT / "tests" / "fakes" / "mcp" / "odd_server.py")
SILENT = ("-c", "import sys; sys.stdin.read()")


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with serve_in_thread((Reply(text="반가워요."),)) as running:
        yield running


@pytest.fixture
def places(tmp_path: Path) -> Places:
    return Places(tmp_path)


def put(places: Places, name: str, *arguments: str, command: str = sys.executable, approved: bool = True) -> None:
    entry = ServerEntry(name=name, command=command, arguments=arguments, category=Category.SAFE)
    McpFile(places.mcp_servers).put(entry)
    if approved:
        approve_all(places, entry)


def ask(places: Places, server: ModelServer, text: str = "메아리를 들려 줘", **options: Any) -> int:
    settings = Settings(
        language="ko",
        llm=LlmSettings(provider="mine", model="m"),
        providers=(Provider(name="mine", kind="openai", base_url=server.base_url),),
    )
    return chat.run(places.home, settings, ChatOptions(text=text, **options))


@pytest.mark.long
def test_the_model_uses_a_server_whose_processes_end_with_the_answer(
    places: Places, server: ModelServer, capsys: pytest.CaptureFixture[str]
) -> None:
    put(places, "odd", ODD)
    put(places, "lost", command=str(places.home / "no-such-program"))
    put(places, "unseen", command=str(places.home / "not-started"), approved=False)
    server.script = [Reply(text="", tool_calls=(ScriptedCall(name="mcp_odd_child"),)), Reply(text="들려요.")]
    assert ask(places, server) == 0
    shown = capsys.readouterr()
    assert shown.out == "들려요.\n"
    assert "MCP 서버 lost의 도구 없이 답해요" in shown.err
    assert "없이 답해요" not in shown.err.replace("lost의 도구 없이 답해요", "")
    (result,) = [each for each in server.chats[-1].body["messages"] if each["role"] == "tool"]
    (process,) = re.findall(r"^\d+$", result["content"], flags=re.MULTILINE)
    assert not alive(int(process))


@pytest.mark.long
def test_a_server_that_does_not_start_in_time_does_not_keep_the_answer(
    places: Places, server: ModelServer, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(turns, "_SERVERS_S", 0.2)
    put(places, "silent", *SILENT, approved=False)
    # Its tools cannot be learnt, so only its command is approved.
    Approvals(places.mcp_approvals).approve(McpFile(places.mcp_servers).read().entries[0])
    assert ask(places, server) == 0
    assert capsys.readouterr() == ("반가워요.\n", "(MCP 서버 silent의 도구 없이 답해요: 제때 시작하지 못했어요)\n")


@pytest.mark.parametrize(
    ("text", "options", "approved"),
    [("지금 몇 시야?", {}, True), ("안녕", {"tools": False}, True), ("안녕", {}, False)],
)
def test_no_server_starts_where_its_tools_cannot_be_used(
    places: Places,
    server: ModelServer,
    capsys: pytest.CaptureFixture[str],
    text: str,
    options: dict[str, Any],
    approved: bool,
) -> None:
    put(places, "lost", command=str(places.home / "no-such-program"), approved=approved)
    assert ask(places, server, text, **options) == 0
    assert "lost" not in capsys.readouterr().err


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals")
def test_a_signal_ends_the_wait_for_servers(
    places: Places, server: ModelServer, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    async def endless(_: McpServers, limit_s: float) -> tuple[McpServerState, ...]:
        os.kill(os.getpid(), signal.SIGTERM)
        await asyncio.Event().wait()
        return ()

    monkeypatch.setattr(McpServers, "start_and_wait", endless)
    assert ask(places, server) == 128 + signal.SIGTERM
    assert capsys.readouterr().out == ""
    assert not server.chats
