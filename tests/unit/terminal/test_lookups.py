"""What ``/tools``, ``/agent``, ``/workspace``, ``/memory`` and ``/mcp`` list, and what approves a server."""

import io
from typing import Any

import pytest

from assistant.core.errors import ErrorCode
from assistant.core.permissions import Category
from assistant.core.records.agents import AgentId, ListedAgent, ListedWorkspace
from assistant.core.records.mcp import (
    SENT_TOO_MUCH,
    SERVER_ENDED,
    ConfiguredMcpServer,
    McpApproval,
    McpListing,
    McpPermission,
    McpServerState,
    McpStatus,
)
from assistant.core.records.memory import ListedFact, Scope
from assistant.core.records.tools import ListedTool
from assistant.core.service.request import Refusal, Request
from assistant.core.service.requests.agents import ListTools, ListWorkspaces
from assistant.core.service.requests.mcp import ApproveMcpServer, ListMcpServers, RestartMcpServer, ShowMcpApproval
from assistant.core.service.requests.memory import ListFacts
from assistant.host.texts import load_texts
from assistant.terminal.asking import TerminalRequests
from assistant.terminal.lookups import Lookups, server_words, tool_lines
from assistant.terminal.screen import Screen
from tests.fakes.front.connection import RecordedConnection
from tests.fakes.front.terminal import TypingLine

TEXTS = load_texts("en")
TOOLS = (
    ListedTool(name="calculate", category=Category.SAFE, offered=True, told=True, asks=False),
    ListedTool(name="read_file", category=Category.SENSITIVE, offered=True, told=False, asks=True),
    ListedTool(name="run_command", category=Category.RESTRICTED, offered=False, told=False, asks=True),
)
WORKSPACES = (
    ListedWorkspace(
        name="default",
        title="Sori",
        current=False,
        agents=(ListedAgent(id=AgentId(), title="Sori", current=False),),
    ),
    ListedWorkspace(
        name="home",
        title="우리 집",
        current=True,
        agents=(ListedAgent(id=AgentId(workspace="home", name="coach"), title="코치", current=True),),
    ),
)
NOTES = ConfiguredMcpServer(name="notes", permission=McpPermission.UNAPPROVED, what="notes-server --all")


class Desk:
    """Lookups before an engine that replies at once."""

    def __init__(self) -> None:
        self.out = io.StringIO()
        self.connection = RecordedConnection(lambda request: self.replies.get(type(request), "done"))
        self.replies: dict[type[Request[Any]], Any] = {ListTools: TOOLS, ListWorkspaces: WORKSPACES, ListFacts: ()}
        screen = Screen(TEXTS, self.out)
        screen.conversation = "a"
        self.lookups = Lookups(TerminalRequests(self.connection, TypingLine(), screen), screen, TEXTS)

    def lists(self, *configured: ConfiguredMcpServer, states: tuple[McpServerState, ...] = ()) -> None:
        self.replies[ListMcpServers] = McpListing(path="mcp.json", configured=configured, states=states)

    async def lines(self, line: str) -> list[str]:
        before = len(self.out.getvalue())
        name, _, argument = line.partition(" ")
        await self.lookups.obey(name, argument)
        return self.out.getvalue()[before:].splitlines()


@pytest.fixture
def desk() -> Desk:
    return Desk()


async def test_tools_are_listed_with_their_category_and_whether_they_ask(desk: Desk) -> None:
    assert await desk.lines("/tools") == [
        "calculate  Calculator   harmless                 runs at once  enabled now",
        "read_file  Read a file  private data or changes  asks first    enabled when needed",
        *TEXTS("console.not_offered", names="run_command").splitlines(),
    ]
    assert desk.connection.sent == [ListTools(conversation="a")]


def test_an_agent_without_tools_has_none() -> None:
    assert tool_lines((), TEXTS) == [TEXTS("console.no_tools")]


async def test_agents_are_listed_with_their_workspace_and_the_current_one_is_marked(desk: Desk) -> None:
    *agents, hint = await desk.lines("/agent")
    assert [line.split() for line in agents] == [["sori", "Sori", "Sori"], ["*", "coach", "코치", "우리", "집"]]
    assert hint == TEXTS("console.agent_what")


async def test_workspaces_are_listed(desk: Desk) -> None:
    first, second, hint = await desk.lines("/workspace")
    assert first.split() == ["default", "Sori"]
    assert second.split() == ["*", "home", "우리", "집"]
    assert hint == TEXTS("console.workspace_what")


