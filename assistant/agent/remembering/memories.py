"""The memories that a conversation may use: the user's, its workspace's and its agent's (M-05)."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from assistant.agent.workspaces.directory import Workspaces
from assistant.core.messages import Message
from assistant.core.records.agents import AgentId
from assistant.core.records.memory import Scope
from assistant.memory.facts import Fact
from assistant.memory.memory_file import MemoryFile, Noted
from assistant.memory.personal import PersonalMemory
from assistant.tools.calling import RunningCall


@dataclass(frozen=True, slots=True, kw_only=True)
class Memories:
    """Gives each conversation its memories and no others.

    Attributes:
        personal: the facts about the user.
        workspaces: has the other memories.
        agent_of: gives the agent to which a conversation belongs.
        newest_request: gives the newest message of the user in a conversation.
    """

    personal: PersonalMemory
    workspaces: Workspaces
    agent_of: Callable[[str], Awaitable[AgentId]]
    newest_request: Callable[[str], Awaitable[Message | None]]

    async def files(self, conversation: str) -> dict[Scope, MemoryFile]:
        """The memories of a conversation; only the user's for an empty id.

        Raises:
            StorageError: the conversation cannot be read, or a file is a link to another place.
        """
        files = {Scope.PERSONAL: self.personal.file}
        if conversation:
            agent = await self.agent_of(conversation)
            files[Scope.WORKSPACE] = self.workspaces.workspace_memory(agent.workspace)
            files[Scope.AGENT] = self.workspaces.agent_memory(agent)
        return files

    @property
    def enabled(self) -> bool:
        """Whether the settings let Sori use the memory."""
        return self.personal.enabled

    async def add(self, text: str, scope: str, call: RunningCall) -> Noted | None:
        """Add a fact for a tool call, unless it is known; ``None`` when its conversation has no such memory.

        Raises:
            StorageError: the file cannot be read or written; nothing has changed.
        """
        file = (await self.files(call.conversation)).get(Scope(scope))
        if file is None:
            return None
        said = await self.newest_request(call.conversation) if call.conversation else None
        return await file.add(text, source="" if said is None else said.id, outside=call.outside)

    async def remove(self, words: str, conversation: str) -> Sequence[Fact]:
        """Remove the facts that contain all these words from every memory of the conversation, and return them.

        Raises:
            StorageError: a file cannot be read or written.
        """
        files = await self.files(conversation)
        return [fact for file in files.values() for fact in await file.remove(words)]

    async def search(self, words: str, conversation: str) -> Sequence[Fact]:
        """The facts that contain all these words in every memory of the conversation and its archive.

        Raises:
            StorageError: a file cannot be read.
        """
        files = await self.files(conversation)
        return [fact for file in files.values() for fact in await file.search(words)]
