"""The domain of the memory: what Sori remembers, and undoing its changes."""

from assistant.core.records.memory import ListedFact, MemoryChange, Scope
from assistant.core.service.requests import memory as rq
from assistant.engine.chat_wiring import Chat
from assistant.engine.serving.table import Asker, Handlers, InOrder
from assistant.memory.memory_file import MemoryFile


class Memory:
    """Owns the requests for the memory.

    Args:
        chat: has the journal and the memories of workspaces and agents.
        personal: the facts about the user.
    """

    def __init__(self, chat: Chat, personal: MemoryFile) -> None:
        self._chat, self._personal = chat, personal

    def handlers(self) -> Handlers:
        """The requests of this domain."""
        return {rq.ListFacts: self.list, rq.UndoMemory: InOrder(self.undo, "memory")}

    async def list(self, _request: rq.ListFacts, _: Asker) -> tuple[ListedFact, ...]:
        """List what the current agent is told."""
        agent = self._chat.storage.current.get()
        files = (
            (Scope.PERSONAL, self._personal),
            (Scope.WORKSPACE, self._chat.agents.workspaces.workspace_memory(agent.workspace)),
            (Scope.AGENT, self._chat.agents.workspaces.agent_memory(agent)),
        )
        return tuple(
            [
                ListedFact(scope=scope, text=fact.text, since=fact.since, source=fact.source, unasked=fact.unasked)
                for scope, file in files
                for fact in await file.facts()
            ]
        )

    async def undo(self, request: rq.UndoMemory, _: Asker) -> MemoryChange | None:
        """Undo a change."""
        return await self._chat.agents.journal.undo(request.change)
