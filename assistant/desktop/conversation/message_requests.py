"""What the user wants of a message becomes requests: answer again, edit, branch, delete, read aloud (T-08)."""

from collections.abc import Callable
from functools import partial
from typing import Protocol

from PySide6.QtCore import QObject, Signal

from assistant.core.knowledge.files import Project
from assistant.core.knowledge.passages import Citation
from assistant.core.service.request import Refusal
from assistant.core.service.requests.conversations import (
    BranchConversation,
    DeleteMessage,
    LoadMessages,
    MessagePage,
    ShowVersion,
)
from assistant.core.service.requests.projects import KeepPage, ListProjects, ShowFile
from assistant.core.service.requests.turns import AnswerAgain, EditMessage
from assistant.core.service.requests.voice import ReadAloud
from assistant.core.texts import Texts
from assistant.desktop.asking import WindowRequests
from assistant.desktop.conversation.conversation import SENDING, MessageList
from assistant.desktop.conversation.message_rows import MessageAction, MessageRow, UserRow
from assistant.desktop.conversation.source_reader import SourceReader


class ShownConversation(Protocol):
    """The conversation that the window shows."""

    @property
    def conversation(self) -> str:
        """Its id; empty before the first one."""
        ...

    @property
    def stopped(self) -> bool:
        """Whether the engine has ended."""
        ...

    def when_shown(self, action: Callable[[str], object]) -> None:
        """Do something with its id, as soon as there is one."""
        ...


class MessageRequests(QObject):
    """Sends the requests for the messages of a list.

    Args:
        messages: the list.
        ask: sends requests.
        shown: the conversation whose messages they are.
        tell: takes the words of a refusal.
        texts: the user's texts.
    """

    sent = Signal()
    """A request for an answer was sent; the user goes on writing."""

    def __init__(
        self,
        messages: MessageList,
        ask: WindowRequests,
        shown: ShownConversation,
        tell: Callable[[str], object],
        texts: Texts,
    ) -> None:
        super().__init__(messages)
        self._messages, self._ask, self._shown, self._tell, self._texts = messages, ask, shown, tell, texts
        messages.retry_wanted.connect(self._answer_again)
        messages.action_wanted.connect(self._act)
        messages.edited.connect(self._edit)
        messages.version_wanted.connect(
            lambda version: ask(ShowVersion(conversation=shown.conversation, message=version))
        )
        messages.ended.connect(self._learn_ids)
        messages.source_wanted.connect(self._show_source)

    def _show_source(self, citation: Citation) -> None:
        """Show a cited passage: in its file, or as it was sent where there is no file any more."""
        window = self._messages.window()
        reader = SourceReader(self._texts, citation, window)
        reader.show()
        within = self._ask.within(reader)

        def keep(project: Project) -> None:
            wanted = KeepPage(project=project.id, url=citation.url)
            within(
                wanted, lambda _: reader.show_kept(project.name), lambda refused: reader.show_refused(refused.message)
            )

        reader.keep_wanted.connect(lambda: within(ListProjects(), lambda found: reader.offer_projects(found, keep)))
        if citation.file:
            within(ShowFile(file=citation.file), reader.show_file, lambda _: reader.show_gone())

    def _act(self, row: MessageRow, action: str) -> None:
        match action:
            case MessageAction.EDIT if isinstance(row, UserRow):
                row.edit()
            case MessageAction.BRANCH:
                self._ask(BranchConversation(conversation=self._shown.conversation, message=row.message_id))
            case MessageAction.ALOUD:
                self._ask(ReadAloud(text=row.chosen or row.text))
            case MessageAction.DELETE | MessageAction.DELETE_AFTER:
                self._messages.stay_before(row)
                after = action == MessageAction.DELETE_AFTER
                self._ask(DeleteMessage(conversation=self._shown.conversation, message=row.message_id, after=after))
            case MessageAction.TRACE:
                self._messages.page_wanted.emit("traces", row.turn)

    def _answer_again(self, model: str, message: str) -> None:
        if self._shown.stopped:
            return  # A notice has said so, and that Sori is to be started again.
        self._messages.retry()
        turn = self._ask.new_turn()
        self._shown.when_shown(
            lambda shown: self._ask(AnswerAgain(turn=turn, conversation=shown, model=model, message=message))
        )
        self.sent.emit()

    def _edit(self, row: UserRow, text: str) -> None:
        turn, former = self._ask.new_turn(), row.text
        request = EditMessage(turn=turn, conversation=self._shown.conversation, message=row.message_id, text=text)
        row.show_text(text)
        row.mark(SENDING)
        self._ask(request, otherwise=partial(self._give_back, row, former, text))
        self.sent.emit()

    def _give_back(self, row: UserRow, former: str, text: str, refusal: Refusal) -> None:
        """Show the former message again, and what the user wrote in its place."""
        self._tell(refusal.message)
        if row in self._messages.rows:
            row.show_text(former)
            row.mark("")
            row.edit(text)

    def _learn_ids(self) -> None:
        """Learn the ids of the messages of a turn that has ended."""
        conversation = self._shown.conversation

        def know(page: MessagePage) -> None:
            if conversation == self._shown.conversation:
                self._messages.know(page.messages)

        self._ask(LoadMessages(conversation=conversation), know, _without_ids)


def _without_ids(_: Refusal) -> None:
    """The newest answer has fewer actions until the conversation is opened again."""
