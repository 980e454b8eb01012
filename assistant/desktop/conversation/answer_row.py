"""A row of the conversation with Sori's answer."""

from collections.abc import Iterable
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QPushButton, QSizePolicy, QVBoxLayout, QWidget
from typing_extensions import override

from assistant.core.display.citations import source_name
from assistant.core.display.words import answer_facts
from assistant.core.knowledge.passages import Citation
from assistant.core.messages import Attachment, Completion, Message
from assistant.core.packets import (
    WAITING_REASONS,
    WERE_THOUGHTS,
    AnswerDelta,
    Answered,
    Ask,
    AskShown,
    Cited,
    Done,
    Failure,
    Packet,
    PageOffer,
    ReasoningDelta,
    Status,
    ToolCall,
    ToolResult,
)
from assistant.core.texts import Texts
from assistant.desktop.conversation.failure_card import FailureCard
from assistant.desktop.conversation.message_files import MessageFiles
from assistant.desktop.conversation.message_foot import MessageFoot
from assistant.desktop.conversation.message_rows import EDGE_PX, MenuEntry, MessageAction, MessageRow
from assistant.desktop.conversation.status_notes import LASTING, RetryNote, StatusNote
from assistant.desktop.kit.answer_blocks import ReasoningBlock, ThinkingDots, ToolLine
from assistant.desktop.kit.icons import Icons
from assistant.desktop.kit.theme import Theme
from assistant.desktop.pages import page_names
from assistant.desktop.questions.ask_card import AskCard

if TYPE_CHECKING:
    from assistant.desktop.markdown.view import MarkdownText


