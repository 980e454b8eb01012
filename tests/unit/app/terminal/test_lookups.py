"""What ``/tools``, ``/agent``, ``/workspace`` and ``/memory`` list."""

import io
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from assistant.agent.workspaces.current import CurrentAgent
from assistant.agent.workspaces.directory import Workspaces
from assistant.app.terminal.lookups import Lookups, server_words, tool_lines
from assistant.app.terminal.mailbox import Mailbox
from assistant.app.terminal.screen import Screen
from assistant.core import controls as ct
from assistant.core import updates as up
from assistant.core.permissions import Category
from assistant.core.records.agents import AgentId
from assistant.core.records.mcp import McpServerState, McpStatus
from assistant.core.records.tools import ListedTool
from assistant.host.places import Places
from assistant.host.texts import load_texts
from assistant.memory.memory_file import MemoryFile
from assistant.tools.mcp.approvals import Approvals
from assistant.tools.mcp.entries import ServerEntry
from assistant.tools.mcp.mcp_json import McpFile
from assistant.tools.mcp.running.limits import ENDED, TOO_MUCH
from tests.fakes.clock import FakeClock
from tests.fakes.mcp.approving import approve_tools

TEXTS = load_texts("en")
TOOLS = (
    ListedTool(name="calculate", category=Category.SAFE, offered=True, told=True, asks=False),
    ListedTool(name="read_file", category=Category.SENSITIVE, offered=True, told=False, asks=True),
    ListedTool(name="run_command", category=Category.RESTRICTED, offered=False, told=False, asks=True),
)


class Desk:
    def __init__(self, home: Path) -> None:
        self.out = io.StringIO()
        self.sent: list[ct.Control] = []
        self.servers: tuple[McpServerState, ...] = ()
        screen = Screen(TEXTS, self.out)
        self.mail = Mailbox(self, self, lambda: False)
        self.workspaces = Workspaces(home / "workspaces", FakeClock(), lambda: 10_000)
        self.current = CurrentAgent(home / "current-agent.toml")
        self.personal = MemoryFile(home / "user.md", FakeClock(), lambda: 10_000)
        self.lookups = Lookups(self.mail, screen, TEXTS, self.workspaces, self.current, self.personal, Places(home))

    def send(self, control: ct.Control) -> None:
        match control:
            case ct.ListTools():
                self.mail.put(up.ToolsListed(tools=TOOLS))
            case ct.ListMcpServers():
                self.mail.put(up.McpServersListed(servers=self.servers))
            case _:
                self.sent.append(control)

    async def wait_while(self, busy: Callable[[], bool]) -> None:
        assert not busy()

    async def reply(self, _prompt: str, _over: Callable[[], bool]) -> str:
        raise AssertionError("nothing is asked")

    async def lines(self, name: str) -> list[str]:
        await self.lookups.obey(name)
        return self.out.getvalue().splitlines()


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


async def test_tools_are_listed_with_their_category_and_whether_they_ask(desk: Desk) -> None:
    assert await desk.lines("/tools") == [
        "calculate  Calculator   harmless                 runs at once  enabled now",
        "read_file  Read a file  private data or changes  asks first    enabled when needed",
        *TEXTS("console.not_offered", names="run_command").splitlines(),
    ]


def test_an_agent_without_tools_has_none() -> None:
    assert tool_lines((), TEXTS) == [TEXTS("console.no_tools")]


async def test_agents_are_listed_with_their_workspace_and_the_current_one_is_marked(desk: Desk) -> None:
    desk.workspaces.add_workspace("home", "우리 집")
    coach = AgentId(workspace="home", name="coach")
    desk.workspaces.add_agent(coach, {"display_name": "코치"})
    desk.current.set(coach)
    *agents, hint = await desk.lines("/agent")
    assert [line.split() for line in agents if line.startswith("*")] == [["*", "coach", "코치", "우리", "집"]]
    assert len(agents) > 1
    assert hint == TEXTS("console.agent_what")


async def test_workspaces_are_listed(desk: Desk) -> None:
    desk.workspaces.add_workspace("home", "우리 집")
    first, second, hint = await desk.lines("/workspace")
    assert first.startswith("*")
    assert second.split() == ["home", "우리", "집"]
    assert hint == TEXTS("console.workspace_what")


async def test_mcp_servers_are_listed_with_whether_they_are_used(desk: Desk, tmp_path: Path) -> None:
    assert await desk.lines("/mcp") == [TEXTS("mcp.none", path=tmp_path / "mcp.json")]
    entry = {"command": "notes-server", "args": ["--all"]}
    Places(tmp_path).mcp_servers.write_text(json.dumps({"mcpServers": {"notes": entry}}), encoding="utf-8")
    *_, line, hint = await desk.lines("/mcp")
    assert line.split("  ") == ["notes", TEXTS("mcp.state.unapproved"), "notes-server --all"]
    assert hint == TEXTS("console.mcp_what")


