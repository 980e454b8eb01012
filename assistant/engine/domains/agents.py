"""The domain of agents: workspaces, agents and the tools of an agent."""

import asyncio

from assistant.core.records.agents import ListedAgent, ListedWorkspace
from assistant.core.records.tools import ListedTool
from assistant.core.service.requests import agents as rq
from assistant.engine.chat_wiring import Chat
from assistant.engine.serving.table import Asker, Handlers, InOrder


class Agents:
    """Owns the requests for agents.

    Args:
        chat: has the workspaces, the current agent and the tools.
    """

    def __init__(self, chat: Chat) -> None:
        self._chat = chat

    def handlers(self) -> Handlers:
        """The requests of this domain."""
        return {
            rq.ListWorkspaces: self.list,
            rq.SwitchAgent: InOrder(self.switch),
            rq.ListTools: self.tools,
        }

    async def list(self, _request: rq.ListWorkspaces, _: Asker) -> tuple[ListedWorkspace, ...]:
        """List workspaces and agents."""
        return await asyncio.to_thread(self._listed)

    async def switch(self, request: rq.SwitchAgent, _: Asker) -> str:
        """Make an agent, or the default agent of a workspace, the current one."""
        if request.agent:
            return await self._chat.agents.switch.to_agent(request.agent)
        return await self._chat.agents.switch.to_workspace(request.workspace)

    async def tools(self, request: rq.ListTools, _: Asker) -> tuple[ListedTool, ...]:
        """List the tools of a conversation's agent."""
        profile = await self._chat.agents.profiles.of_conversation(request.conversation)
        return tuple(self._chat.answers.answerer.tools_of(request.conversation, profile).listed())

    def _listed(self) -> tuple[ListedWorkspace, ...]:
        workspaces, current = self._chat.agents.workspaces, self._chat.storage.current.get()
        return tuple(
            ListedWorkspace(
                name=workspace.name,
                title=workspace.title,
                current=workspace.name == current.workspace,
                agents=tuple(
                    ListedAgent(id=agent.id, title=agent.title, current=agent.id == current)
                    for agent in workspaces.agents(workspace.name)
                ),
            )
            for workspace in workspaces.workspaces()
        )
