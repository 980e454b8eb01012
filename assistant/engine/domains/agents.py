"""The domain of agents: workspaces, agents and the tools of an agent."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from assistant.agent.workspaces.agent_file import AgentFile, EntryValue
from assistant.agent.workspaces.current import CurrentAgent
from assistant.agent.workspaces.directory import Agent, Workspace, Workspaces
from assistant.agent.workspaces.files import FileProblem
from assistant.chat.agents.switching import AgentSwitch
from assistant.core.errors import ErrorCode, SettingsError, SoriError
from assistant.core.records.agent_details import AgentDetails
from assistant.core.records.agents import AgentId, ListedAgent, ListedWorkspace
from assistant.core.records.tools import ListedTool
from assistant.core.service.requests import agents as rq
from assistant.core.texts import Texts
from assistant.engine.serving.table import SESSION, Domain, serves
from assistant.host.settings_file import settings_trouble

if TYPE_CHECKING:
    from assistant.engine.chat_wiring import Chat

T = TypeVar("T")

_LANE = "agents"


class Agents(Domain):
    """Owns the requests for workspaces and agents.

    Args:
        workspaces: has them.
        current: names the current agent.
        texts: the user's words.
        switch: makes another agent the current one.
        begin: begins a conversation with it; ``None`` where no conversation is open.
        changed: told when the files of agents were changed.
    """

    def __init__(
        self,
        workspaces: Workspaces,
        current: CurrentAgent,
        texts: Texts,
        *,
        switch: AgentSwitch,
        begin: Callable[[], Awaitable[object]] | None = None,
        changed: Callable[[], None] = lambda: None,
    ) -> None:
        self._workspaces, self._current, self._texts = workspaces, current, texts
        self._switch, self._begin, self._tell_changed = switch, begin, changed

    @serves()
    async def _list_workspaces(self, _: rq.ListWorkspaces) -> tuple[ListedWorkspace, ...]:
        return await asyncio.to_thread(lambda: tuple(map(self._listed, self._workspaces.workspaces())))

    @serves(lane=_LANE)
    async def _add_workspace(self, request: rq.AddWorkspace) -> ListedWorkspace:
        return await self._changed(lambda: self._listed(self._workspaces.add_workspace(request.name, request.title)))

    @serves(lane=_LANE)
    async def _remove_workspace(self, request: rq.RemoveWorkspace) -> ListedWorkspace:
        def remove() -> ListedWorkspace:
            gone = self._listed(self._workspaces.find_workspace(request.name))
            return replace(gone, folder=str(self._workspaces.remove_workspace(gone.name)))

        return await self._changed(remove)

    @serves(lane=_LANE)
    async def _rename_workspace(self, request: rq.RenameWorkspace) -> ListedWorkspace:
        def rename() -> ListedWorkspace:
            name = self._workspaces.find_workspace(request.name).name
            return self._listed(self._workspaces.rename_workspace(name, request.title))

        return await self._changed(rename)

    @serves(lane=_LANE)
    async def _restore_removed(self, request: rq.RestoreRemoved) -> None:
        await self._changed(lambda: self._workspaces.restore(Path(request.folder)))

    @serves(lane=SESSION)
    async def _switch_agent(self, request: rq.SwitchAgent) -> str:
        if request.agent:
            title = await self._switch.to_agent(request.agent, request.workspace, by_turn=False)
        else:
            title = await self._switch.to_workspace(request.workspace, by_turn=False)
        if self._begin is not None:
            await self._begin()
        return title

    @serves()
    async def _list_agents(self, request: rq.ListAgents) -> tuple[AgentDetails, ...]:
        return await asyncio.to_thread(
            lambda: tuple(map(self._details, self._workspaces.agents(self._workspace(request.workspace))))
        )

    @serves()
    async def _show_agent(self, request: rq.ShowAgent) -> AgentDetails:
        def show() -> AgentDetails:
            # It needs the sounds of common words, which a change does not.
            from assistant.engine.names.called_names import called_name

            agent = self._found(request.workspace, request.agent)
            called = called_name(self._workspaces, agent, self._workspaces.agents(agent.id.workspace))
            return replace(self._details(agent), called=called)

        return await asyncio.to_thread(show)

    @serves(lane=_LANE)
    async def _add_agent(self, request: rq.AddAgent) -> AgentDetails:
        def add() -> AgentDetails:
            wanted = AgentId(workspace=self._workspace(request.workspace), name=request.agent)
            entries = _values(request.entries)
            added = self._workspaces.add_agent(wanted, entries, persona=request.persona, prompt=request.prompt)
            return self._details(added)

        return await self._changed(add)

    @serves(lane=_LANE)
    async def _edit_agent(self, request: rq.EditAgent) -> AgentDetails:
        def edit() -> AgentDetails:
            agent, entries = self._found(request.workspace, request.agent), _values(request.entries)
            if "wake_phrase" in entries and agent.file.wake_spellings:
                # The spellings belong to the former phrase.
                entries.setdefault("wake_spellings", ())
            return self._details(
                self._workspaces.edit_agent(agent.id, entries, persona=request.persona, prompt=request.prompt)
            )

        return await self._changed(edit)

    @serves(lane=_LANE)
    async def _approve_agent(self, request: rq.ApproveAgent) -> AgentDetails:
        def approve() -> AgentDetails:
            agent = self._found(request.workspace, request.agent)
            if self._details(agent).words != request.words:
                raise SoriError(
                    ErrorCode.INVALID_REQUEST,
                    f"{agent.id} has other words now",
                    message_key="agent_changed",
                    values={"name": agent.title},
                )
            return self._details(self._workspaces.approve_agent(agent.id))

        return await self._changed(approve)

    @serves(lane=_LANE)
    async def _remove_agent(self, request: rq.RemoveAgent) -> AgentDetails:
        def remove() -> AgentDetails:
            gone = self._details(self._found(request.workspace, request.agent))
            return replace(gone, folder=str(self._workspaces.remove_agent(gone.id)))

        return await self._changed(remove)

    async def _changed(self, change: Callable[[], T]) -> T:
        """Change files, and tell of it.

        Raises:
            SoriError: a name or a value is not possible, taken or unknown.
            StorageError: a file cannot be written.
        """
        try:
            result = await asyncio.to_thread(change)
        except SettingsError as error:
            problem, remedy = settings_trouble(error, self._texts)
            values = {"problem": problem, "remedy": remedy}
            raise SoriError(
                ErrorCode.INVALID_REQUEST, error.detail, message_key="agent_value", values=values
            ) from error
        self._tell_changed()
        return result

    def _workspace(self, wanted: str) -> str:
        return self._workspaces.find_workspace(wanted).name if wanted else self._current.get().workspace

    def _found(self, workspace: str, agent: str) -> Agent:
        return self._workspaces.find_agent(self._workspace(workspace), agent)

    def _details(self, agent: Agent) -> AgentDetails:
        return AgentDetails(
            id=agent.id,
            title=agent.title,
            current=agent.id == self._current.get(),
            folder=str(agent.folder),
            entries={each.name: getattr(agent.file, each.name) for each in fields(AgentFile)},
            persona=agent.persona,
            prompt=agent.prompt,
            problems=tuple(map(self._trouble, agent.problems)),
        )

    def _listed(self, workspace: Workspace) -> ListedWorkspace:
        current = self._current.get()
        return ListedWorkspace(
            name=workspace.name,
            title=workspace.title,
            current=workspace.name == current.workspace,
            agents=tuple(
                ListedAgent(id=agent.id, title=agent.title, current=agent.id == current)
                for agent in self._workspaces.agents(workspace.name)
            ),
            folder=str(self._workspaces.folder / workspace.name),
            problems=tuple(map(self._trouble, workspace.problems)),
        )

    def _trouble(self, problem: FileProblem) -> str:
        trouble, remedy = settings_trouble(problem.error, self._texts)
        line = problem.error.line
        key = "notice.agent_file_line" if line else "notice.agent_file"
        return self._texts(key, path=str(problem.path), line=str(line), problem=trouble, remedy=remedy)


def _values(entries: Mapping[str, Any]) -> dict[str, EntryValue]:
    """Entries of ``agent.toml`` as a client sends them.

    Raises:
        SettingsError: one is neither a text nor a list of texts.
    """
    values: dict[str, EntryValue] = {}
    for name, each in entries.items():
        if isinstance(each, str):
            values[name] = each
        elif isinstance(each, list | tuple) and all(isinstance(one, str) for one in each):
            values[name] = tuple(each)
        else:
            raise SettingsError("agent_entry", name=name)
    return values


class AgentTools(Domain):
    """Owns the request for the tools of an agent.

    Args:
        chat: has the tools.
    """

    def __init__(self, chat: "Chat") -> None:
        self._chat = chat

    @serves()
    async def _list_tools(self, request: rq.ListTools) -> tuple[ListedTool, ...]:
        profile = await self._chat.agents.profiles.of_conversation(request.conversation)
        return tuple(self._chat.answers.answerer.tools_of(request.conversation, profile).listed())
