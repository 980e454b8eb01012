"""MCP servers that others wrote, as a user would run them: the reference servers, and the SDK's own over HTTP."""

import asyncio
import os
import socket
import subprocess
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from assistant.core.permissions import LOCAL_ASSISTANT
from assistant.core.records.egress import Egress
from assistant.core.records.mcp import McpStatus
from assistant.core.texts import Texts
from assistant.host.texts import load_texts
from assistant.llm.backend import ModelToolCall
from assistant.tools.attendant import AskReason, Attendant, Reply
from assistant.tools.frozen_call import FrozenCall
from assistant.tools.grants import GrantScope
from assistant.tools.mcp.approvals import Approvals
from assistant.tools.mcp.entries import ServerEntry
from assistant.tools.mcp.known_tools import KnownTools
from assistant.tools.mcp.mcp_json import McpFile
from assistant.tools.mcp.running.servers import McpServers
from assistant.tools.runner import Outcome, ToolRunner
from assistant.tools.tool_set import ToolSet

VERSION = "2026.8.31"
PACKAGES = tuple(f"@modelcontextprotocol/server-{name}@{VERSION}" for name in ("everything", "filesystem", "memory"))
TIME_SERVER = "mcp-server-time==2026.10.19"
LIMIT_S = 90.0
"""Longer than the longest start of a server, after which it is started again."""
ENVIRONMENT = {**os.environ, "PATH": os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"]))}
"""Finds Node and npm of the test packages, which a machine need not have."""
TEXTS = load_texts("en")


@pytest.fixture(scope="module")
def node_servers(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the reference servers that are written for Node."""
    folder = tmp_path_factory.mktemp("node")
    install = ("npm", "install", "--silent", "--no-audit", "--no-fund", "--prefix", folder)
    subprocess.run([*install, *PACKAGES], check=True, env=ENVIRONMENT)
    return folder / "node_modules" / ".bin"


@pytest.fixture(scope="module")
def time_server(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of Python packages with the reference server for times."""
    folder = tmp_path_factory.mktemp("python")
    # Its other requirements are Sori's too.
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-compile", "--target", folder]
    subprocess.run([*map(str, command), TIME_SERVER], check=True)
    return folder


class Ledger:
    """Keeps what was recorded in memory."""

    def __init__(self) -> None:
        self.records: list[Egress] = []

    async def record(self, egress: Egress) -> None:
        self.records.append(egress)


class Agrees(Attendant):
    """A user who confirms everything."""

    async def confirm(self, call: FrozenCall, reason: AskReason, scope: GrantScope | None = None) -> Reply:
        return Reply.YES

    async def ask(self, call: FrozenCall, text: str, exactly: Mapping[str, Any] | None = None) -> Reply:
        return Reply.YES

    def passed(self, call: FrozenCall, *, within_s: float) -> None:
        return


class Running:
    """A server that runs, and the gate in front of its tools."""

    def __init__(self, servers: McpServers, texts: Texts) -> None:
        self.servers = servers
        tools = ToolSet()
        tools.add_source(servers.tools)
        self.names = tuple(tool.name for tool in servers.tools())
        self._runner = ToolRunner(tools, texts, permissions=LOCAL_ASSISTANT)

    async def call(self, name: str, **arguments: object) -> Outcome:
        call = ModelToolCall(id="c", name=name, arguments=arguments)
        (outcome,) = [each async for each in self._runner.run([call], [Agrees()])]
        return outcome


@asynccontextmanager
async def running(
    folder: Path, texts: Texts, entry: ServerEntry, ledger: Ledger | None = None
) -> AsyncIterator[Running]:
    file, approvals = McpFile(folder / "mcp.json"), Approvals(folder / "approvals.json")
    file.put(entry)
    approvals.approve(entry)
    ready = asyncio.Event()

    def on_states(states: object) -> None:
        if any(state.waiting for state in servers.states):
            approvals.approve(entry, approvals.waiting(entry.name))
        elif any(state.status is McpStatus.READY and state.tools for state in servers.states):
            ready.set()

    servers = McpServers(
        file,
        approvals,
        KnownTools(folder / "tools.json"),
        environment=ENVIRONMENT,
        ledger=ledger,
        logs=folder,
        texts=texts,
        on_states=on_states,
        open_page=lambda _: None,
    )
    servers.start()
    try:
        async with asyncio.timeout(LIMIT_S):
            await ready.wait()
        yield Running(servers, texts)
    finally:
        await servers.close()


@pytest.mark.network
async def test_the_server_with_everything(tmp_path: Path, node_servers: Path) -> None:
    entry = ServerEntry(name="everything", command=str(node_servers / "mcp-server-everything"))
    async with running(tmp_path, TEXTS, entry) as server:
        assert "mcp_everything_echo" in server.names
        assert "소리" in (await server.call("mcp_everything_echo", message="소리")).text
        assert "5" in (await server.call("mcp_everything_get_sum", a=2, b=3)).text
        image = await server.call("mcp_everything_get_tiny_image")
        assert [each.mime_type for each in image.attachments] == ["image/png"]
        long = await server.call("mcp_everything_trigger_long_running_operation", duration=1, steps=2)
        assert not long.is_error
        structured = await server.call("mcp_everything_get_structured_content", location="New York")
        assert not structured.is_error
        assert "temperature" in structured.text
        wrong = await server.call("mcp_everything_get_sum", a="two", b=3)
        assert wrong.is_error
        assert not wrong.ran


@pytest.mark.network
async def test_the_server_for_files_keeps_to_its_folder(tmp_path: Path, node_servers: Path) -> None:
    shared = tmp_path / "나눔"
    shared.mkdir()
    (shared / "a.txt").write_text("안녕하세요", encoding="utf-8")
    entry = ServerEntry(name="files", command=str(node_servers / "mcp-server-filesystem"), arguments=(str(shared),))
    async with running(tmp_path, TEXTS, entry) as server:
        read = await server.call("mcp_files_read_text_file", path=str(shared / "a.txt"))
        assert "안녕하세요" in read.text
        outside = await server.call("mcp_files_read_text_file", path="/etc/passwd")
        assert outside.is_error
        written = await server.call("mcp_files_write_file", path=str(shared / "b.txt"), content="새 파일")
        assert not written.is_error
    assert (shared / "b.txt").read_text(encoding="utf-8") == "새 파일"


@pytest.mark.network
async def test_the_server_with_a_memory_remembers_between_starts(tmp_path: Path, node_servers: Path) -> None:
    entry = ServerEntry(
        name="memory",
        command=str(node_servers / "mcp-server-memory"),
        environment={"MEMORY_FILE_PATH": str(tmp_path / "memory.jsonl")},
    )
    person = {"name": "민수", "entityType": "person", "observations": ["likes tea"]}
    async with running(tmp_path, TEXTS, entry) as server:
        assert not (await server.call("mcp_memory_create_entities", entities=[person])).is_error
    async with running(tmp_path, TEXTS, entry) as server:
        assert "likes tea" in (await server.call("mcp_memory_search_nodes", query="민수")).text


@pytest.mark.network
async def test_the_server_for_times(tmp_path: Path, time_server: Path) -> None:
    entry = ServerEntry(
        name="time",
        command=sys.executable,
        arguments=("-m", "mcp_server_time", "--local-timezone", "Asia/Seoul"),
        environment={"PYTHONPATH": str(time_server)},
    )
    async with running(tmp_path, TEXTS, entry) as server:
        noon = {"source_timezone": "Asia/Seoul", "time": "12:00", "target_timezone": "UTC"}
        assert "03:00" in (await server.call("mcp_time_convert_time", **noon)).text
        wrong = await server.call("mcp_time_get_current_time", timezone="Moon/Crater")
        assert wrong.is_error


_HTTP_SERVER = """
import sys
from mcp.server.mcpserver import Context, MCPServer
server = MCPServer("far")
@server.tool()
def greet(who: str) -> str:
    "Greets somebody."
    return f"Hello {who}"
@server.tool()
def header(ctx: Context) -> str:
    "Tells the header with the key."
    return ctx.request_context.request.headers.get("x-key", "none")
server.run("streamable-http", port=int(sys.argv[1]))
"""


async def test_a_server_at_an_address_gets_headers_and_each_request_is_recorded(tmp_path: Path) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    process = await asyncio.create_subprocess_exec(sys.executable, "-c", _HTTP_SERVER, str(port))
    ledger = Ledger()
    entry = ServerEntry(name="far", url=f"http://127.0.0.1:{port}/mcp", headers={"X-Key": "${SORI_TEST_KEY:-secret}"})
    try:
        await _listens(port)
        async with running(tmp_path, TEXTS, entry, ledger) as server:
            assert (await server.call("mcp_far_greet", who="소리")).text.endswith("Hello 소리")
            assert (await server.call("mcp_far_header")).text.endswith("secret")
    finally:
        process.terminate()
        await process.wait()
    assert {each.purpose for each in ledger.records} == {"mcp"}
    assert {each.provider for each in ledger.records} == {"mcp far"}
    assert len(ledger.records) >= 4
    assert not any("secret" in repr(each) for each in ledger.records)


async def _listens(port: int) -> None:
    async with asyncio.timeout(LIMIT_S):
        while True:
            try:
                _, writer = await asyncio.open_connection("127.0.0.1", port)
            except OSError:
                await asyncio.sleep(0.05)
            else:
                writer.close()
                return
