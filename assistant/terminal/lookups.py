"""The commands that list what there is: tools, MCP servers, agents, workspaces and memories."""

from collections.abc import Sequence

from assistant.core.display.escaping import visible
from assistant.core.display.table import aligned
from assistant.core.display.words import server_reason, tool_name
from assistant.core.records.mcp import McpApproval, McpServerState
from assistant.core.records.memory import ListedFact, Scope
from assistant.core.records.tools import ListedTool
from assistant.core.service.request import RefusedError
from assistant.core.service.requests.agents import ListTools, ListWorkspaces
from assistant.core.service.requests.mcp import ApproveMcpServer, ListMcpServers, RestartMcpServer, ShowMcpApproval
from assistant.core.service.requests.memory import ListFacts
from assistant.core.texts import Texts
from assistant.terminal.asking import TerminalRequests, words_of
from assistant.terminal.screen import Screen

NAMES = frozenset({"/tools", "/agent", "/workspace", "/memory", "/mcp"})
"""Commands that list when nothing follows them."""


class Lookups:
    """Lists what there is, and approves MCP servers.

    Args:
        asking: sends requests to the engine.
        screen: shows the lists.
        texts: the user's texts.
    """

    def __init__(self, asking: TerminalRequests, screen: Screen, texts: Texts) -> None:
        self._asking, self._screen, self._texts = asking, screen, texts
        self._shown: dict[str, McpApproval] = {}

    async def obey(self, name: str, argument: str = "") -> None:
        """Execute a command of ``NAMES``; what follows ``/mcp`` changes a server. A refusal is shown."""
        try:
            lines = await self._server(argument) if argument else await self._lines(name)
        except RefusedError as error:
            lines = [words_of(error.refusal)]
        for line in lines:
            self._screen.say(line)

    async def _lines(self, name: str) -> list[str]:
        match name:
            case "/tools":
                tools = await self._asking.result(ListTools(conversation=self._screen.conversation))
                return tool_lines(tools, self._texts)
            case "/agent":
                return await self._agents()
            case "/mcp":
                return await self._servers()
            case "/workspace":
                return await self._workspaces()
            case _:
                return await self._memories()

    async def _agents(self) -> list[str]:
        rows = [
            ("*" if agent.current else " ", agent.id.name, agent.title, workspace.title)
            for workspace in await self._asking.result(ListWorkspaces())
            for agent in workspace.agents
        ]
        return [*aligned(rows), self._texts("console.agent_what")]

    async def _workspaces(self) -> list[str]:
        workspaces = await self._asking.result(ListWorkspaces())
        rows = [("*" if each.current else " ", each.name, each.title) for each in workspaces]
        return [*aligned(rows), self._texts("console.workspace_what")]

    async def _servers(self) -> list[str]:
        listing = await self._asking.result(ListMcpServers())
        if not listing.configured:
            return [self._texts("mcp.none", path=listing.path)]
        rows = [[self._texts(f"mcp.column.{column}") for column in ("name", "state", "what")]]
        rows += [[each.name, self._texts(f"mcp.state.{each.permission}"), each.what] for each in listing.configured]
        states = [f"  {each.name}: {server_words(each, self._texts)}" for each in listing.states]
        return [*aligned(rows), *states, self._texts("console.mcp_what")]

    async def _server(self, argument: str) -> list[str]:
        """Execute ``/mcp restart NAME`` or ``/mcp approve NAME``.

        It approves only what it has shown before, and only if ``yes`` follows the name.
        """
        action, _, rest = argument.partition(" ")
        name, _, sure = rest.strip().partition(" ")
        if not name or action not in {"restart", "approve"}:
            return [self._texts("console.mcp_what")]
        if action == "restart":
            await self._asking.result(RestartMcpServer(server=name))
            return [self._texts("notice.mcp_restarting", name=name)]
        approval, shown = await self._asking.result(ShowMcpApproval(server=name)), self._shown.pop(name, None)
        if approval.given:
            return [*approval.lines, self._texts("mcp.already_approved", name=name)]
        if sure.strip() != "yes" or approval != shown:
            self._shown[name] = approval
            return [*approval.lines, self._texts("console.mcp_sure", name=name)]
        await self._asking.result(ApproveMcpServer(server=name, digest=approval.digest))
        return [self._texts("mcp.approved", name=name)]

    async def _memories(self) -> list[str]:
        facts = await self._asking.result(ListFacts())
        lines: list[str] = []
        for scope in Scope:
            if told := [each for each in facts if each.scope is scope]:
                lines.append(self._texts(f"console.facts_{scope}"))
                lines += [f"  - {each.text}{self._source(each)}" for each in told]
        return [*(lines or [self._texts("console.no_facts")]), self._texts("console.memory_what")]

    def _source(self, fact: ListedFact) -> str:
        """Where a fact comes from: what Sori noted by itself, what the user asked for, or the user's own hand."""
        if not fact.since:
            return ""
        key = "unasked" if fact.unasked else "said" if fact.source else "added"
        return f"  ({self._texts(f'console.fact_{key}', date=fact.since)})"


def server_words(state: McpServerState, texts: Texts) -> str:
    """The state of an MCP server in words. Pure."""
    words = texts(
        f"mcp.status.{state.status}", count=state.tools, reason=_in_one_line(server_reason(texts, state.reason))
    )
    if state.waiting:
        words = (
            f"{words}; {texts('mcp.tools_wait', tools=', '.join(map(_in_one_line, state.waiting)), name=state.name)}"
        )
    if state.left_out:
        words = f"{words}; {texts('mcp.tools_left_out', tools=', '.join(map(_in_one_line, state.left_out)))}"
    return words


def _in_one_line(text: str) -> str:
    return visible(text, one_line=True)


def tool_lines(tools: Sequence[ListedTool], texts: Texts) -> list[str]:
    """One line for each tool that can be used: name, what it does, category, whether it asks, is enabled. Pure."""
    rows = [
        (
            each.name,
            tool_name(texts, each.name),
            texts(f"console.category.{each.category}"),
            texts("console.tool_asks" if each.asks else "console.tool_runs"),
            texts("console.tool_told" if each.told else "console.tool_findable"),
        )
        for each in tools
        if each.offered
    ]
    others = [each.name for each in tools if not each.offered]
    lines = aligned(rows) if rows else [texts("console.no_tools")]
    return [*lines, texts("console.not_offered", names=", ".join(others))] if others else lines
