"""What the user writes, answers and wants of the shown conversation becomes requests."""

from dataclasses import replace
from functools import partial

from PySide6.QtCore import QObject, Signal

from assistant.core.machine.states import NO_TURN, InteractionState, TurnId
from assistant.core.messages import Attachment
from assistant.core.records.memory import MemoryChange
from assistant.core.service.request import Refusal
from assistant.core.service.requests.conversations import LoadMessages, MessagePage, NewConversation, RestoreMessages
from assistant.core.service.requests.memory import UndoMemory
from assistant.core.service.requests.timers import DismissTimers
from assistant.core.service.requests.turns import BeginTurn, GiveAnswer, QuestionShown, StopTurn
from assistant.core.service.requests.voice import Stop
from assistant.core.texts import Texts
from assistant.core.updates import Severity
from assistant.desktop.asking import WindowRequests
from assistant.desktop.chrome.notices import announce
from assistant.desktop.update_view import UpdateView
from assistant.desktop.window_parts import WindowParts

_INPUT = "input"
"""What notices of the typed text are about. They go when it is sent."""


class MessageSending(QObject):
    """Sends what is typed, and takes back what was refused.

    Args:
        parts: the parts of the window.
        ask: sends requests to the engine.
        view: what is shown.
        texts: the user's texts.
    """

    written = Signal()
    """The user goes on writing."""

    def __init__(
        self, parts: WindowParts, ask: WindowRequests, view: UpdateView, texts: Texts, parent: QObject
    ) -> None:
        super().__init__(parent)
        self._parts, self._ask, self._view, self._texts = parts, ask, view, texts
        composer, conversation, empty = parts.composer, parts.conversation, parts.empty
        self.written.connect(composer.input.setFocus)
        composer.submitted.connect(self.submit)
        composer.refused.connect(lambda words: parts.notices.post(words, Severity.WARNING, about=f"{_INPUT}: {words}"))
        composer.stop_wanted.connect(self.stop)
        composer.input.page_wanted.connect(conversation.scroll_page)
        conversation.rest_wanted.connect(lambda: self.submit(texts("desktop.failure.continue")))
        conversation.refused.connect(self._take_back)
        conversation.take_back_wanted.connect(lambda turn: ask(StopTurn(turn=turn)))
        conversation.answer_chosen.connect(self._answer)
        conversation.question_seen.connect(lambda turn, asked: ask(QuestionShown(turn=turn, question=asked)))
        conversation.question_held.connect(
            lambda turn, asked, held: ask(QuestionShown(turn=turn, question=asked, held=held))
        )
        conversation.file_told.connect(lambda words: parts.notices.post(words, Severity.INFO))
        conversation.told.connect(lambda text: announce(conversation, text))
        conversation.answered.connect(lambda text: announce(conversation, text))
        conversation.earlier_wanted.connect(self._load_earlier)
        empty.chosen.connect(self.submit)
        empty.begun.connect(composer.begin)
        empty.files_wanted.connect(self._choose_files)
        parts.drafting.failed.connect(self._drafts_unkept)
        parts.side.restore_wanted.connect(parts.drafting.restore)
        parts.undo.undo_wanted.connect(lambda deletion: ask(RestoreMessages(deletion=deletion)))
        parts.notices.undo_wanted.connect(self._undo_memory)
        parts.beside.submitted.connect(self.submit)
        parts.flow.said.connect(self.submit)
        parts.beside.stop_wanted.connect(lambda: ask(Stop()))
        parts.strip.new.clicked.connect(lambda: ask(NewConversation()))
        parts.menu.new_wanted.connect(lambda: ask(NewConversation()))
        parts.menu.stop_wanted.connect(self.stop)
        parts.menu.attach_wanted.connect(composer.choose_files)

    def submit(self, text: str, attachments: tuple[Attachment, ...] = ()) -> None:
        """Send a message in the shown conversation."""
        if self._view.stopped:
            self._take_back(NO_TURN, text, attachments, self._texts("desktop.notice.not_sent"))
        else:
            turn, shown = self._ask.new_turn(), self._view.conversation
            self._parts.centre.step_aside()
            self._parts.conversation.send(turn, text, attachments)
            self._parts.notices.settle(_INPUT)
            self._parts.drafting.sent(turn, text)
            request = BeginTurn(turn=turn, conversation=shown, text=text, attachments=attachments)
            if shown:
                self._ask(request, otherwise=partial(self._refuse, turn))
            else:
                self._view.when_shown(
                    lambda first: self._ask(replace(request, conversation=first), otherwise=partial(self._refuse, turn))
                )
        self.written.emit()

    def stop(self) -> None:
        """Stop what rings, else what goes on; when nothing does, put away what lies over the conversation."""
        drawer = self._parts.drawer
        if self._parts.timers.ringing:
            self._ask(DismissTimers())
        elif self._view.background_turn != NO_TURN:
            self._ask(StopTurn(turn=self._view.background_turn))
        elif self._view.snapshot.interaction is not InteractionState.IDLE:
            self._ask(Stop())
        else:
            self._parts.browsing.put_away()
        if not (drawer.is_open and drawer.over):  # What is typed beneath a side bar is not seen.
            self.written.emit()

    def _answer(self, turn: TurnId, question: str, choice: str, text: str) -> None:
        self._ask(GiveAnswer(turn=turn, question=question, choice=choice, text=text))
        self.written.emit()

    def _choose_files(self, words: str) -> None:
        """Let the user choose files to be sent with these words."""
        self._parts.composer.begin(words)
        self._parts.composer.choose_files()

    def _refuse(self, turn: TurnId, refusal: Refusal) -> None:
        self._parts.conversation.refuse(turn, refusal.message)

    def _take_back(self, turn: TurnId, text: str, attachments: tuple[Attachment, ...], reason: str) -> None:
        """What was not taken is back where it was typed."""
        self._parts.drafting.give_back(turn, text, attachments)
        if reason:
            self._parts.notices.post(reason, Severity.WARNING, about=_INPUT)

    def _drafts_unkept(self, reason: str) -> None:
        words = self._texts("desktop.notice.drafts_unkept")
        self._parts.notices.post(words, Severity.WARNING, about="drafts", detail=reason)

    def _load_earlier(self, before: str) -> None:
        conversation = self._view.conversation

        def show(page: MessagePage) -> None:
            if conversation == self._view.conversation:
                self._parts.conversation.show_earlier(page.messages, more=page.more)

        self._ask(LoadMessages(conversation=conversation, before=before), show)

    def _undo_memory(self, change: str) -> None:
        def tell(undone: MemoryChange | None) -> None:
            key = "memory.nothing_to_undo" if undone is None else "memory.undone"
            fact = "" if undone is None else undone.text
            self._parts.notices.post(self._texts(key, fact=fact), Severity.INFO)

        self._ask(UndoMemory(change=change), tell)
