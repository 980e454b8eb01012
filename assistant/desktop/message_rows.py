"""One row of the conversation: what the user said, or what Sori answered."""

from typing import ClassVar

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtGui import QAction, QContextMenuEvent, QGuiApplication, QKeyEvent, QKeySequence
from PySide6.QtWidgets import QFrame, QMenu, QVBoxLayout, QWidget
from typing_extensions import override

from assistant.core.errors import ErrorCode
from assistant.core.messages import Completion
from assistant.core.packets import AnswerDelta, Failure, Packet, ReasoningDelta, ToolCall, ToolResult
from assistant.core.texts import Texts
from assistant.desktop.answer_blocks import FailureCard, ReasoningBlock, ThinkingDots, ToolLine
from assistant.desktop.buttons import IconButton
from assistant.desktop.icons import Icons
from assistant.desktop.message_foot import MessageFoot
from assistant.desktop.message_text import MessageText
from assistant.desktop.theme import Theme

_BUBBLE_SHARE = 0.82
_BUBBLE_PADDING_PX = 15
_EDGE_PX = 8


class Row(QFrame):
    """A message that can be focused, copied and asked again.

    Args:
        texts: the user's language.
        icons: where drawings come from.
        theme: colours.
    """

    retry_wanted = Signal(str)
    """The user wants this question answered again."""
    model_wanted = Signal()
    """The user wants to choose another model."""

    def __init__(self, texts: Texts, icons: Icons, theme: Theme) -> None:
        super().__init__()
        self._texts, self._icons, self._theme = texts, icons, theme
        self.setObjectName("row")
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self.question = ""

    @property
    def text(self) -> str:
        """What can be copied."""
        raise NotImplementedError

    def fit(self, width: int) -> None:
        """Take ``width`` pixels."""
        raise NotImplementedError

    def copy(self) -> None:
        """Put the whole message on the clipboard."""
        QGuiApplication.clipboard().setText(self.text)

    def show_menu(self, at: QPoint, words: MessageText | None = None) -> None:
        """Show what can be done with the message.

        Args:
            at: point of the screen.
            words: the part that was clicked, whose selection is copied if it has one.
        """
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        chosen = words is not None and words.textCursor().hasSelection()
        menu.addAction(self._texts("desktop.action.copy"), words.copy if words and chosen else self.copy)
        if words is not None:
            menu.addAction(self._texts("desktop.action.select_all"), words.selectAll)
        if self.question:
            retry = QAction(self._texts("desktop.action.retry"), menu)
            retry.triggered.connect(lambda: self._ask_again())
            menu.addAction(retry)
        menu.popup(at)

    @override
    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Copy with the usual keys, a menu with the menu key or Enter; the rest is the conversation's."""
        if event.matches(QKeySequence.StandardKey.Copy):
            self.copy()
        elif event.key() in {Qt.Key.Key_Menu, Qt.Key.Key_Return, Qt.Key.Key_Enter}:
            self.show_menu(self.mapToGlobal(QPoint(self.width() // 2, 12)))
        else:
            event.ignore()

    @override
    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Show the menu."""
        self.show_menu(event.globalPos())

    def _ask_again(self) -> None:
        self.retry_wanted.emit(self.question)

    def _words(self, name: str) -> MessageText:
        words = MessageText(name)
        words.menu_wanted.connect(lambda at: self.show_menu(at, words))
        return words


class UserRow(Row):
    """What the user said or typed, in a bubble on the right.

    Args:
        live: whether it is still being said: a ghost with its unstable tail dimmed.
    """

    def __init__(self, texts: Texts, icons: Icons, theme: Theme, text: str = "", *, live: bool = False) -> None:
        super().__init__(texts, icons, theme)
        self._live = live
        self._text = text
        words = self._words(texts("desktop.conversation.hearing" if live else "desktop.conversation.user"))
        self._bubble = QFrame()
        self._bubble.setObjectName("bubble")
        self._bubble.setProperty("live", live)
        inside = QVBoxLayout(self._bubble)
        inside.setContentsMargins(_BUBBLE_PADDING_PX, 11, _BUBBLE_PADDING_PX, 9)
        inside.addWidget(words)
        self._bubble_words = words
        self._foot = MessageFoot(texts("desktop.action.retry"), self._ask_again)
        self._foot.hide()
        layout = QVBoxLayout(self)
        layout.setContentsMargins(_EDGE_PX, 4, _EDGE_PX, 4)
        layout.setSpacing(3)
        layout.addWidget(self._bubble, 0, Qt.AlignmentFlag.AlignRight)
        layout.addWidget(self._foot)
        self.show_text(text)

    @property
    def text(self) -> str:
        """What the user said."""
        return self._text

    def show_text(self, text: str, stable: int | None = None) -> None:
        """Show what was said, or with ``stable`` what has been understood of it so far."""
        self._text = text
        if stable is None:
            self._bubble_words.show_text(text)
        else:
            self._bubble_words.show_live(text, stable, self._theme.colors.dim)
        self.setAccessibleName(f"{self._bubble_words.accessibleName()}: {text}")

    def mark(self, key: str, *, failed: bool = False) -> None:
        """Say below the bubble how it stands with it; an empty key says nothing.

        Args:
            key: of the text.
            failed: whether it can be sent again.
        """
        self.question = self._text if failed else ""
        self._foot.say(self._texts(key) if key else "", "error" if failed else "", again=failed)
        self._foot.setVisible(bool(key))

    def fit(self, width: int) -> None:
        """Take ``width`` pixels, the bubble at most four fifths of it."""
        self._bubble_words.fit(int((width - 2 * _EDGE_PX) * _BUBBLE_SHARE) - 2 * _BUBBLE_PADDING_PX, shrink=True)


class AnswerRow(Row):
    """What Sori answered: stretches of text and reasoning, tool calls, how it ended.

    Args:
        question: what was asked, to ask it again; empty when nothing was.
    """

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

    def __init__(self, texts: Texts, icons: Icons, theme: Theme, question: str = "") -> None:
        super().__init__(texts, icons, theme)
        self.question = question
        self._answers: list[MessageText] = []
        self._reasonings: list[ReasoningBlock] = []
        self._tools: dict[str, ToolLine] = {}
        self._block: tuple[type[Packet], int] | None = None
        self._completion = Completion.STREAMING
        self._failure: FailureCard | None = None
        self._width = 0
        self._dots = ThinkingDots(theme, texts("desktop.conversation.waiting"))
        self._blocks = QVBoxLayout()
        self._blocks.setSpacing(11)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(_EDGE_PX, 4, _EDGE_PX, 2)
        layout.setSpacing(4)
        layout.addLayout(self._blocks)
        layout.addWidget(self._dots)
        layout.addWidget(self._make_foot())
        self.setAccessibleName(texts("desktop.conversation.assistant"))

    def _make_foot(self) -> QWidget:
        self._copy = IconButton(self._icons, self._theme, "copy", self._texts("desktop.action.copy"), size=16)
        self._copy.draw("copy", "dim")
        self._copy.setFixedSize(26, 26)
        self._copy.setProperty("small", True)
        self._copy.setFocusPolicy(Qt.FocusPolicy.ClickFocus)  # By keyboard a row is copied with Ctrl+C.
        self._copy.clicked.connect(self._copy_clicked)
        self._foot = MessageFoot(self._texts("desktop.action.retry"), self._ask_again, lead=self._copy)
        self._foot.hide()
        return self._foot

    @property
    def text(self) -> str:
        """The answer without reasoning and tools."""
        return "\n\n".join(words.toPlainText() for words in self._answers)

    @property
    def empty(self) -> bool:
        """Whether there is nothing to show."""
        return not (self._answers or self._reasonings or self._tools or self._failure)

    @property
    def completion(self) -> Completion:
        """How it ended, ``STREAMING`` while it has not."""
        return self._completion

    def show_packet(self, packet: Packet) -> None:
        """Show what the running turn emitted; packets that are not part of an answer are ignored."""
        match packet:
            case AnswerDelta():
                self._grow(packet)
            case ReasoningDelta():
                self._reason(packet)
            case ToolCall():
                self.add_tool(packet.id, packet.name, packet.arguments)
            case ToolResult():
                self.finish_tool(packet.id, packet.name, packet.text, failed=packet.is_error)
            case Failure():
                self.fail(packet.code, packet.message, retryable=packet.retryable)
            case _:
                pass

    def _grow(self, packet: AnswerDelta) -> None:
        if self._block != (AnswerDelta, packet.turn_index):
            if not packet.text.strip():
                return
            self._block = (AnswerDelta, packet.turn_index)
            self.add_text("")
        words = self._answers[-1]
        words.grow(packet.text.lstrip() if words.document().isEmpty() else packet.text)

    def _reason(self, packet: ReasoningDelta) -> None:
        if self._block != (ReasoningDelta, packet.turn_index):
            self._block = (ReasoningDelta, packet.turn_index)
            block = ReasoningBlock(self._texts, self._icons, self._theme)
            self._reasonings.append(block)
            self._place(block)
            block.fit(self._inner_width)
        self._reasonings[-1].grow(packet.text)

    def add_text(self, text: str) -> None:
        """Begin another stretch of answer with ``text``."""
        words = self._words(self._texts("desktop.conversation.assistant"))
        self._answers.append(words)
        self._place(words)
        words.fit(self._inner_width)
        if text:
            words.show_text(text)

    def add_tool(self, identity: str, name: str, arguments: dict[str, object]) -> None:
        """Show that a tool runs."""
        if identity in self._tools:
            return
        line = ToolLine(self._texts, self._icons, self._theme, name, arguments)
        self._tools[identity] = line
        self._place(line)

    def finish_tool(self, identity: str, name: str, result: str, *, failed: bool) -> None:
        """Show what a tool returned."""
        self.add_tool(identity, name, {})
        self._tools[identity].finish(result, failed=failed)

    def fail(self, code: str, message: str, *, retryable: bool) -> None:
        """Show in words what went wrong, with the way on: again, or another model."""
        again = bool(self.question) and (retryable or code in {ErrorCode.TIMEOUT, ErrorCode.INTERNAL})
        other = code in {
            ErrorCode.AUTHENTICATION,
            ErrorCode.PERMISSION,
            ErrorCode.QUOTA,
            ErrorCode.MODEL_NOT_FOUND,
            ErrorCode.TIMEOUT,
        }
        card = FailureCard(self._texts, self._icons, self._theme, message, again=again, other=other)
        card.again.connect(self._ask_again)
        card.other.connect(self.model_wanted)
        self._failure = card
        self._place(card)
        self._refresh()

    def finish(self, completion: Completion) -> None:
        """The answer has ended; that the user spoke over it outweighs what the turn itself says."""
        if self._completion is not Completion.INTERRUPTED:
            self._completion = completion
        for line in self._tools.values():
            line.give_up()
        self._dots.hide()
        self._refresh()

    def cut_off(self) -> None:
        """Sori ended in the middle of this answer, in an earlier run."""
        self.finish(Completion.STREAMING)
        self._refresh(ended=True)

    def _refresh(self, *, ended: bool = False) -> None:
        """Bring the foot up to date."""
        over = ended or self._completion is not Completion.STREAMING
        marked = over and self._completion in self._MARKED and self._failure is None
        self._foot.say(
            self._texts(f"desktop.mark.{self._completion}") if marked else "",
            self._MARKED.get(self._completion, ""),
            again=marked and bool(self.question) and self._completion in self._ASK_AGAIN,
        )
        self._copy.setVisible(bool(self._answers))
        self._foot.setVisible(over and (marked or bool(self._answers)))
        self.setAccessibleName(f"{self._texts('desktop.conversation.assistant')}: {self.text[:2000]}")

    def fit(self, width: int) -> None:
        """Take ``width`` pixels."""
        self._width = width
        for words in self._answers:
            words.fit(self._inner_width)
        for block in self._reasonings:
            block.fit(self._inner_width)

    @property
    def _inner_width(self) -> int:
        return max(self._width - 2 * _EDGE_PX - 4, 1)

    def _place(self, block: QWidget) -> None:
        """Add a block; while nothing but tools is there, the dots go on saying that more comes."""
        self._blocks.addWidget(block)
        self._dots.setVisible(not isinstance(block, MessageText | FailureCard) and not self._over)

    @property
    def _over(self) -> bool:
        return self._completion is not Completion.STREAMING

    def _copy_clicked(self) -> None:
        self.copy()
        self._copy.draw("check", "accent")
        self._copy.rename(self._texts("desktop.action.copied"))