async def test_mcp_servers_are_listed_with_whether_they_are_used(desk: Desk) -> None:
    desk.lists()
    assert await desk.lines("/mcp") == [TEXTS("mcp.none", path="mcp.json")]
    desk.lists(NOTES)
    *_, line, hint = await desk.lines("/mcp")
    assert line.split("  ") == ["notes", TEXTS("mcp.state.unapproved"), "notes-server --all"]
    assert hint == TEXTS("console.mcp_what")


async def test_the_state_of_servers_that_run_is_told(desk: Desk) -> None:
    ready = McpServerState(name="notes", status=McpStatus.READY, tools=3, waiting=("new",), left_out=("odd",))
    stopped = McpServerState(name="other", status=McpStatus.STOPPED, reason=SERVER_ENDED)
    desk.lists(NOTES, states=(ready, stopped))
    *_, first, second, _ = await desk.lines("/mcp")
    assert all(word in first for word in ("3 tools", "new", "odd"))
    assert "has ended by itself" in second


@pytest.mark.parametrize(
    ("reason", "words"),
    [
        (SERVER_ENDED, "끝났어요"),
        (f"{SENT_TOO_MUCH} a message of more than 3000 objects", "너무 많은"),
        ("Other\n words", "Other"),
    ],
)
def test_why_a_server_failed_is_told_in_the_users_language(reason: str, words: str) -> None:
    state = McpServerState(name="notes", status=McpStatus.FAILED, reason=reason)
    assert words in server_words(state, load_texts("ko"))


async def test_a_server_is_approved_only_after_it_was_shown_exactly_so(desk: Desk) -> None:
    shown = McpApproval(server="notes", lines=("command notes-server",), digest="1", given=False)
    changed = McpApproval(server="notes", lines=("command other-server",), digest="2", given=False)
    approvals = []
    for approval, line in (
        (shown, "/mcp approve notes yes"),
        (shown, "/mcp approve notes"),
        (changed, "/mcp approve notes yes"),
        (changed, "/mcp approve notes no"),
        (changed, "/mcp approve notes yes"),
    ):
        desk.replies[ShowMcpApproval] = approval
        lines = await desk.lines(line)
        approvals.append(lines[-1] == TEXTS("mcp.approved", name="notes"))
        assert approvals[-1] or lines == [*approval.lines, TEXTS("console.mcp_sure", name="notes")]
    assert approvals == [False, False, False, False, True]
    assert desk.connection.sent[-1] == ApproveMcpServer(server="notes", digest="2")


async def test_an_approved_server_is_only_shown(desk: Desk) -> None:
    desk.replies[ShowMcpApproval] = McpApproval(server="notes", lines=("command",), digest="1", given=True)
    assert await desk.lines("/mcp approve notes yes") == ["command", TEXTS("mcp.already_approved", name="notes")]


async def test_a_server_is_started_again_and_an_unknown_one_is_told(desk: Desk) -> None:
    assert await desk.lines("/mcp restart notes") == [TEXTS("notice.mcp_restarting", name="notes")]
    assert desk.connection.sent == [RestartMcpServer(server="notes")]
    refusal = Refusal(code=ErrorCode.INVALID_REQUEST, reason="mcp_unknown", message="There is no such server.")
    desk.replies[ShowMcpApproval] = refusal
    assert await desk.lines("/mcp approve nobody yes") == ["! There is no such server."]
    for nonsense in ("nonsense", "restart", "approve"):
        assert await desk.lines(f"/mcp {nonsense}") == [TEXTS("console.mcp_what")]


async def test_memories_are_listed_by_whose_they_are(desk: Desk) -> None:
    since = "2026-11-22"
    desk.replies[ListFacts] = (
        ListedFact(scope=Scope.PERSONAL, text="I like tea"),
        ListedFact(scope=Scope.AGENT, text="short answers", since=since),
        ListedFact(scope=Scope.PERSONAL, text="I live in Busan", since=since, source="m-1", unasked=True),
        ListedFact(scope=Scope.PERSONAL, text="I have a cat", since=since, source="m-2"),
    )
    assert await desk.lines("/memory") == [
        TEXTS("console.facts_personal"),
        "  - I like tea",
        f"  - I live in Busan  ({TEXTS('console.fact_unasked', date=since)})",
        f"  - I have a cat  ({TEXTS('console.fact_said', date=since)})",
        TEXTS("console.facts_agent"),
        f"  - short answers  ({TEXTS('console.fact_added', date=since)})",
        TEXTS("console.memory_what"),
    ]


async def test_an_empty_memory_says_so(desk: Desk) -> None:
    assert await desk.lines("/memory") == [TEXTS("console.no_facts"), TEXTS("console.memory_what")]
