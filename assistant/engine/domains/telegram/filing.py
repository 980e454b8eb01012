"""The domain of files that come from a chat and are kept in a project, because the user says so (G-03)."""

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass

from assistant.chat.board import TurnBoard
from assistant.chat.turn_request import TurnRequest
from assistant.core.errors import ErrorCode, SoriError
from assistant.core.knowledge.files import FileState, KnownFile, Project
from assistant.core.machine.effects import Origin
from assistant.core.messages import Attachment
from assistant.core.records.agents import AgentId
from assistant.core.service.grant import TELEGRAM
from assistant.core.service.requests.telegram.filing import FileIntoProject
from assistant.core.telegram.filing import FilingWish, filing_wish
from assistant.core.telegram.records import TelegramChat
from assistant.core.telegram.store import TelegramStore
from assistant.core.texts import Texts
from assistant.engine.project_of_turn import may_read
from assistant.engine.serving.table import Domain, serves
from assistant.knowledge.projects.projects import Projects
from assistant.storage.conversations import ConversationStore

_READ_S = 5.0
"""Seconds within which it is told that a file cannot be read; the project's page tells it at any time."""
_MESSAGES = 20
"""Newest messages of a conversation among which the file is looked for."""


@dataclass(frozen=True, slots=True)
class TelegramFiles(Domain):
    """Keeps files in projects of the chat's workspace.

    Attributes:
        store: has the chats.
        projects: has the projects.
        conversations: has the messages, and which project a conversation is about.
        board: owns the turns.
        texts: the user's words.
    """

    store: TelegramStore
    projects: Projects
    conversations: ConversationStore
    board: TurnBoard
    texts: Texts

    @serves(lane="telegram files")
    async def _file(self, request: FileIntoProject) -> bool:
        """Keep the files, and let the conversation show what came of it.

        Raises:
            SoriError: the chat is not linked, or a file cannot be stored.
        """
        wish = filing_wish(request.text)
        if wish is None:
            return False
        chat = await self.store.chat(request.chat)
        if chat is None:
            raise SoriError(ErrorCode.PERMISSION, "the chat is not linked", message_key="telegram_not_linked")
        self.board.begin(
            TurnRequest(
                turn=request.turn,
                conversation=request.conversation,
                text=request.text,
                attachments=request.files,
                origin=Origin.TEXT,
                grant=TELEGRAM,
                reply=await self._done(wish, request, chat),
            )
        )
        return True

    async def _done(self, wish: FilingWish, request: FileIntoProject, chat: TelegramChat) -> str:
        agent = AgentId(workspace=chat.workspace, name=chat.agent)
        known = [each for each in await self.projects.all() if may_read(agent, each)]
        project = await self._meant(wish, known, request.conversation)
        if project is None:
            return self._which(wish.words, known)
        files = request.files or await self._newest_files(request.conversation)
        if not files:
            return self.texts("telegram.chat.no_file")
        kept = [
            await self.projects.add_bytes(project.id, each.name, await asyncio.to_thread(each.read)) for each in files
        ]
        names = ", ".join(each.name for each in files)
        filed = self.texts("telegram.chat.filed", project=project.name, files=names)
        return "\n".join((filed, *await self._unread(kept)))

    async def _unread(self, kept: Sequence[KnownFile]) -> list[str]:
        """Which of the files cannot be read, and why, as far as that is known soon."""
        with suppress(TimeoutError):
            await asyncio.wait_for(self.projects.pipeline.done(), _READ_S)
        found = [await self.projects.file(each.id) for each in kept]
        return [
            self.texts(
                "telegram.chat.unread",
                file=each.name,
                why=self.texts(f"file_reason.{each.reason}", detail=each.detail),
            )
            for each in found
            if each.state in (FileState.FAILED, FileState.SKIPPED)
        ]

    async def _meant(self, wish: FilingWish, known: Sequence[Project], conversation: str) -> Project | None:
        """The project that is meant: the named one, else that of the conversation, else the only one."""
        name = wish.project(each.name for each in known)
        if name is None:
            return None
        if name:
            named = [each for each in known if each.name == name]
            return named[0] if len(named) == 1 else None
        chosen = await self.conversations.project_of(conversation)
        found = next((each for each in known if each.id == chosen), None)
        return found or (known[0] if len(known) == 1 else None)

    def _which(self, name: str, known: Sequence[Project]) -> str:
        if not known:
            return self.texts("telegram.chat.no_projects")
        key = "unknown_project" if name else "which_project"
        return self.texts(f"telegram.chat.{key}", name=name, projects=", ".join(each.name for each in known))

    async def _newest_files(self, conversation: str) -> tuple[Attachment, ...]:
        newest = await self.conversations.messages(conversation, _MESSAGES)
        return next((each.attachments for each in reversed(newest) if each.attachments), ())
