"""The list of conversations, which are opened, renamed and deleted by mouse or keyboard."""

from PySide6.QtCore import QEvent, QItemSelectionModel, QModelIndex, QPoint, Qt, Signal
from PySide6.QtGui import QContextMenuEvent, QKeyEvent, QKeySequence
from PySide6.QtWidgets import QAbstractItemView, QFrame, QLineEdit, QListView
from typing_extensions import override

from assistant.core.texts import Texts
from assistant.desktop.kit.escape import keeps_escape
from assistant.desktop.kit.icons import Icons
from assistant.desktop.kit.menu import Menu
from assistant.desktop.kit.theme import Theme
from assistant.desktop.sidebar.conversation_model import ConversationModel
from assistant.desktop.sidebar.row_painter import RowPainter


class ConversationRows(QListView):
    """Emits the user's actions on a conversation.

    Args:
        texts: the user's texts.
        icons: source of the icons.
        theme: colours.
        model: the listed conversations.
    """

    open_wanted = Signal(str)
    delete_wanted = Signal(str)
    pin_wanted = Signal(str, bool)
    """A conversation, and whether it should stay at the top."""
    export_wanted = Signal(str, str)
    """A conversation that is wanted as a file, and its title."""
    undo_wanted = Signal()
    left = Signal()
    """The user has left the list."""
    left_upwards = Signal()
    """The user went up from the first row."""

    def __init__(self, texts: Texts, icons: Icons, theme: Theme, model: ConversationModel) -> None:
        super().__init__()
        self._texts, self._conversations = texts, model
        self.setObjectName("conversations")
        self.setAccessibleName(texts("desktop.sidebar.name"))
        self.setModel(model)
        self.painter = RowPainter(icons, theme, texts("desktop.sidebar.rename_field"), self)
        self.setItemDelegate(self.painter)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setMouseTracking(True)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setTextElideMode(Qt.TextElideMode.ElideRight)
        self.clicked.connect(self._clicked)
        self.painter.menu_wanted.connect(self.show_menu)
        theme.changed.connect(self.viewport().update)

    @property
    def editing(self) -> bool:
        """Whether a conversation is being renamed."""
        return self.state() == QAbstractItemView.State.EditingState

    def show_open(self, conversation: str) -> None:
        """Mark the conversation that is open."""
        self.painter.open_conversation = conversation
        self.viewport().update()

    def enter_at(self, conversation: str) -> None:
        """Select a conversation, or the first one if it is not listed."""
        index = self._conversations.index_of(conversation)
        self._go_to(index if index.isValid() else self._next(-1, 1))

    def rename_current(self) -> None:
        """Let the user edit the name in the row."""
        if self._conversations.entry_at(self.currentIndex()) is not None:
            self.edit(self.currentIndex())

    @property
    def written(self) -> tuple[str, str] | None:
        """The conversation that is being renamed, and its name so far."""
        entry = self._conversations.entry_at(self.currentIndex())
        field = self.viewport().findChild(QLineEdit)
        return (entry.id, field.text()) if self.editing and entry is not None and field is not None else None

    def rename_on(self, conversation: str, name: str) -> None:
        """Let the user go on writing a name; nothing if the conversation is not listed."""
        index = self._conversations.index_of(conversation)
        if index.isValid():
            self._go_to(index)
            self.edit(index)
            if (field := self.viewport().findChild(QLineEdit)) is not None:
                field.setText(name)

    def delete_current(self) -> None:
        """Delete the selected conversation and select the next one."""
        if (entry := self._conversations.entry_at(self.currentIndex())) is not None:
            self.delete_wanted.emit(entry.id)

    def show_menu(self, at: QPoint) -> None:
        """Show the menu of actions on the row's conversation.

        Args:
            at: point of the screen.
        """
        entry = self._conversations.entry_at(self.currentIndex())
        if entry is None:
            return
        menu = Menu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.addAction(self._texts("desktop.sidebar.open"), lambda: self.open_wanted.emit(entry.id))
        rename = menu.addAction(self._texts("desktop.sidebar.rename"), self.rename_current)
        pin = "desktop.conversations.unpin" if entry.pinned else "desktop.conversations.pin"
        menu.addAction(self._texts(pin), lambda: self.pin_wanted.emit(entry.id, not entry.pinned))
        title = self._conversations.title_at(self.currentIndex())
        menu.addAction(self._texts("desktop.conversations.export"), lambda: self.export_wanted.emit(entry.id, title))
        delete = menu.addAction(self._texts("desktop.sidebar.delete"), self.delete_current)
        # This only displays the key. The list handles it.
        rename.setShortcut(QKeySequence(Qt.Key.Key_F2))
        delete.setShortcut(QKeySequence(Qt.Key.Key_Delete))
        menu.popup(at)

    def _clicked(self, index: QModelIndex) -> None:
        entry = self._conversations.entry_at(index)
        if entry is not None and not self.painter.sign_clicked:
            self.open_wanted.emit(entry.id)

    @override
    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Show the menu of the clicked row, or of the current row after the menu key."""
        index = self.indexAt(event.pos())
        if event.reason() == QContextMenuEvent.Reason.Keyboard:
            rect = self.visualRect(self.currentIndex())
            self.show_menu(self.viewport().mapToGlobal(rect.center()))
        elif self._conversations.entry_at(index) is not None:
            self.setCurrentIndex(index)
            self.show_menu(event.globalPos())

    @override
    def event(self, event: QEvent) -> bool:
        """Let the list handle Escape before the window does."""
        return keeps_escape(event) or super().event(event)

    @override
    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Arrows move, Enter opens, F2 renames, Delete deletes, Ctrl+Z undoes; typed text goes to the message."""
        if self.editing:
            return  # The editor has handled the key: the Enter that ends a name opens nothing.
        key = Qt.Key(event.key())
        entry = self._conversations.entry_at(self.currentIndex())
        if key in {Qt.Key.Key_Return, Qt.Key.Key_Enter} and entry is not None:
            self.open_wanted.emit(entry.id)
        elif key == Qt.Key.Key_F2:
            self.rename_current()
        elif key == Qt.Key.Key_Delete:
            self.delete_current()
        elif key == Qt.Key.Key_Escape:
            self.left.emit()
        elif event.matches(QKeySequence.StandardKey.Undo):
            self.undo_wanted.emit()
        elif key in {Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_Home, Qt.Key.Key_End}:
            self._walk(key)
        elif key in {Qt.Key.Key_PageUp, Qt.Key.Key_PageDown}:
            super().keyPressEvent(event)
        else:
            event.ignore()

    def _walk(self, key: Qt.Key) -> None:
        """Go to a neighbour and skip headings; going up from the first row leaves the list."""
        at, count = self.currentIndex().row(), self._conversations.rowCount()
        target = {
            Qt.Key.Key_Up: lambda: self._next(at, -1),
            Qt.Key.Key_Down: lambda: self._next(at, 1),
            Qt.Key.Key_Home: lambda: self._next(-1, 1),
            Qt.Key.Key_End: lambda: self._next(count, -1),
        }[key]()
        if target.isValid():
            self._go_to(target)
        elif key == Qt.Key.Key_Up:
            self.left_upwards.emit()

    def _next(self, at: int, step: int) -> QModelIndex:
        """The next conversation from row ``at`` in a direction; invalid if there is none."""
        at += step
        while 0 <= at < self._conversations.rowCount():
            index = self._conversations.index(at)
            if self._conversations.entry_at(index) is not None:
                return index
            at += step
        return QModelIndex()

    def _go_to(self, index: QModelIndex) -> None:
        self.selectionModel().setCurrentIndex(index, QItemSelectionModel.SelectionFlag.ClearAndSelect)
        self.scrollTo(index)
