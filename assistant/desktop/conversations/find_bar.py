"""Finds words in the open conversation."""

from PySide6.QtCore import QEvent, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLineEdit
from typing_extensions import override

from assistant.core.texts import Texts
from assistant.desktop.kit.buttons import IconButton
from assistant.desktop.kit.escape import keeps_escape
from assistant.desktop.kit.icons import Icons
from assistant.desktop.kit.plain import PlainLabel
from assistant.desktop.kit.theme import Theme

_PAUSE_MS = 150
"""After the last key, so that a search starts when the user pauses."""


class FindField(QLineEdit):
    """Where the words are written. Enter goes to the next message, Shift+Enter to the one before."""

    moved = Signal(int)
    left = Signal()

    @override
    def event(self, event: QEvent) -> bool:
        """Let the field handle Escape before the window does."""
        return keeps_escape(event) or super().event(event)

    @override
    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Move between the messages, or leave."""
        back = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        match event.key():
            case Qt.Key.Key_Return | Qt.Key.Key_Enter | Qt.Key.Key_F3:
                self.moved.emit(-1 if back else 1)
            case Qt.Key.Key_Up:
                self.moved.emit(-1)
            case Qt.Key.Key_Down:
                self.moved.emit(1)
            case Qt.Key.Key_Escape:
                self.left.emit()
            case _:
                super().keyPressEvent(event)


class FindBar(QFrame):
    """A field, the number of messages found, and buttons to move between them; newest first.

    Args:
        texts: the user's texts.
        icons: source of the icons.
        theme: colours.
    """

    find_wanted = Signal(str)
    """The user wants the messages with these words."""
    shown = Signal(str)
    """The message with this id is wanted."""
    closed = Signal()

    def __init__(self, texts: Texts, icons: Icons, theme: Theme) -> None:
        super().__init__()
        self._texts = texts
        self._found: tuple[str, ...] = ()
        self._at = 0
        self.setObjectName("find")
        self.field = FindField()
        self.field.setObjectName("search")
        self.field.setPlaceholderText(texts("desktop.find.field"))
        self.field.setAccessibleName(texts("desktop.find.field"))
        self.field.setClearButtonEnabled(True)
        self.count = PlainLabel()
        self.count.setObjectName("hint")
        self.before = IconButton(icons, theme, "left", texts("desktop.find.before"), size=16)
        self.after = IconButton(icons, theme, "right", texts("desktop.find.after"), size=16)
        self.close_button = IconButton(icons, theme, "close", texts("desktop.find.close"), size=14)
        self._pause = QTimer(self)
        self._pause.setSingleShot(True)
        self._pause.setInterval(_PAUSE_MS)
        self._pause.timeout.connect(lambda: self.find_wanted.emit(self.query))
        line = QHBoxLayout(self)
        line.setContentsMargins(12, 6, 8, 6)
        line.setSpacing(6)
        line.addWidget(self.field, 1)
        for each in (self.count, self.before, self.after, self.close_button):
            line.addWidget(each)
        self.field.textChanged.connect(self._pause.start)
        self.field.moved.connect(self._move)
        self.field.left.connect(self.leave)
        self.before.clicked.connect(lambda: self._move(-1))
        self.after.clicked.connect(lambda: self._move(1))
        self.close_button.clicked.connect(self.leave)
        self.hide()
        self._show_count()

    @property
    def query(self) -> str:
        """The words to find."""
        return self.field.text().strip()

    def enter(self) -> None:
        """Show the bar, and let the user write."""
        self.show()
        self.field.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.field.selectAll()
        if self.query:
            self.find_wanted.emit(self.query)

    def leave(self) -> None:
        """Close the bar."""
        self._pause.stop()
        self._found = ()
        self.hide()
        self.closed.emit()

    def show_found(self, query: str, found: tuple[str, ...]) -> None:
        """Show what was found, newest last, and go to the newest one."""
        if query != self.query or self.isHidden():
            return
        self._found, self._at = found, len(found) - 1
        self._show_count()
        if found:
            self.shown.emit(found[self._at])

    def _move(self, step: int) -> None:
        if self._pause.isActive():
            self._pause.stop()
            self.find_wanted.emit(self.query)
        elif self._found:
            # The field begins at the newest message: the next one is above it.
            self._at = (self._at - step) % len(self._found)
            self._show_count()
            self.shown.emit(self._found[self._at])

    def _show_count(self) -> None:
        every = len(self._found)
        if not self.query:
            self.count.setText("")
        elif every:
            self.count.setText(self._texts("desktop.find.count", number=every - self._at, all=every))
        else:
            self.count.setText(self._texts("desktop.find.none"))
        self.before.setEnabled(every > 1)
        self.after.setEnabled(every > 1)
