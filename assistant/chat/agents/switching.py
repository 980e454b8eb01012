"""Makes another agent or workspace the current one. A new conversation begins with it."""

import asyncio
from collections.abc import Callable
from functools import partial

from assistant.agent.workspaces.current import CurrentAgent
from assistant.agent.workspaces.directory import Agent, Workspace, Workspaces, missing_agent
from assistant.core.errors import SoriError
from assistant.core.listeners import Listeners
from assistant.core.records.agents import AgentId


class AgentSwitch:
    """Switches by name.

    Args:
        workspaces: has the agents.
        current: keeps the current one.

    Attributes:
        switched: told the new current agent when a turn has asked for it; whoever shows conversations begins a new one.
    """

    def __init__(self, workspaces: Workspaces, current: CurrentAgent) -> None:
        self._workspaces = workspaces
        self._current = current
        self.switched: Listeners[[AgentId], None] = Listeners()

    async def to_agent(self, wanted: str, workspace: str = "", *, by_turn: bool = True) -> str:
        """Switch to an agent and return its title.

        Args:
            wanted: the agent.
            workspace: its workspace; empty for the current one, else for any other that has such an agent.
            by_turn: whether a turn asks for it; else the caller begins the new conversation.

        Raises:
            SoriError: no agent has this name.
            StorageError: the choice cannot be saved.
        """
        agent = await asyncio.to_thread(self._agent, wanted, workspace)
        await self._switch(agent.id, by_turn=by_turn)
        return agent.title

    async def to_workspace(self, wanted: str, *, by_turn: bool = True) -> str:
        """Switch to the default agent of a workspace, as ``to_agent`` does; returns the workspace's title.

        Raises:
            SoriError: no workspace has this name.
            StorageError: the choice cannot be saved.
        """
        workspace = await asyncio.to_thread(self._workspaces.find_workspace, wanted)
        await self._switch(AgentId(workspace=workspace.name), by_turn=by_turn)
        return workspace.title

    async def choose(self, agent: AgentId) -> None:
        """Make an agent the current one; the caller begins a new conversation.

        Raises:
            StorageError: the choice cannot be saved.
        """
        await asyncio.to_thread(self._current.set, agent)

    def is_agent(self, name: str) -> bool:
        """Whether an agent has this name. Reads the folders."""
        return _exists(self._agent, name)

    def is_workspace(self, name: str) -> bool:
        """Whether a workspace has this name. Reads the folders."""
        return _exists(self._workspaces.find_workspace, name)

    def _agent(self, wanted: str, workspace: str = "") -> Agent:
        if workspace:
            return self._workspaces.find_agent(self._workspaces.find_workspace(workspace).name, wanted)
        present = self._current.get().workspace
        names = [each.name for each in self._workspaces.workspaces()]
        for workspace in sorted(names, key=lambda name: name != present):
            if _exists(partial(self._workspaces.find_agent, workspace), wanted):
                return self._workspaces.find_agent(workspace, wanted)
        known = [each.title for workspace in names for each in self._workspaces.agents(workspace)]
        raise missing_agent(wanted, tuple(dict.fromkeys(known)))

    async def _switch(self, agent: AgentId, *, by_turn: bool) -> None:
        await self.choose(agent)
        if by_turn:
            self.switched.tell(agent)


def _exists(find: Callable[[str], Agent | Workspace], name: str) -> bool:
    try:
        find(name)
    except SoriError:
        return False
    return True
