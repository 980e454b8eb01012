"""The project of a conversation, as its agent is sent it."""

import logging
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from assistant.agent.context.project_texts import ProjectSize, ProjectTexts
from assistant.core.documents import Document
from assistant.core.errors import StorageError
from assistant.core.knowledge.files import FileState, Project
from assistant.core.knowledge.passages import FoundPassage, joined
from assistant.core.records.agents import AgentId
from assistant.knowledge.projects.projects import Projects

_WITH_TEXT: Final = (FileState.READY, FileState.INDEXING, FileState.READING, FileState.STORED)
"""A file that has changed keeps its former text until the new one is read."""

log = logging.getLogger(__name__)


@dataclass(slots=True)
class ProjectsOfTurns:
    """Gives the project of a conversation to the agents of its workspace, and to no others."""

    projects: Projects
    _whole: set[str] = field(default_factory=set)
    """The conversations whose project was sent whole last."""

    async def __call__(self, project: str, conversation: str, agent: AgentId) -> ProjectTexts | None:
        """The project; ``None`` if it is gone or the agent may not read it."""
        try:
            found = [each for each in await self.projects.listed() if each.id == project and may_read(agent, each)]
        except StorageError as error:
            # An answer without the project is better than no answer.
            log.warning("the project of a conversation cannot be read: %s", error)
            return None
        return _ProjectOfTurn(self.projects, found[0], conversation, self._whole) if found else None


def document_of(found: FoundPassage) -> Document:
    """A passage that was found, as a model is sent it."""
    return Document(
        title=found.name,
        contents=found.passage.text,
        metadata=" > ".join(found.passage.headings),
        url=found.url,
        file=found.file,
        passage=found.passage.number,
        page=found.passage.page,
        nearness=found.nearness,
    )


def may_read(agent: AgentId, project: Project) -> bool:
    """Whether an agent may read a project: it belongs to the agent's workspace."""
    return agent.workspace == project.workspace


@dataclass(frozen=True, slots=True)
class _ProjectOfTurn:
    """Implements ``ProjectTexts``."""

    projects: Projects
    project: Project
    conversation: str
    was_whole: set[str]

    async def size(self) -> ProjectSize:
        files, tokens, characters = await self.projects.extent(self.project.id, _WITH_TEXT)
        return ProjectSize(files=files, tokens=tokens, characters=characters, waiting=self.project.waiting)

    async def whole(self) -> Sequence[Document]:
        files = [each for each in await self.projects.files(self.project.id, _WITH_TEXT) if each.passages]
        parts = [tuple(await self.projects.passages(each.id)) for each in files]
        return [
            Document(title=file.name, contents=joined(passages), url=file.url, file=file.id, parts=passages)
            for file, passages in zip(files, parts, strict=True)
        ]

    async def found(self, question: str, most: int) -> Sequence[Document]:
        found = await self.projects.search(question, (self.project.id,), limit=most)
        return [document_of(each) for each in found]

    def sent(self, *, whole: bool) -> bool:
        cut = not whole and self.conversation in self.was_whole
        (self.was_whole.add if whole else self.was_whole.discard)(self.conversation)
        return cut
