"""The domain of files that come from a chat and are kept in a project, because the user says so (G-03)."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

from assistant.core.errors import ErrorCode, SoriError
from assistant.core.knowledge.files import Project
from assistant.core.messages import Attachment
from assistant.core.records.agents import AgentId
from assistant.core.service.requests.telegram.filing import FileIntoProject
from assistant.core.telegram.filing import FilingWish, filing_wish
from assistant.core.telegram.records import TelegramChat
from assistant.core.telegram.store import TelegramStore
from assistant.core.texts import Texts
from assistant.engine.project_of_turn import may_read
from assistant.engine.serving.table import Domain, serves
from assistant.knowledge.projects.projects import Projects
from assistant.storage.conversations import ConversationStore

_MESSAGES = 20
"""Newest messages of a conversation among which the file is looked for."""


@dataclass(frozen=True, slots=True)
class TelegramFiles(Domain):
    """Keeps files in projects of the chat's workspace.

    Attributes:
        store: has the chats.
        projects: has the projects.
        conversations: has the messages, and which project a conversation is about.
        texts: the user's words.
    """

    store: TelegramStore
    projects: Projects
    conversations: ConversationStore
    texts: Texts

    @serves(lane="telegram files")
    async def _file(self, request: FileIntoProject) -> str:
        """Keep the files.

        Raises:
            SoriError: the chat is not linked, or a file cannot be stored.
        """
        wish = filing_wish(request.text)
        if wish is None:
            return ""
        chat = await self.store.chat(request.chat)
        if chat is None:
            raise SoriError(ErrorCode.PERMISSION, "the chat is not linked", message_key="telegram_not_linked")
        agent = AgentId(workspace=chat.workspace, name=chat.agent)
        known = [each for each in await self.projects.all() if may_read(agent, each)]
        project = await self._meant(wish, known, chat)
        if project is None:
            return self._which(wish.words, known)
        files = request.files or await self._newest_files(chat)
        if not files:
            return self.texts("telegram.chat.no_file")
        for each in files:
            content = await asyncio.to_thread(each.read)
            await self.projects.add_bytes(project.id, each.name, content)
        names = ", ".join(each.name for each in files)
        return self.texts("telegram.chat.filed", project=project.name, files=names)

    async def _meant(self, wish: FilingWish, known: Sequence[Project], chat: TelegramChat) -> Project | None:
        """The project that is meant: the named one, else that of the conversation, else the only one."""
        name = wish.project(each.name for each in known)
        if name is None:
            return None
        if name:
            named = [each for each in known if each.name == name]
            return named[0] if len(named) == 1 else None
        chosen = await self.conversations.project_of(chat.conversation) if chat.conversation else ""
        found = next((each for each in known if each.id == chosen), None)
        return found or (known[0] if len(known) == 1 else None)

    def _which(self, name: str, known: Sequence[Project]) -> str:
        if not known:
            return self.texts("telegram.chat.no_projects")
        key = "unknown_project" if name else "which_project"
        return self.texts(f"telegram.chat.{key}", name=name, projects=", ".join(each.name for each in known))

    async def _newest_files(self, chat: TelegramChat) -> tuple[Attachment, ...]:
        if not chat.conversation:
            return ()
        newest = await self.conversations.messages(chat.conversation, _MESSAGES)
        return next((each.attachments for each in reversed(newest) if each.attachments), ())