async def test_the_state_of_servers_that_run_is_told(desk: Desk, tmp_path: Path) -> None:
    McpFile(tmp_path / "mcp.json").put(ServerEntry(name="notes", command="notes-server"))
    desk.servers = (
        McpServerState(name="notes", status=McpStatus.READY, tools=3, waiting=("new",), left_out=("odd",)),
        McpServerState(name="other", status=McpStatus.STOPPED, reason="it has ended"),
    )
    *_, ready, stopped, _ = await desk.lines("/mcp")
    assert "3 tools" in ready
    assert "new" in ready
    assert "odd" in ready
    assert "it has ended" in stopped


@pytest.mark.parametrize(
    ("reason", "words"),
    [(ENDED, "끝났어요"), (f"{TOO_MUCH} a message of more than 3000 objects", "너무 많은"), ("Other\n words", "Other")],
)
def test_why_a_server_failed_is_told_in_the_users_language(reason: str, words: str) -> None:
    state = McpServerState(name="notes", status=McpStatus.FAILED, reason=reason)
    assert words in server_words(state, load_texts("ko"))


async def test_a_server_is_approved_only_after_it_was_shown(desk: Desk, tmp_path: Path) -> None:
    entry = ServerEntry(name="notes", command="notes-server", arguments=("--all",))
    McpFile(tmp_path / "mcp.json").put(entry)
    approvals = Approvals(tmp_path / "mcp-approvals.json")
    desk.lookups.obey_server("approve notes")
    assert "notes-server --all" in desk.out.getvalue()
    assert "/mcp approve notes yes" in desk.out.getvalue()
    assert not approvals.approved(entry)
    desk.lookups.obey_server("approve notes yes")
    assert approvals.approved(entry)
    approve_tools(approvals, entry, {"read": ("1", "Reads a note."), "list": ("1", "Lists.")})
    approvals.await_tools(entry, {"write": ("2", "Writes a note."), "read": ("2", "Sends."), "list": ("2", "Lists.")})
    desk.lookups.obey_server("approve notes")
    for words in ("Writes a note.", "Sends.", TEXTS("mcp.formerly", words="Reads a note."), TEXTS("mcp.same_words")):
        assert words in desk.out.getvalue()
    assert approvals.waiting("notes")
    approvals.await_tools(entry, {"write": ("3", "Steals a note.")})
    desk.lookups.obey_server("approve notes yes")
    assert approvals.pins("notes") == {"read": "1", "list": "1"}
    assert "Steals a note." in desk.out.getvalue()
    desk.lookups.obey_server("approve notes yes")
    assert approvals.pins("notes") == {"read": "1", "list": "1", "write": "3"}
    assert not approvals.waiting("notes")


async def test_a_server_is_started_again_and_an_unknown_one_is_told(desk: Desk, tmp_path: Path) -> None:
    McpFile(tmp_path / "mcp.json").put(ServerEntry(name="notes", command="notes-server"))
    desk.lookups.obey_server("restart notes")
    assert desk.sent == [ct.RestartMcpServer(server="notes")]
    desk.lookups.obey_server("approve nobody yes")
    assert "notes" in desk.out.getvalue()
    desk.lookups.obey_server("nonsense")
    assert TEXTS("console.mcp_what") in desk.out.getvalue()


async def test_memories_are_listed_by_whose_they_are(desk: Desk) -> None:
    desk.personal.path.parent.mkdir(parents=True, exist_ok=True)
    desk.personal.path.write_text("- I like tea\n", "utf-8")
    await desk.personal.add("I live in Busan", source="m-1", unasked=True)
    await desk.personal.add("I have a cat", source="m-2")
    await desk.workspaces.agent_memory(AgentId()).add("short answers")
    assert await desk.lines("/memory") == [
        TEXTS("console.facts_personal"),
        "  - I like tea",
        f"  - I live in Busan  ({TEXTS('console.fact_unasked', date='2026-11-22')})",
        f"  - I have a cat  ({TEXTS('console.fact_said', date='2026-11-22')})",
        TEXTS("console.facts_agent"),
        f"  - short answers  ({TEXTS('console.fact_added', date='2026-11-22')})",
        TEXTS("console.memory_what"),
    ]


async def test_an_empty_memory_says_so(desk: Desk) -> None:
    assert await desk.lines("/memory") == [TEXTS("console.no_facts"), TEXTS("console.memory_what")]
