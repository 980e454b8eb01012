"""The title of the open conversation, which is changed where it stands."""

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent, QMouseEvent, QResizeEvent
from PySide6.QtWidgets import QLineEdit
from typing_extensions import override

from assistant.core.markdown.letters import shown
from assistant.core.texts import Texts
from assistant.desktop.kit.elided_label import ElidedLabel
from assistant.desktop.kit.escape import keeps_escape

_LONGEST = 120


class TitleField(QLineEdit):
    """Where the title is written. Escape gives it up; Enter and leaving the field keep it."""

    done = Signal(bool)
    """The user has finished; whether the new title is wanted."""

    @override
    def event(self, event: QEvent) -> bool:
        """Let the field handle Escape before the window does."""
        return keeps_escape(event) or super().event(event)

    @override
    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Finish with Enter or Escape."""
        if event.key() in {Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Escape}:
            self.done.emit(event.key() != Qt.Key.Key_Escape)
        else:
            super().keyPressEvent(event)

    @override
    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Finish when the user goes elsewhere, but not for a menu or another window."""
        super().focusOutEvent(event)
        if event.reason() not in {Qt.FocusReason.PopupFocusReason, Qt.FocusReason.ActiveWindowFocusReason}:
            self.done.emit(True)


class TitleLabel(ElidedLabel):
    """Shows the title; a click, Enter or F2 on it lets the user change it.

    Args:
        texts: the user's texts.
    """

    renamed = Signal(str)
    """The title that the user wants; empty for the one from the first message."""

    def __init__(self, texts: Texts) -> None:
        super().__init__(texts("desktop.action.new"))
        self._texts = texts
        self._title = ""
        self._can_change = False
        self._written: str | None = None
        self.setObjectName("title")
        self.field = TitleField(self)
        self.field.setObjectName("rename")
        self.field.setAccessibleName(texts("desktop.sidebar.rename_field"))
        self.field.setMaxLength(_LONGEST)
        self.field.hide()
        self.field.done.connect(self._finish)

    @property
    def editing(self) -> bool:
        """Whether the title is being changed."""
        return not self.field.isHidden()

    def show_title(self, title: str, *, can_change: bool) -> None:
        """Show a title, empty for a new conversation, and whether it can be changed."""
        self._title, self._can_change = title, can_change
        words = shown(title) or self._texts("desktop.action.new")
        self.setText(words)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus if can_change else Qt.FocusPolicy.NoFocus)
        self.setCursor(Qt.CursorShape.IBeamCursor if can_change else Qt.CursorShape.ArrowCursor)
        self.setAccessibleName(self._texts("desktop.conversations.title_name", title=words))
        if can_change and self._written is not None:
            self.edit()
            self.field.setText(self._written)
            self._written = None

    @property
    def written(self) -> str | None:
        """What the user has written so far as another title; ``None`` if it is not being changed."""
        return self.field.text() if self.editing else self._written

    def take_written(self, title: str) -> None:
        """Let the user go on writing a title, as soon as the one that it replaces is shown."""
        self._written = title

    def edit(self) -> None:
        """Let the user change the title."""
        if not self._can_change or self.editing:
            return
        self.field.setText(self._title)
        self.field.setGeometry(self.rect())
        self.field.show()
        self.field.selectAll()
        self.field.setFocus(Qt.FocusReason.OtherFocusReason)

    def _finish(self, wanted: bool) -> None:
        if not self.editing:
            return
        title = " ".join(self.field.text().split())
        self.field.hide()
        if wanted and title != self._title:
            self.setText(title or self._texts("desktop.action.new"))
            self.renamed.emit(title)

    @override
    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Change the title."""
        if event.button() == Qt.MouseButton.LeftButton:
            self.edit()

    @override
    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Change the title."""
        if event.key() in {Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_F2}:
            self.edit()
        else:
            super().keyPressEvent(event)

    @override
    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep the field over the title."""
        super().resizeEvent(event)
        self.field.setGeometry(self.rect())