class AnswerRow(MessageRow):
    """Sori's answer: parts of text and reasoning, tool calls, notes, and how it ended.

    Args:
        texts: the user's texts.
        icons: source of the icons.
        theme: colours.
        asked: whether it answers a message of the user, which can be answered again.
    """

    rest_wanted = Signal()
    retry_wanted = Signal(str)
    """The user wants another answer: from the model with this reference, or from the conversation's if it is empty."""
    model_wanted = Signal()
    """The user wants to choose another model."""
    key_wanted = Signal(str)
    """The user asks how to enter an API key for this provider; empty when unknown."""

    page_wanted = Signal(str, str)
    """The user wants to see a page of the window, at a setting; the latter may be empty."""

    source_wanted = Signal(object)
    """The user wants to see a cited passage: its ``Citation``."""

    answer_chosen = Signal(str, str, str)
    """The user has answered a question of the turn: its id and the choice."""
    question_seen = Signal(str)
    """A question of the turn came into the user's view: its id."""
    question_held = Signal(str, bool)
    """The user looks closely at a question, or no longer: its id."""

    _MARKED: ClassVar[dict[Completion, str]] = {
        Completion.STREAMING: "warning",
        Completion.INCOMPLETE: "warning",
        Completion.CANCELLED: "",
        Completion.INTERRUPTED: "",
        Completion.FAILED: "error",
    }
    _ASK_AGAIN: ClassVar[frozenset[Completion]] = frozenset(
        {Completion.STREAMING, Completion.INCOMPLETE, Completion.CANCELLED, Completion.FAILED}
    )

    def __init__(self, texts: Texts, icons: Icons, theme: Theme, *, asked: bool = False) -> None:
        super().__init__(texts, icons, theme)
        self.asked = asked
        self._newest = True
        self._facts: tuple[str, ...] = ()
        self._answers: list[MarkdownText] = []
        self._reasonings: list[ReasoningBlock] = []
        self._tools: dict[str, ToolLine] = {}
        self._files: list[MessageFiles] = []
        self._notes: list[StatusNote] = []
        self._asks: dict[str, AskCard] = {}
        self._retrying: RetryNote | None = None
        self._block: tuple[type[Packet], int] | None = None
        self._completion = Completion.STREAMING
        self._ended = False
        self._failure: FailureCard | None = None
        self._provider = ""
        self._width = 0
        self._dots = ThinkingDots(theme, texts("desktop.conversation.waiting"))
        self._blocks = QVBoxLayout()
        self._blocks.setSpacing(11)
        layout = self._layout
        layout.setContentsMargins(EDGE_PX, 1, EDGE_PX, 1)
        layout.setSpacing(4)
        layout.addLayout(self._blocks)
        layout.addWidget(self._dots)
        layout.addWidget(self._make_foot())
        self.setAccessibleName(texts("desktop.conversation.assistant"))

    def _make_foot(self) -> QWidget:
        self._foot = MessageFoot(
            self._texts("desktop.action.retry"), lambda: self.retry_wanted.emit(""), from_right=False
        )
        self._foot.hide()
        return self._foot

    # State

    @property
    def text(self) -> str:
        """The answer's Markdown, without reasoning and tools."""
        return "\n\n".join(words.source.strip() for words in self._answers)

    @property
    def empty(self) -> bool:
        """Whether there is nothing to show."""
        return not (self._answers or self._reasonings or self._tools or self._notes or self._asks or self._failure)

    @property
    def only_waits(self) -> bool:
        """Whether it is over and holds nothing but words that the request waits."""
        return self._over and not self.text and self._failure is not None and bool(self._failure.property("calm"))

    @property
    def completion(self) -> Completion:
        """How the answer ended, ``STREAMING`` until then."""
        return self._completion

    @property
    @override
    def facts(self) -> tuple[str, ...]:
        """The model, and what the answer took."""
        return self._facts

    @property
    @override
    def offered(self) -> tuple[MessageAction, ...]:
        """What can be done with an answer that has ended."""
        if not self._over:
            return ()
        text = (MessageAction.COPY, MessageAction.ALOUD) if self._answers else ()
        again = (MessageAction.AGAIN,) if self.asked and (self.message_id or self._newest) else ()
        return text + again + self._of_stored

    @override
    def act(self, action: MessageAction) -> None:
        """Carry an action out."""
        if action is MessageAction.AGAIN:
            self._answer_again()
        else:
            super().act(action)

    def _answer_again(self) -> None:
        self.retry_wanted.emit("")

    @override
    def focusNextPrevChild(self, forwards: bool) -> bool:
        """Tab goes from the row through the links and numbers of its texts, and then on to its actions."""
        within = [each for each in self._answers if each.hasFocus()]
        if not (within or self.hasFocus()) or (self.hasFocus() and not forwards):
            return super().focusNextPrevChild(forwards)
        order = self._answers if forwards else self._answers[::-1]
        at = order.index(within[0]) + 1 if within else 0
        if any(each.focus_anchor(forwards=forwards) for each in order[at:]):
            return True
        if within:
            self.setFocus(Qt.FocusReason.TabFocusReason)
        return super().focusNextPrevChild(forwards) if forwards else True

    @override
    def know(self, message: Message) -> None:
        """Take over the id of a stored part of the answer. Only the first part can have versions."""
        if message.versions or self._switch is None:
            super().know(message)
        else:
            self._identify(message)

    def withdraw_actions(self) -> None:
        """Withdraw the remedies of the newest answer, because the conversation has gone on."""
        if self._newest:
            self._newest = False
            if self._failure is not None:
                self._failure.withdraw()
            self._refresh()

    @override
    def menu_entries(self) -> list[MenuEntry]:
        """Entries to copy each piece of code and open each link."""
        entries = []
        for words in self._answers:
            for code in words.codes:
                title = self._texts("desktop.action.copy_code_of", language=code.language or _first_line(code.text))
                entries.append(MenuEntry(title, partial(QGuiApplication.clipboard().setText, code.text)))
            for formula in words.formulas:
                title = self._texts("desktop.action.copy_formula", formula=_brief(formula))
                entries.append(MenuEntry(title, partial(QGuiApplication.clipboard().setText, formula)))
            for cited in words.citations:
                title = self._texts("desktop.action.show_source", title=_brief(source_name(cited, self._texts)))
                entries.append(MenuEntry(title, partial(self.source_wanted.emit, cited)))
            for link in words.links:
                title = self._texts("desktop.action.open_link", address=_brief(link))
                entries.append(MenuEntry(title, partial(words.open_link, link)))
        return entries

    # Packets of the turn

    def show_packet(self, packet: Packet) -> None:
        """Show a packet of the running turn."""
        if not isinstance(packet, Status):
            self._end_wait()
        match packet:
            case AnswerDelta() | Cited():
                self._grow(packet)
            case ReasoningDelta():
                self._reason(packet)
            case Ask() | AskShown() | Answered():
                self._ask(packet)
            case ToolCall() | ToolResult():
                self._tool(packet)
            case PageOffer():
                self._offer_page(packet)
            case Status():
                self._note(packet)
            case Failure():
                calm = packet.reason in WAITING_REASONS
                self.fail(packet.message, offers=packet.offers, alternatives=packet.alternatives, calm=calm)
            case Done():
                self.name_model(packet.provider, packet.model, packet.usage, packet.first_token_ms)
                self.finish(Completion(packet.finish))

    def _ask(self, packet: Ask | AskShown | Answered) -> None:
        if not isinstance(packet, Ask):
            if (asked := self._asks.get(packet.question)) is None:
                return
            if isinstance(packet, AskShown):
                asked.count_down_to(packet.deadline)
            else:
                asked.settle(packet.outcome)
                self._dots.setVisible(not self._over)
            return
        card = AskCard(self._texts, self._icons, self._theme, packet)
        card.chosen.connect(self.answer_chosen)
        card.seen.connect(self.question_seen)
        card.held.connect(self.question_held)
        self._asks[packet.question] = card
        self._place(card)

    def _tool(self, packet: ToolCall | ToolResult) -> None:
        if isinstance(packet, ToolCall):
            self.add_tool(packet.id, packet.name, packet.arguments)
            return
        self.finish_tool(packet.id, packet.name, packet.text, failed=packet.is_error)
        self.add_files(tuple(each.attachment for each in packet.files))

    def _grow(self, packet: AnswerDelta | Cited) -> None:
        if self._block != (AnswerDelta, packet.turn_index):
            if isinstance(packet, AnswerDelta) and not packet.text.strip():
                return
            self._block = (AnswerDelta, packet.turn_index)
            self.add_text("")
        words = self._answers[-1]
        if isinstance(packet, Cited):
            words.cite([packet.citation])
        else:
            words.grow(packet.text if words.source else packet.text.lstrip())

    def _reason(self, packet: ReasoningDelta) -> None:
        if self._block != (ReasoningDelta, packet.turn_index):
            self._block = (ReasoningDelta, packet.turn_index)
            self.add_reasoning("")
        self._reasonings[-1].grow(packet.text)

    def _note(self, packet: Status) -> None:
        if packet.status in {"retrying", "asked_again"}:
            lasting = packet.status == "asked_again"  # It explains the broken-off text above it.
            if self._retrying is None or lasting:
                self._end_wait()
                self._retrying = RetryNote(self._texts, self._icons, self._theme, lasting=lasting)
                self._place(self._retrying)
            self._retrying.show()
            self._retrying.wait(packet.detail or self._texts("desktop.status.retrying"), packet.wait_s)
        elif packet.status == WERE_THOUGHTS:
            self._take_back()
        elif packet.status in LASTING and packet.detail:
            note = StatusNote(self._icons, self._theme, packet.detail, LASTING[packet.status])
            self._notes.append(note)
            self._place(note)

    def _take_back(self) -> None:
        """Remove the part of the answer that grows, because it comes again as reasoning."""
        if self._block is None or self._block[0] is not AnswerDelta:
            return
        words, self._block = self._answers.pop(), None
        words.hide()
        words.deleteLater()

    def _offer_page(self, offer: PageOffer) -> None:
        # The engine may be newer than the window.
        if offer.page not in page_names():
            return
        button = QPushButton(offer.title)
        button.setObjectName("pageOffer")
        button.setCursor(Qt.CursorShape.PointingHandCursor)
        button.clicked.connect(lambda: self.page_wanted.emit(offer.page, offer.setting))
        button.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self._place(button)

    def _end_wait(self) -> None:
        if self._retrying is not None:
            self._retrying.end()
            self._retrying = None

    # Parts

    def add_text(self, text: str, citations: Iterable[Citation] = ()) -> None:
        """Begin another part of the answer with ``text``, which cites these."""
        from assistant.desktop.markdown.view import MarkdownText  # A window that starts reads no Markdown.

        words = MarkdownText(self._texts("desktop.conversation.assistant"), self._texts, self._icons, self._theme)
        words.menu_wanted.connect(lambda at: self.show_menu(at, words))
        words.source_wanted.connect(self.source_wanted)
        words.cite(citations)
        if self._answers:
            self._answers[-1].complete()
        self._answers.append(words)
        self._place(words)
        words.fit(self._inner_width)
        if text:
            words.show_text(text)

    def add_reasoning(self, text: str) -> None:
        """Begin another part of reasoning with ``text``, folded."""
        block = ReasoningBlock(self._texts, self._icons, self._theme)
        self._reasonings.append(block)
        self._place(block)
        block.fit(self._inner_width)
        if text:
            block.grow(text)

    def add_tool(self, identity: str, name: str, arguments: dict[str, object]) -> None:
        """Show a running tool."""
        if identity in self._tools:
            return
        line = ToolLine(self._texts, self._icons, self._theme, name, arguments)
        self._tools[identity] = line
        self._place(line)

    def finish_tool(self, identity: str, name: str, result: str, *, failed: bool) -> None:
        """Show a tool's result."""
        self.add_tool(identity, name, {})
        self._tools[identity].finish(result, failed=failed)

    def add_files(self, files: tuple[Attachment, ...]) -> None:
        """Show files that a tool has made."""
        if files:
            shown = MessageFiles(self._texts, self._icons, self._theme, files)
            shown.open_wanted.connect(self._open)
            self._files.append(shown)
            self._place(shown)
            shown.fit(self._inner_width)

    def fail(
        self, message: str, *, offers: tuple[str, ...], alternatives: tuple[str, ...] = (), calm: bool = False
    ) -> None:
        """Show a failure and its remedies.

        Args:
            message: for the user.
            offers: as in ``Failure``.
            alternatives: as in ``Failure``.
            calm: whether it is only a wait, not a failure.
        """
        card = FailureCard(
            self._texts,
            self._icons,
            self._theme,
            message,
            offers=offers if self.asked and self._newest else (),
            alternatives=alternatives,
            calm=calm,
        )
        card.retry_wanted.connect(self.retry_wanted)
        card.model_wanted.connect(self.model_wanted)
        card.rest_wanted.connect(self.rest_wanted)
        card.key_wanted.connect(lambda: self.key_wanted.emit(self._provider))
        self._failure = card
        self._place(card)
        self._refresh()

    def name_model(self, provider: str, model: str, usage: dict[str, int], first_token_ms: float | None = None) -> None:
        """Tell the model and the usage."""
        self._provider = provider or self._provider
        if facts := answer_facts(self._texts, model, self._provider, usage, first_token_ms):
            self._facts = facts
            self.changed.emit()

    def finish(self, completion: Completion) -> None:
        """End the answer. An interruption by the user takes precedence over the turn's own result."""
        if self._completion is not Completion.INTERRUPTED:
            self._completion = completion
        self._end_wait()
        if self._answers:
            self._answers[-1].complete()
        for line in self._tools.values():
            line.give_up()
        for card in self._asks.values():
            card.settle("cancelled")
        self._dots.hide()
        self._refresh()

    def cut_off(self) -> None:
        """Show that an earlier run of Sori ended during this answer."""
        self._ended = True
        self.finish(Completion.STREAMING)

    def _refresh(self) -> None:
        """Update the foot."""
        marked = self._over and self._completion in self._MARKED and self._failure is None
        self._foot.say(
            self._texts(f"desktop.mark.{self._completion}") if marked else "",
            self._MARKED.get(self._completion, ""),
            button=marked and self.asked and self._newest and self._completion in self._ASK_AGAIN,
        )
        self._foot.setVisible(marked)
        self.changed.emit()
        self.setAccessibleName(f"{self._texts('desktop.conversation.assistant')}: {self.text[:2000]}")

    def fit(self, width: int) -> None:
        """Take ``width`` pixels."""
        self._width = width
        for words in self._answers:
            words.fit(self._inner_width)
        for block in self._reasonings:
            block.fit(self._inner_width)
        for files in self._files:
            files.fit(self._inner_width)

    @property
    def _inner_width(self) -> int:
        return max(self._width - 2 * EDGE_PX - 4, 1)

    def _place(self, block: QWidget) -> None:
        """Add a block. While there are only tools, the dots stay below them."""
        self._blocks.addWidget(block)
        last = block in self._answers or isinstance(block, FailureCard | AskCard)
        self._dots.setVisible(not last and not self._over)

    @property
    def _over(self) -> bool:
        return self._ended or self._completion is not Completion.STREAMING


_LONGEST_ENTRY = 48
"""Maximum characters of a menu entry."""


def _first_line(code: str) -> str:
    return _brief(code.strip().partition("\n")[0])


def _brief(text: str) -> str:
    return text if len(text) <= _LONGEST_ENTRY else f"{text[: _LONGEST_ENTRY - 1]}…"
