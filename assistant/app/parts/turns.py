"""Turns of a conversation, for one message and its answer."""

import asyncio
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path

from typing_extensions import override

from assistant.core.live_settings import LiveSettings
from assistant.core.messages import Message, Role
from assistant.core.records.mcp import McpStatus
from assistant.core.service.requests import turns as rq
from assistant.core.service.requests.models import CheckFiles, FileWarning
from assistant.core.settings import Settings
from assistant.core.texts import Texts
from assistant.core.updates import NoticePosted, Severity, Update
from assistant.engine.chat_wiring import Chat, build_chat
from assistant.engine.domains.projects import ConversationProjects
from assistant.engine.domains.stored.conversations import StoredConversations
from assistant.engine.domains.stored.file_warnings import file_warnings
from assistant.engine.domains.stored.files_for_messages import FilesForMessages
from assistant.engine.domains.turns import Turns
from assistant.engine.serving.hub import Hub
from assistant.engine.serving.table import SESSION, Asker, Handlers, serves
from assistant.tasks import show_failures
from assistant.tools.mcp.showing import in_one_line

_SERVERS_S = 5.0
"""Longest wait for the MCP servers, in seconds. An answer without their tools is better than none."""


@asynccontextmanager
async def turns_of_command(
    home: Path,
    settings: Settings,
    texts: Texts,
    hub: Hub,
    goes_on: Callable[[], bool],
    ensure: Callable[[], None] = lambda: None,
) -> AsyncIterator["_TurnsOfCommand"]:
    """Make what answers. Notices go to standard error.

    Args:
        home: the user's folder.
        settings: those of the settings file, as it was read.
        texts: the user's words.
        hub: takes the events.
        goes_on: tells whether a long conversation is summarised at the end, as between two turns in the window. A
            cancellation ends that.
        ensure: fetches the models that answer, before the first turn that needs one; called on a thread.

    Raises:
        SoriError: the database or the settings cannot be used.
    """

    def tell(update: Update) -> None:
        if isinstance(update, NoticePosted):
            print(texts(update.key, **update.values), file=sys.stderr, flush=True)
        hub.deliver(update)

    show_failures(lambda _: tell(NoticePosted(key="error.internal", severity=Severity.ERROR)))
    live = LiveSettings(settings, in_file=settings)
    chat = await build_chat(home, live, texts, tell)
    try:
        await chat.projects.read_here()
        yield _TurnsOfCommand(chat, live, texts, hub, ensure)
        if goes_on() and chat.answers.engine.summarises:
            print(texts("chat.summarising"), file=sys.stderr, flush=True)
            with suppress(asyncio.CancelledError):
                await chat.answers.engine.until_summarised()
    finally:
        await chat.close()


class _TurnsOfCommand(Turns):
    """Turns, and the conversations for them. Models and servers of tools are got for the first that needs a model."""

    def __init__(self, chat: Chat, live: LiveSettings, texts: Texts, hub: Hub, ensure: Callable[[], None]) -> None:
        answers, stored = chat.answers, chat.storage
        super().__init__(answers.board, None, live, hub, answers.answerer.exchange.tools.category_of)
        self._chat, self._texts, self._ensure = chat, texts, ensure
        self._projects = ConversationProjects(chat.projects, stored.conversations, hub.deliver)
        self._files = FilesForMessages(chat, hub.deliver)
        self._stored = StoredConversations(
            stored.database, stored.conversation_list, stored.conversations, chat.basis.clock, texts
        )

    @override
    def handlers(self) -> Handlers:
        return {
            **super().handlers(),
            **self._stored.handlers(),
            **self._projects.handlers(),
            **self._files.handlers(),
        }

    @serves()
    async def _check_files(self, request: CheckFiles) -> tuple[FileWarning | None, ...]:
        return await file_warnings(self._chat, request)

    @serves(lane=SESSION)
    @override
    async def _begin_turn(self, request: rq.BeginTurn | rq.AnswerAgain | rq.EditMessage, asker: Asker) -> rq.TurnBegun:
        turn = self._turn_of(request, asker)
        question = Message(role=Role.USER, text=turn.text, attachments=turn.attachments)
        if self._chat.answers.answerer.needs_model(turn, question):
            await asyncio.to_thread(self._ensure)
            if turn.options.tools:
                await self._start_servers()
        return await super()._begin_turn(request, asker)

    async def _start_servers(self) -> None:
        """Start the approved MCP servers, and tell which of them the answer has to do without."""
        for state in await self._chat.tools.mcp.start_and_wait(_SERVERS_S):
            if state.status is not McpStatus.STOPPED:  # Of that a notice has told.
                reason = in_one_line(state.reason) or self._texts("chat.server_starting")
                told = self._texts("chat.without_server", name=in_one_line(state.name), reason=reason)
                print(told, file=sys.stderr, flush=True)
