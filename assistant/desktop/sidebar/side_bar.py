"""The side bar: a search, the conversations, and the offer to undo a deletion."""

from collections.abc import Callable
from datetime import UTC, date, datetime

from PySide6.QtCore import QEvent, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLineEdit, QVBoxLayout
from typing_extensions import override

from assistant.core.records.conversations import ConversationEntry
from assistant.core.texts import Texts
from assistant.core.updates import ConversationDeleted, ConversationMarked
from assistant.desktop.kit.buttons import IconButton
from assistant.desktop.kit.escape import keeps_escape
from assistant.desktop.kit.icons import Icons
from assistant.desktop.kit.plain import PlainLabel
from assistant.desktop.kit.theme import Theme
from assistant.desktop.kit.undo_bar import Undoable, UndoBar
from assistant.desktop.sidebar.conversation_model import ConversationModel
from assistant.desktop.sidebar.conversation_rows import ConversationRows

SEARCH_DELAY_MS = 150
"""Delay after the last key, so that a search starts when the user pauses."""


def today() -> date:
    """The current day in the user's time zone."""
    return datetime.now(UTC).astimezone().date()


class SearchField(QLineEdit):
    """The search field. The arrow keys lead into the list."""

    list_wanted = Signal()
    left = Signal()
    """The user has left the empty search field."""

    @override
    def event(self, event: QEvent) -> bool:
        """Let the field handle Escape before the window does."""
        return keeps_escape(event) or super().event(event)

    @override
    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Down goes into the list; Escape first empties the field, then leaves it."""
        if event.key() in {Qt.Key.Key_Down, Qt.Key.Key_PageDown}:
            self.list_wanted.emit()
        elif event.key() == Qt.Key.Key_Escape:
            if self.text():
                self.clear()
            else:
                self.left.emit()
        else:
            super().keyPressEvent(event)


class SideBar(QFrame):
    """Shows conversations and emits the user's actions on them.

    Args:
        texts: the user's texts.
        icons: source of the icons.
        theme: colours.
        day: returns the current day.
    """

    list_wanted = Signal(str)
    """The user wants the conversations that match this text, or all if it is empty."""
    open_wanted = Signal(str)
    new_wanted = Signal()
    rename_wanted = Signal(str, str)
    delete_wanted = Signal(str)
    pin_wanted = Signal(str, bool)
    export_wanted = Signal(str, str)
    restore_wanted = Signal(str)
    left = Signal()
    """The user has left the side bar; the message input gets the focus."""

    def __init__(self, texts: Texts, icons: Icons, theme: Theme, day: Callable[[], date] = today) -> None:
        super().__init__()
        self._texts, self._day = texts, day
        self._late: tuple[str, tuple[ConversationEntry, ...]] | None = None
        self._written: tuple[str, str] | None = None
        self._open_conversation = ""
        self.setObjectName("sidebar")
        self.setAccessibleName(texts("desktop.sidebar.name"))
        self.search = SearchField()
        self.search.setObjectName("search")
        self.search.setPlaceholderText(texts("desktop.sidebar.search"))
        self.search.setAccessibleName(texts("desktop.sidebar.search"))
        self.search.setClearButtonEnabled(True)
        self.new = IconButton(icons, theme, "new", texts("desktop.action.new"))
        self.model = ConversationModel(texts, self)
        self.rows = ConversationRows(texts, icons, theme, self.model)
        self.nothing = PlainLabel()
        self.nothing.setObjectName("hint")
        self.nothing.setWordWrap(True)
        self.nothing.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        self.undo = UndoBar(texts)
        self._pause = QTimer(self)
        self._pause.setSingleShot(True)
        self._pause.setInterval(SEARCH_DELAY_MS)
        self._lay_out()
        self._connect()

    def _lay_out(self) -> None:
        head = QHBoxLayout()
        head.setContentsMargins(10, 10, 8, 6)
        head.setSpacing(6)
        head.addWidget(self.search, 1)
        head.addWidget(self.new)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 1, 0)
        layout.setSpacing(0)
        layout.addLayout(head)
        layout.addWidget(self.nothing)
        layout.addWidget(self.rows, 1)
        layout.addStretch()  # Keeps the foot low and narrow while the list of rows is hidden.
        foot = QVBoxLayout()
        foot.setContentsMargins(8, 6, 8, 8)
        foot.addWidget(self.undo)
        layout.addLayout(foot)

    def _connect(self) -> None:
        self.search.textChanged.connect(self._pause.start)
        self.search.returnPressed.connect(self._open_first)
        self.search.list_wanted.connect(self.enter_list)
        self.search.left.connect(self.left)
        self._pause.timeout.connect(self.refresh)
        self.new.clicked.connect(self.new_wanted)
        self.rows.open_wanted.connect(self.open_wanted)
        self.rows.delete_wanted.connect(self.delete_wanted)
        self.rows.pin_wanted.connect(self.pin_wanted)
        self.rows.export_wanted.connect(self.export_wanted)
        self.rows.undo_wanted.connect(self.undo.undo)
        self.rows.left.connect(self.left)
        self.rows.left_upwards.connect(self.search.setFocus)
        self.rows.painter.closeEditor.connect(self._edited)
        self.model.renamed.connect(self.rename_wanted)
        self.undo.undo_wanted.connect(self.restore_wanted)

    @property
    def query(self) -> str:
        """The text to search for."""
        return " ".join(self.search.text().split())

    def refresh(self) -> None:
        """Ask for the list."""
        self._pause.stop()
        self.list_wanted.emit(self.query)

    def show_listed(self, query: str, entries: tuple[ConversationEntry, ...]) -> None:
        """Show the conversations if they match the current search; wait while one is being renamed."""
        if query != self.query:
            return
        if self.rows.editing:
            self._late = query, entries
            return
        self._late = None
        current = self.model.entry_at(self.rows.currentIndex())
        row, above = self.rows.currentIndex().row(), self.rows.verticalScrollBar().value()
        self.model.show_entries(entries, self._day())
        self.nothing.setVisible(not entries)
        self.rows.setVisible(bool(entries))
        key = "desktop.sidebar.found_none" if query else "desktop.sidebar.none"
        self.nothing.setText(self._texts(key))
        self.rows.verticalScrollBar().setValue(above)
        if current is not None:
            self._stay_at(current.id, row)
        if (written := self._written) is not None and entries:
            self._written = None
            self.rows.rename_on(*written)

    def take_written(self, conversation: str, name: str) -> None:
        """Let the user go on writing a conversation's name, as soon as the list is shown."""
        self._written = conversation, name

    def _stay_at(self, conversation: str, row: int) -> None:
        """Keep the selected conversation. If it is gone, select the one at its position."""
        index = self.model.index_of(conversation)
        if not index.isValid():
            near = (self.model.index(at) for at in (row, row + 1, row - 1) if 0 <= at < self.model.rowCount())
            index = next((each for each in near if self.model.entry_at(each) is not None), index)
        self.rows.setCurrentIndex(index)

    def show_open(self, conversation: str) -> None:
        """Mark the conversation that is open."""
        self._open_conversation = conversation
        self.rows.show_open(conversation)

    def show_mark(self, marked: ConversationMarked) -> None:
        """Show what goes on in a conversation."""
        self.model.show_mark(marked.conversation, marked.mark)

    def show_deleted(self, deleted: ConversationDeleted) -> None:
        """Offer to undo a deletion."""
        title = deleted.title or self._texts("desktop.sidebar.untitled")
        self.undo.offer(
            Undoable(
                name=deleted.conversation,
                words=self._texts("desktop.sidebar.deleted", title=title),
                button_words=self._texts("desktop.sidebar.undo_name", title=title),
                undo_s=deleted.undo_s,
            )
        )

    def enter_search(self) -> None:
        """Focus the search field."""
        self.search.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.search.selectAll()

    def enter_list(self) -> None:
        """Focus the list at the open conversation or at the first match."""
        if self.model.rowCount():
            self.rows.setFocus(Qt.FocusReason.TabFocusReason)
            self.rows.enter_at("" if self.query else self._open_conversation)

    def _open_first(self) -> None:
        self._pause.stop()
        self.rows.enter_at("")
        entry = self.model.entry_at(self.rows.currentIndex())
        if self.query and entry is not None:
            self.open_wanted.emit(entry.id)

    def _edited(self) -> None:
        """End renaming and show an update that arrived meanwhile."""
        if (late := self._late) is not None:
            self._late = None
            QTimer.singleShot(0, self, lambda: self.show_listed(*late))
