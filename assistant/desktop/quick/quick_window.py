"""The quick window: a question and its answer, in any program, without the window (D-01)."""

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtGui import QCursor, QGuiApplication, QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLineEdit, QPushButton, QScrollArea, QVBoxLayout, QWidget
from typing_extensions import override

from assistant.core.display.words import state_word
from assistant.core.machine.states import NO_TURN, InteractionState, SessionState, Snapshot, TurnId
from assistant.core.messages import Role
from assistant.core.packets import AnswerDelta, Ask, Done, Failure, Packet
from assistant.core.texts import Texts
from assistant.core.updates import ConversationUpdate, MessageAdded, PacketEmitted, PartialHeard
from assistant.desktop.kit.buttons import IconButton
from assistant.desktop.kit.elided_label import ElidedLabel
from assistant.desktop.kit.icons import Icons
from assistant.desktop.kit.menu import begin_popup, cut_corners
from assistant.desktop.kit.plain import PlainLabel
from assistant.desktop.kit.theme import Theme
from assistant.desktop.markdown.view import MarkdownText
from assistant.desktop.presence.mood import mood_of
from assistant.desktop.presence.voice_presence import VoicePresence

_WIDTH, _MOST_ANSWER = 560, 320
_FROM_TOP = 0.2
"""Share of the screen's height above it."""
_MARGIN = 16


class QuickWindow(QWidget):
    """Shows the last question of the open conversation and its answer. The window has all of it.

    Args:
        texts: the user's words.
        icons: source of the icons.
        theme: colours.
    """

    submitted = Signal(str)
    voice_wanted = Signal()
    open_wanted = Signal()
    shown = Signal(bool)

    def __init__(self, texts: Texts, icons: Icons, theme: Theme) -> None:
        flags = Qt.WindowType.Tool | Qt.WindowType.FramelessWindowHint | Qt.WindowType.WindowStaysOnTopHint
        super().__init__(None, flags)
        self._texts = texts
        self._turn = NO_TURN
        self.setObjectName("floating")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        begin_popup(self)
        self.setWindowTitle(texts("desktop.quick.name"))
        self.setAccessibleName(texts("desktop.quick.name"))
        self.setFixedWidth(_WIDTH)
        self.presence = VoicePresence(theme, 28)
        self.input = QLineEdit()
        self.input.setObjectName("quick")
        self.input.setFrame(False)
        self.input.setPlaceholderText(texts("desktop.quick.hint"))
        self.input.setAccessibleName(texts("desktop.composer.input"))
        self.input.returnPressed.connect(self._submit)
        self.voice = IconButton(icons, theme, "talk", texts("desktop.action.voice"))
        self.voice.clicked.connect(self.voice_wanted)
        self.state = ElidedLabel()
        self.state.setObjectName("intro")
        self.question = PlainLabel()
        self.question.setObjectName("title")
        self.question.setWordWrap(True)
        self.answer = MarkdownText(texts("desktop.conversation.assistant"), texts, icons, theme)
        self._scroll = QScrollArea()
        self._scroll.setObjectName("quickAnswer")
        self._scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._scroll.setWidget(self.answer)
        self._scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.open = QPushButton(texts("desktop.quick.open"))
        self.open.setProperty("flat", True)
        self.open.clicked.connect(self._open)
        self._lay_out()

    def _lay_out(self) -> None:
        above = QHBoxLayout()
        above.setSpacing(10)
        above.addWidget(self.presence)
        above.addWidget(self.input, 1)
        above.addWidget(self.voice)
        self._rest = QFrame()
        rest = QVBoxLayout(self._rest)
        rest.setContentsMargins(0, 4, 0, 0)
        rest.setSpacing(8)
        rest.addWidget(self.question)
        rest.addWidget(self._scroll)
        foot = QHBoxLayout()
        foot.addWidget(self.state, 1)
        foot.addWidget(self.open)
        rest.addLayout(foot)
        self._rest.hide()
        column = QVBoxLayout(self)
        column.setContentsMargins(_MARGIN, 12, _MARGIN, 12)
        column.setSpacing(4)
        column.addLayout(above)
        column.addWidget(self._rest)

    def toggle(self) -> None:
        """Show it, or hide it if the user has it before them."""
        if self.isVisible() and self.isActiveWindow():
            self.hide()
            return
        screen = QGuiApplication.screenAt(QCursor.pos()) or QGuiApplication.primaryScreen()
        room = screen.availableGeometry()
        self.move(QPoint(room.center().x() - _WIDTH // 2, room.top() + round(room.height() * _FROM_TOP)))
        self.show()
        self.raise_()
        self.activateWindow()
        self.input.setFocus()
        self.input.selectAll()

    @override
    def setVisible(self, visible: bool) -> None:
        """Tell whether it is shown."""
        super().setVisible(visible)
        self.shown.emit(visible)

    def follow(self, turn: TurnId, question: str) -> None:
        """Show the answer of this turn."""
        self._turn = turn
        self.question.setText(question)
        self.answer.show_text("")
        self._rest.show()
        self._fit()

    def show_update(self, update: ConversationUpdate) -> None:
        """Show what goes on in the open conversation."""
        match update:
            case PartialHeard():
                self.follow(NO_TURN, update.text)
            case MessageAdded() if update.message.role is Role.USER and update.turn != self._turn:
                self.follow(update.turn, update.message.text)
            case PacketEmitted() if update.turn == self._turn != NO_TURN:
                self._show_packet(update.packet)
            case _:
                pass

    def _show_packet(self, packet: Packet) -> None:
        match packet:
            case AnswerDelta():
                self.answer.grow(packet.text)
            case Failure():
                self.answer.show_text(packet.message)
            case Ask():
                self.answer.show_text(f"{packet.text}\n\n{self._texts('desktop.quick.asks')}")
            case Done():
                self.answer.complete()
            case _:
                return
        self._fit()

    def enter(self, snapshot: Snapshot) -> None:
        """Show what Sori does."""
        self.presence.show_mood(mood_of(snapshot))
        idle = snapshot.interaction is InteractionState.IDLE
        self.state.setText("" if idle else state_word(self._texts, snapshot))
        talks = snapshot.session is not SessionState.INACTIVE
        self.voice.draw("talk", "accent" if talks else "text")
        if not idle:
            self._rest.show()
            self._fit()

    def show_level(self, level_db: float) -> None:
        """Show the microphone's level in dBFS."""
        self.presence.show_level(level_db)

    def _fit(self) -> None:
        """Be as tall as the answer, up to a limit; beyond it, its end is seen."""
        self.question.setVisible(bool(self.question.text()))
        self.answer.fit(_WIDTH - 2 * _MARGIN - 14)
        height = self.answer.height() if self.answer.source else 0
        self._scroll.setVisible(bool(height))
        self._scroll.setFixedHeight(min(height + 2, _MOST_ANSWER))
        bar = self._scroll.verticalScrollBar()
        bar.setValue(bar.maximum())
        self.adjustSize()

    def _submit(self) -> None:
        if text := self.input.text().strip():
            self.input.clear()
            self.submitted.emit(text)

    def _open(self) -> None:
        self.hide()
        self.open_wanted.emit()

    @override
    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Escape hides it."""
        if event.key() == Qt.Key.Key_Escape:
            self.hide()
        else:
            super().keyPressEvent(event)

    @override
    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep the corners round."""
        super().resizeEvent(event)
        cut_corners(self)
