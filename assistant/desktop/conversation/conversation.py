"""The conversation: messages, answers, and the running turn."""

from collections.abc import Mapping
from functools import partial

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget
from typing_extensions import override

from assistant.core.display.words import error_words, stored_offers
from assistant.core.machine.states import InteractionState, ProcessingState, Snapshot, TurnId
from assistant.core.messages import Attachment, Completion, Message, Role
from assistant.core.packets import WAITS, WERE_THOUGHTS, Ask, Done, Failure, Packet, Status
from assistant.core.texts import Texts
from assistant.desktop.conversation.answer_row import AnswerRow
from assistant.desktop.conversation.far_rows import FarRowList
from assistant.desktop.conversation.message_rows import MessageRow, UserRow
from assistant.desktop.conversation.row_list import ABOVE_PX
from assistant.desktop.conversation.status_notes import LASTING
from assistant.desktop.conversation.stored_rows import StoredRow, stored_rows
from assistant.desktop.kit.icons import Icons
from assistant.desktop.kit.message_text import MessageText
from assistant.desktop.kit.theme import Theme

_SHOWN_HERE = frozenset({"retrying", "asked_again", WERE_THOUGHTS, *LASTING})
"""Statuses that belong to an answer; the status strip shows the others."""


SENDING = "desktop.conversation.sending"
"""Key of the mark of a message that is being sent."""

_AT_ONCE = 12
"""Rows that have widgets at once when a conversation is opened."""


