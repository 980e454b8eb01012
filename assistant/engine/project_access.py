"""The project of a conversation, for the tools of its agent."""

from collections.abc import Sequence
from dataclasses import dataclass

from assistant.agent.context.project_texts import ProjectTexts
from assistant.core.documents import Document
from assistant.core.errors import SoriError
from assistant.core.knowledge.files import FileState, KnownFile, Project
from assistant.core.knowledge.passages import Passage
from assistant.core.records.egress import DataClass
from assistant.engine.project_of_turn import ProjectsOfTurns, may_read
from assistant.knowledge.projects.projects import Projects
from assistant.storage.conversations import ConversationStore
from assistant.tools.tool import ToolError


@dataclass(frozen=True, slots=True)
class ConversationProjectAccess:
    """Implements ``ProjectAccess``: whether an agent may read a project is decided here, at each call."""

    projects: Projects
    conversations: ConversationStore

    async def found(self, conversation: str, question: str, most: int) -> Sequence[Document]:
        """Find the passages that match a question best."""
        agent = await self.conversations.agent_of(conversation)
        project = await self._project(conversation)
        texts: ProjectTexts | None = await ProjectsOfTurns(self.projects)(project.id, conversation, agent)
        return () if texts is None else await texts.found(question, most)

    async def files(self, conversation: str) -> Sequence[KnownFile]:
        """The files that can be read, by name."""
        project = await self._project(conversation)
        return [each for each in await self.projects.files(project.id, tuple(FileState)) if each.passages]

    async def passages(self, file: KnownFile) -> Sequence[Passage]:
        """All passages of one of these files."""
        return await self.projects.passages(file.id)

    async def keep(self, conversation: str, url: str, address_kind: DataClass) -> KnownFile:
        """Keep a page of the web."""
        project = await self._project(conversation)
        return await self.projects.keep_page(project.id, url, address_kind)

    async def _project(self, conversation: str) -> Project:
        chosen = await self.conversations.project_of(conversation) if conversation else ""
        try:
            project = await self.projects.find(chosen) if chosen else None
        except SoriError:
            project = None  # It was removed.
        if project is None or not may_read(await self.conversations.agent_of(conversation), project):
            raise ToolError("tool_reason.no_project")
        return project
