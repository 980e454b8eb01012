"""The commands that list what there is: tools, MCP servers, agents, workspaces and memories."""

from collections.abc import Sequence

from assistant.agent.workspaces.current import CurrentAgent
from assistant.agent.workspaces.directory import Workspaces
from assistant.app.cli.mcp.rows import server_rows
from assistant.app.cli.mcp.servers import ApprovalScope, Servers
from assistant.app.cli.table import aligned
from assistant.app.terminal.mailbox import Mailbox
from assistant.app.terminal.screen import Screen
from assistant.core import controls as ct
from assistant.core import updates as up
from assistant.core.errors import SoriError
from assistant.core.records.mcp import McpServerState
from assistant.core.records.tools import ListedTool
from assistant.core.texts import Texts
from assistant.desktop.kit.words import tool_name
from assistant.host.places import Places
from assistant.memory.facts import Fact
from assistant.memory.memory_file import MemoryFile
from assistant.tools.mcp.approvals import Approvals
from assistant.tools.mcp.mcp_json import McpFile
from assistant.tools.mcp.running.limits import ENDED, TOO_MUCH
from assistant.tools.mcp.showing import in_one_line

NAMES = frozenset({"/tools", "/agent", "/workspace", "/memory", "/mcp"})
"""Commands that list when nothing follows them."""


class Lookups:
    """Lists what there is.

    Args:
        mail: sends requests to the engine and waits for the replies.
        screen: shows the lists.
        texts: the user's texts.
        workspaces: has the agents and the shared memories.
        current: the agent of new conversations.
        personal: the facts about the user.
        places: the user's files.
    """

    def __init__(
        self,
        mail: Mailbox,
        screen: Screen,
        texts: Texts,
        workspaces: Workspaces,
        current: CurrentAgent,
        personal: MemoryFile,
        places: Places,
    ) -> None:
        self._mail, self._screen, self._texts = mail, screen, texts
        self._workspaces, self._current, self._personal, self._places = workspaces, current, personal, places
        self._offers: dict[str, ApprovalScope] = {}

    async def obey(self, name: str) -> None:
        """Execute a command of ``NAMES``; an error is shown."""
        try:
            lines = await self._lines(name)
        except SoriError as error:
            lines = [f"! {self._texts(error.message_key, **error.values)}"]
        for line in lines:
            self._screen.say(line)

    def obey_server(self, argument: str) -> None:
        """Execute ``/mcp approve NAME`` or ``/mcp restart NAME``; an error is shown."""
        action, _, name = argument.partition(" ")
        if action == "restart" and name.strip():
            self._mail.send(ct.RestartMcpServer(server=name.strip()))
            return
        try:
            lines = self.server(argument) if action == "approve" and name.strip() else [self._texts("console.mcp_what")]
        except SoriError as error:
            lines = [f"! {self._texts(error.message_key, **error.values)}"]
        for line in lines:
            self._screen.say(line)

    async def _lines(self, name: str) -> list[str]:
        match name:
            case "/tools":
                listed = await self._mail.request(ct.ListTools(), up.ToolsListed)
                return tool_lines(listed.tools, self._texts)
            case "/agent":
                return self._agents()
            case "/mcp":
                return await self._servers()
            case "/workspace":
                return self._all_workspaces()
            case _:
                return await self._memories()

    def _agents(self) -> list[str]:
        current = self._current.get()
        rows = [
            ("*" if agent.id == current else " ", agent.id.name, agent.title, workspace.title)
            for workspace in self._workspaces.workspaces()
            for agent in self._workspaces.agents(workspace.name)
        ]
        return [*aligned(rows), self._texts("console.agent_what")]

    def _all_workspaces(self) -> list[str]:
        current = self._current.get().workspace
        workspaces = self._workspaces.workspaces()
        rows = [("*" if each.name == current else " ", each.name, each.title) for each in workspaces]
        return [*aligned(rows), self._texts("console.workspace_what")]

    async def _servers(self) -> list[str]:
        file, approvals = McpFile(self._places.mcp_servers), Approvals(self._places.mcp_approvals)
        entries = file.read().entries
        if not entries:
            return [self._texts("mcp.none", path=file.path)]
        listed = await self._mail.request(ct.ListMcpServers(), up.McpServersListed)
        states = [f"  {each.name}: {server_words(each, self._texts)}" for each in listed.servers]
        return [*aligned(server_rows(entries, approvals, self._texts)), *states, self._texts("console.mcp_what")]

    def server(self, line: str) -> list[str]:
        """Execute ``/mcp approve NAME``; returns the lines to show.

        It approves only what it has shown before, and only if ``yes`` follows the name.

        Raises:
            SoriError: there is no such server.
            StorageError: the approval cannot be written.
        """
        name, _, sure = line.removeprefix("approve").strip().partition(" ")
        approvals = Approvals(self._places.mcp_approvals)
        servers = Servers(McpFile(self._places.mcp_servers), approvals, self._texts)
        entry = servers.find(name)
        offer, shown = servers.offer(entry), self._offers.pop(name, None)
        if approvals.approved(entry) and not offer.waiting:
            return [*servers.shown(offer), self._texts("mcp.already_approved", name=name)]
        if sure.strip() != "yes" or offer != shown:
            self._offers[name] = offer
            return [*servers.shown(offer), self._texts("console.mcp_sure", name=name)]
        servers.approve(offer)
        return [self._texts("mcp.approved", name=name)]

    async def _memories(self) -> list[str]:
        agent = self._current.get()
        lines: list[str] = []
        for scope, file in (
            ("personal", self._personal),
            ("workspace", self._workspaces.workspace_memory(agent.workspace)),
            ("agent", self._workspaces.agent_memory(agent)),
        ):
            if facts := await file.facts():
                lines += [
                    self._texts(f"console.facts_{scope}"),
                    *(f"  - {each.text}{self._source(each)}" for each in facts),
                ]
        return [*(lines or [self._texts("console.no_facts")]), self._texts("console.memory_what")]

    def _source(self, fact: Fact) -> str:
        """Where a fact comes from: what Sori noted by itself, what the user asked for, or the user's own hand."""
        if not fact.since:
            return ""
        key = "unasked" if fact.unasked else "said" if fact.source else "added"
        return f"  ({self._texts(f'console.fact_{key}', date=fact.since)})"


def server_words(state: McpServerState, texts: Texts) -> str:
    """The state of an MCP server in words. Pure."""
    words = texts(f"mcp.status.{state.status}", count=state.tools, reason=_reason_words(state.reason, texts))
    if state.waiting:
        words = f"{words}; {texts('mcp.tools_wait', tools=', '.join(map(in_one_line, state.waiting)), name=state.name)}"
    if state.left_out:
        words = f"{words}; {texts('mcp.tools_left_out', tools=', '.join(map(in_one_line, state.left_out)))}"
    return words


def _reason_words(reason: str, texts: Texts) -> str:
    """Why a server failed; reasons that others have worded stay as they are."""
    if reason == ENDED:
        return texts("mcp.reason.ended")
    return texts("mcp.reason.too_much") if reason.startswith(TOO_MUCH) else in_one_line(reason)


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