class MessageList(FarRowList):
    """Shows messages and the running turn.

    Args:
        texts: the user's texts.
        icons: source of the icons.
        theme: colours.
    """

    rest_wanted = Signal()
    retry_wanted = Signal(str, str)
    """The user wants another answer: from the model with this reference, or from the conversation's if it is empty; and
    in place of the answer with this message, or of the newest one if it is empty."""
    action_wanted = Signal(MessageRow, str)
    """The user wants this ``MessageAction`` of a message."""
    file_told = Signal(str)
    """What became of a file that the user wanted to save."""
    version_wanted = Signal(str)
    """The user wants to see the version of a message with this id."""
    edited = Signal(UserRow, str)
    """The user has written another text for a message."""
    ended = Signal()
    """A turn has ended, and its messages are stored."""
    refused = Signal(str, str, tuple, str)
    """A message was refused: its turn, its text, its attachments, and the reason; the reason is empty if it was shown
    before."""
    take_back_wanted = Signal(str)
    """The user takes back the message of this turn, which waits."""
    model_wanted = Signal()
    """The user wants to choose another model."""
    page_wanted = Signal(str, str)
    """The user wants to see a page of the window, at a setting."""
    source_wanted = Signal(object)
    """The user wants to see a cited passage: its ``Citation``."""
    key_wanted = Signal(str)
    """The user asks how to enter an API key for this provider."""
    earlier_wanted = Signal(str)
    """Load the messages before the one with this id."""
    told = Signal(str)
    """Text that a screen reader should say at once: a failure, a fallback to another model."""
    answer_chosen = Signal(str, str, str, str)
    """The user has answered a question: the turn, the question's id and the choice."""
    question_seen = Signal(str, str)
    """A question came into the user's view: the turn and the question's id."""
    question_held = Signal(str, str, bool)
    """The user looks closely at a question, or no longer: the turn's id and the question's."""
    filled = Signal(bool)
    """Whether the list has rows."""
    answered = Signal(str)
    """An answer is complete; holds its text, for screen readers."""

    def __init__(self, texts: Texts, icons: Icons, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(texts, icons, theme, parent)
        self._oldest = ""
        self._switched = "", 0
        """The message that stays where it is when the conversation is shown anew, and how far below the upper edge."""
        self._history: dict[str, MessageRow | StoredRow] = {}
        """Rows of stored messages by the messages' ids."""
        self._answers: dict[TurnId, AnswerRow] = {}
        self._asked: dict[TurnId, str] = {}
        self._retried: AnswerRow | None = None
        self._pending: dict[TurnId, UserRow] = {}
        """Rows of sent messages that are not saved yet."""
        self._waiting: set[TurnId] = set()
        """Turns that wait for another one."""
        self._refused: set[TurnId] = set()
        self._ghost: UserRow | None = None
        self._ghost_turn: TurnId | None = None
        self._interrupted: set[TurnId] = set()
        self._found_words = ""
        self._written: dict[str, str] = {}
        """What is written in the place of messages that are not shown now, by their ids."""
        self._earlier.clicked.connect(self._ask_for_earlier)
        self.top_reached.connect(self._ask_for_earlier)

    # Messages

    @property
    def last_answer(self) -> str:
        """Text of the newest answer, empty without one."""
        return next((row.text for row in reversed(self._rows) if isinstance(row, AnswerRow) and row.text), "")

    @property
    def edits(self) -> dict[str, str]:
        """What is written in the place of messages and was not sent, by the messages' ids."""
        edited = [row for row in self._rows if isinstance(row, UserRow) and row.message_id]
        return self._written | {row.message_id: row.written for row in edited if row.written is not None}

    def take_edits(self, edits: Mapping[str, str]) -> None:
        """Take over what is written in another window, before the messages are shown."""
        self._written.update(edits)

    def open(self, messages: tuple[Message, ...], *, more: bool = False, message: str = "") -> None:
        """Show another conversation; messages that are still being sent stay, and so does what is written in others.

        Args:
            messages: its newest messages, oldest first.
            more: whether there are older ones.
            message: id of the message to scroll to; empty for the newest one.
        """
        self._oldest = ""
        self._written = self.edits
        self._forget_far()
        self._history.clear()
        for row in [*self._rows]:
            if row not in self._pending.values():
                self._remove(row)
        self._answers.clear()
        self._asked.clear()
        self._retried = None
        self._interrupted.clear()
        self._ghost = self._ghost_turn = None
        self._come(messages, more=more)
        self.follow()
        version, above = self._switched
        if version and version == message:
            self._show_at(message, above)
        else:
            self.show_message(message)
        self._switched = "", 0
        self._report_filled()

    def show_message(self, message: str) -> None:
        """Scroll to the message with this id, if it is shown."""
        self._show_at(message, ABOVE_PX)

    def _show_at(self, message: str, above: int) -> None:
        if isinstance(row := self._history.get(message), StoredRow):
            row = self._wake_one(row)
        if row is not None:
            self.bring_up(row, above)
            self._fill_view()

    def _want_version(self, row: MessageRow, version: str) -> None:
        """Another version stands where the reader sees this one."""
        self._switched = version, row.y() - self.verticalScrollBar().value()
        self.version_wanted.emit(version)

    def shows(self, message: str) -> bool:
        """Whether the message with this id is shown."""
        return message in self._history

    def mark_words(self, words: str) -> None:
        """Mark the places of these words in all messages, also in those that come; none for no words."""
        self._found_words = words
        self._mark_words(self._rows)

    def _mark_words(self, rows: list[MessageRow]) -> None:
        for row in rows:
            for text in row.findChildren(MessageText):
                text.mark_words(self._found_words, self._theme.colors.accent)

    def stay_before(self, row: MessageRow) -> None:
        """A row will go: what stands before it stays where the reader sees it."""
        before = self._beside(row, -1)
        if before is not row:
            self._switched = before.message_id, before.y() - self.verticalScrollBar().value()

    def show_earlier(self, messages: tuple[Message, ...], *, more: bool) -> None:
        """Show older messages above, without moving what the user is reading."""
        self._come(messages, more=more)

    def _come(self, messages: tuple[Message, ...], *, more: bool) -> None:
        """Show messages above. The others than the newest get their widgets when they come near the view."""
        self._keep_place()
        rows = stored_rows(messages)
        new = rows[-_AT_ONCE:] if not self._rows or self._rows[0] in self._pending.values() else []
        made = [self._make_row(stored) for stored in new]
        for at, row in enumerate(made):
            self._insert(row, at)
        if self._rows:
            self._put_above(rows[: len(rows) - len(new)], self._rows[0], before=True)
        self._history.update({message.id: row for row in rows[: len(rows) - len(new)] for message in row.messages})
        self._came(made)
        self._lay_out()
        self._fill_view()
        self._offer_earlier(messages, more=more)

    def _offer_earlier(self, messages: tuple[Message, ...], *, more: bool) -> None:
        self._oldest = messages[0].id if messages and more else ""
        self._earlier.setVisible(bool(self._oldest))

    def _ask_for_earlier(self) -> None:
        """Ask for one page. The next one can be asked for after this one is shown."""
        oldest, self._oldest = self._oldest, ""
        if oldest:
            self.earlier_wanted.emit(oldest)

    def add(self, turn: TurnId, message: Message) -> None:
        """Show a message that has just been saved."""
        if message.role is Role.USER:
            self._drop_ghost()
            self._asked[turn] = message.id
            self._waiting.discard(turn)
            self._settle(turn, message)
        elif message.role is Role.ASSISTANT:
            rows = [self._make_row(stored) for stored in stored_rows((message,))]
            for row in rows:
                self._append(row)
            self._came(rows)
        self._report_filled()

    def send(self, turn: TurnId, text: str, attachments: tuple[Attachment, ...] = ()) -> None:
        """Show the sent message of a turn and its attachments until the engine confirms them."""
        row = self._user_row(text, attachments)
        row.mark(SENDING)
        row.take_back_wanted.connect(partial(self.take_back_wanted.emit, turn))
        self._pending[turn] = row
        self._append(row)
        self._withdraw_older_actions()
        self.follow()
        self._report_filled()

    @property
    def being_sent(self) -> tuple[tuple[TurnId, str, tuple[Attachment, ...]], ...]:
        """The messages that the engine has not confirmed: turn, text and files."""
        return tuple((turn, row.text, row.attachments) for turn, row in self._pending.items())

    def refuse_pending(self) -> None:
        """Return messages that are still being sent to the input."""
        for turn in [*self._pending]:
            self.refuse(turn, "")

    def refuse(self, turn: TurnId, reason: str) -> None:
        """Return the message of a turn, which was not taken, to the input."""
        if (row := self._pending.pop(turn, None)) is not None:
            self._remove(row)
            self.refused.emit(turn, row.text, row.attachments, reason)
            self._report_filled()

    def hear(self, turn: TurnId, text: str, stable: int) -> None:
        """Show the partial transcript of what the user is saying."""
        if not text.strip():
            return
        if self._ghost is None or self._ghost_turn != turn:
            self._drop_ghost()
            self._ghost, self._ghost_turn = self._user_row("", live=True), turn
            self._append(self._ghost)
            self.follow()
            self._report_filled()
        self._ghost.show_text(text, stable)

    def enter(self, snapshot: Snapshot) -> None:
        """Follow the machine's state: add a row for a turn that is answered, and remove an obsolete partial transcript.

        An announcement of Sori, such as a ringing timer, is complete from the start and gets no answer.
        """
        processing = (
            snapshot.interaction is InteractionState.PROCESSING and snapshot.processing is not ProcessingState.COMPLETE
        )
        if processing and snapshot.turn not in self._refused:
            self._answer(snapshot.turn)
        if self._ghost_turn is not None and (
            snapshot.turn != self._ghost_turn
            or snapshot.interaction in {InteractionState.IDLE, InteractionState.SPEAKING}
            # A spoken reply to a question of the turn is not a message.
            or (processing and snapshot.turn in self._asked)
        ):
            self._drop_ghost()
            self._report_filled()

    def resume(self, turn: TurnId) -> None:
        """Expect more of the answer of ``turn``, which has been going on while another conversation was shown."""
        self._asked.setdefault(turn, "")

    def know(self, messages: tuple[Message, ...]) -> None:
        """Take over the ids of stored messages that are shown."""
        said = {row.message_id: at for at, row in enumerate(self._rows) if isinstance(row, UserRow) and row.message_id}
        answer: AnswerRow | None = None
        for message in messages:
            if message.role is Role.USER:
                at = said.get(message.id, len(self._rows)) + 1
                below = self._rows[at] if at < len(self._rows) else None
                answer = below if isinstance(below, AnswerRow) else None
            elif answer is not None and message.id and message.role is Role.ASSISTANT and not message.superseded:
                answer.know(message)
                self._history[message.id] = answer

    def retry(self) -> None:
        """Prepare for another answer to the newest message. A failure without text is replaced by the new answer."""
        row = next((row for row in reversed(self._rows) if isinstance(row, AnswerRow)), None)
        self._retried = row

    def show_packet(self, turn: TurnId, packet: Packet) -> None:
        """Show a packet of a turn that runs or waits."""
        if self._shows_waiting(turn, packet):
            return
        if turn in self._refused or (isinstance(packet, Status) and packet.status not in _SHOWN_HERE):
            return
        if isinstance(packet, Failure) and turn in self._pending:
            self._drop_refused(turn, packet)
            return
        row = self._answer(turn)
        row.show_packet(packet)
        if isinstance(packet, Failure):
            self.told.emit(packet.message)
        elif isinstance(packet, Ask):
            self.told.emit(packet.text)
            self.follow()
        elif isinstance(packet, Status):
            self.told.emit(packet.detail)
        if not isinstance(packet, Done):
            return
        self.ended.emit()
        if row.empty and row.completion is Completion.COMPLETE:
            self._remove(row)
        elif row.completion is Completion.COMPLETE:
            self.answered.emit(row.text)
        self._report_filled()

    def _shows_waiting(self, turn: TurnId, packet: Packet) -> bool:
        """Show a packet of a turn that waits; returns whether it is one. Its end returns the message to the input."""
        if isinstance(packet, Status) and packet.status == WAITS:
            self._waiting.add(turn)
            if (row := self._pending.get(turn)) is not None:
                row.mark("desktop.status.waits", waits=True)
        elif isinstance(packet, Done) and turn in self._waiting:
            self._waiting.discard(turn)
            self.refuse(turn, "")
        else:
            return False
        return True

    def _drop_refused(self, turn: TurnId, failure: Failure) -> None:
        """Return a message that was not accepted to the input, and remove the row of its answer."""
        self._refused.add(turn)
        if turn in self._answers:
            self._remove(self._answers[turn])
        self.refuse(turn, failure.message)

    def interrupt(self, turn: TurnId) -> None:
        """Show that the user interrupted the answer of ``turn``."""
        self._interrupted.add(turn)
        if turn in self._answers:
            self._answers[turn].finish(Completion.INTERRUPTED)

    def withdraw(self, turn: TurnId) -> None:
        """Remove the message of ``turn``, which was only the first half of a request, and its answer."""
        # Ignore the rest of its answer too.
        self._refused.add(turn)
        asked = self._asked.get(turn)
        for row in [*self._rows]:
            if row is self._answers.get(turn) or (asked and isinstance(row, UserRow) and row.message_id == asked):
                self._remove(row)
        self._report_filled()

    def stop(self) -> None:
        """Show that the engine has ended and that running turns will not finish."""
        self._drop_ghost()
        for row in self._answers.values():
            if row.completion is Completion.STREAMING:
                row.finish(Completion.INCOMPLETE)
        self.refuse_pending()
        self._report_filled()

    # Rows

    def _answer(self, turn: TurnId) -> AnswerRow:
        """The row of a turn's answer, created when it is first needed."""
        if turn not in self._answers:
            retried, self._retried = self._retried, None
            last = self._rows[-1] if self._rows else None
            if retried is None and isinstance(last, AnswerRow) and last.only_waits:
                retried = last  # What waited for the model is answered, or not even that is true any more.
            at = self._place_of_answer(turn)
            follows = at > 0 and isinstance(self._rows[at - 1], UserRow)
            row = self._answer_row(asked=follows or turn in self._asked or retried is not None)
            row.answer_chosen.connect(partial(self.answer_chosen.emit, turn))
            row.question_seen.connect(partial(self.question_seen.emit, turn))
            row.question_held.connect(partial(self.question_held.emit, turn))
            self._answers[turn] = row
            self._insert(row, at)
            self._withdraw_older_actions()
            if retried is not None and not retried.text:
                self._remove(retried)
            if turn in self._interrupted:
                row.finish(Completion.INTERRUPTED)
        return self._answers[turn]

    def _place_of_answer(self, turn: TurnId) -> int:
        """Below its question: other messages may wait below that already."""
        question = self._pending.get(turn)
        asked = self._asked.get(turn)
        for at, row in enumerate(self._rows):
            if row is question or (asked and isinstance(row, UserRow) and row.message_id == asked):
                return at + 1
        waiting = self._pending.values()
        return next((at for at, row in enumerate(self._rows) if row in waiting), len(self._rows))

    def _answer_row(self, *, asked: bool) -> AnswerRow:
        row = AnswerRow(self._texts, self._icons, self._theme, asked=asked)
        row.retry_wanted.connect(lambda model: self.retry_wanted.emit(model, row.message_id))
        row.action_wanted.connect(partial(self.action_wanted.emit, row))
        row.version_wanted.connect(partial(self._want_version, row))
        row.file_told.connect(self.file_told)
        row.rest_wanted.connect(self.rest_wanted)
        row.model_wanted.connect(self.model_wanted)
        row.key_wanted.connect(self.key_wanted)
        row.page_wanted.connect(self.page_wanted)
        row.source_wanted.connect(self.source_wanted)
        return row

    def _user_row(self, text: str, attachments: tuple[Attachment, ...] = (), *, live: bool = False) -> UserRow:
        row = UserRow(self._texts, self._icons, self._theme, text, attachments, live=live)
        row.action_wanted.connect(partial(self.action_wanted.emit, row))
        row.version_wanted.connect(partial(self._want_version, row))
        row.file_told.connect(self.file_told)
        row.edited.connect(partial(self.edited.emit, row))
        return row

    def _settle(self, turn: TurnId, message: Message) -> None:
        """Show a saved message of the user in the place of the sent one, before its answer."""
        if message.id and any(isinstance(row, UserRow) and row.message_id == message.id for row in self._rows):
            return  # The message is being answered again.
        answer = self._answers.get(turn)
        if answer is not None:
            answer.asked = True
        if (pending := self._pending.pop(turn, None)) is not None:
            pending.settle(message)
            return
        row = self._user_row(message.text, message.attachments)
        row.know(message)
        if answer is None:
            self._append(row)
        else:
            self._insert(row, self._rows.index(answer))
        self._withdraw_older_actions()
        self.follow()

    def _withdraw_older_actions(self) -> None:
        """Let only the newest answer be repeatable."""
        newest = True
        for row in reversed(self._rows):
            if isinstance(row, AnswerRow):
                if not newest:
                    row.withdraw_actions()
                newest = newest and not row.asked
            elif isinstance(row, UserRow) and not row.live:
                newest = False

    @override
    def _make_row(self, stored: StoredRow) -> MessageRow:
        first = stored.messages[0]
        if first.role is Role.USER:
            said = self._user_row(first.text, first.attachments)
            said.know(first)
            if (written := self._written.pop(first.id, None)) is not None:
                said.edit(written, focused=False)
            row: MessageRow = said
        else:
            row = self._stored_answer(stored)
        row.stored = stored
        self._history.update({message.id: row for message in stored.messages})
        return row

    def _stored_answer(self, stored: StoredRow) -> AnswerRow:
        row = self._answer_row(asked=stored.asked)
        for message in stored.messages:
            _show_stored(self._texts, row, message)
            if message.id and message.role is Role.ASSISTANT:
                row.know(message)
        if row.empty:
            row.hide()
        return row

    @override
    def _came(self, rows: list[MessageRow]) -> None:
        self._withdraw_older_actions()
        if self._found_words:
            self._mark_words(rows)

    @override
    def _gave(self, row: MessageRow, stored: StoredRow) -> None:
        self._history.update({message.id: stored for message in stored.messages})

    @override
    def _remove(self, row: MessageRow) -> None:
        super()._remove(row)
        self._history = {message: shown for message, shown in self._history.items() if shown is not row}
        for turn, answer in [*self._answers.items()]:
            if answer is row:
                del self._answers[turn]

    def _drop_ghost(self) -> None:
        ghost, self._ghost, self._ghost_turn = self._ghost, None, None
        if ghost is not None:
            self._remove(ghost)

    def _report_filled(self) -> None:
        self.filled.emit(bool(self._rows))


def _show_stored(texts: Texts, row: AnswerRow, message: Message) -> None:
    """Add one stored message to an answer's row."""
    if message.role is Role.TOOL:
        row.finish_tool(message.tool_use_id, "", message.text, failed=bool(message.error))
        row.add_files(message.attachments)
        return
    if message.reasoning.strip():
        row.add_reasoning(message.reasoning)
    if message.text.strip():
        row.add_text(message.text, message.citations)
    for use in message.tool_uses:
        row.add_tool(use.id, use.name, use.arguments)
    failed = bool(message.error_text) or (message.completion is Completion.FAILED and bool(message.error))
    if failed and not message.superseded:
        told = message.error_text or error_words(texts, message.error)
        row.fail(told, offers=stored_offers(message.error, answered=bool(message.text.strip())))
    row.name_model(message.provider, message.model, message.usage)
    if message.completion is Completion.STREAMING:
        row.cut_off()
    else:
        row.finish(message.completion)
