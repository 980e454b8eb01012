"""The rows of the list: headings and conversations."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPersistentModelIndex, Qt, Signal
from typing_extensions import override

from assistant.core.markdown.letters import shown
from assistant.core.records.conversations import ConversationEntry, ConversationMark
from assistant.core.texts import Texts
from assistant.desktop.kit.plain import tip
from assistant.desktop.sidebar.groups import grouped

AnyIndex = QModelIndex | QPersistentModelIndex
_ROOT = QModelIndex()


@dataclass(frozen=True, slots=True)
class ListRow:
    """A conversation, or with ``heading`` a heading; ``entry`` is then ``None``."""

    heading: str
    entry: ConversationEntry | None


class ConversationModel(QAbstractListModel):
    """Conversations under headings. Editing a row's text renames the conversation.

    Args:
        texts: the user's texts.
    """

    renamed = Signal(str, str)
    """A conversation's id and its new name."""

    def __init__(self, texts: Texts, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._texts = texts
        self._rows: list[ListRow] = []
        self._marks: dict[str, ConversationMark] = {}

    def show_entries(self, entries: Sequence[ConversationEntry], today: date) -> None:
        """Show these entries, newest first."""
        self.beginResetModel()
        self._rows = []
        for key, members in grouped(entries, today):
            self._rows.append(ListRow(self._texts(key), None))
            self._rows.extend(ListRow("", entry) for entry in members)
        self.endResetModel()

    def entry_at(self, index: AnyIndex) -> ConversationEntry | None:
        """The conversation of a row, ``None`` for a heading or an invalid index."""
        return self._rows[index.row()].entry if index.isValid() else None

    def title_at(self, index: AnyIndex) -> str:
        """The text of a row: its heading or its title."""
        row = self._rows[index.row()]
        if row.entry is None:
            return row.heading
        return shown(row.entry.title) or self._texts("desktop.sidebar.untitled")

    def show_mark(self, conversation: str, mark: ConversationMark) -> None:
        """Show what goes on in a conversation, also where it is listed only later."""
        self._marks[conversation] = mark
        if (index := self.index_of(conversation)).isValid():
            self.dataChanged.emit(index, index)

    def mark_at(self, index: AnyIndex) -> ConversationMark:
        """What goes on in the conversation of a row."""
        entry = self.entry_at(index)
        return ConversationMark.NONE if entry is None else self._marks.get(entry.id, ConversationMark.NONE)

    def index_of(self, conversation: str) -> QModelIndex:
        """The index of a conversation; invalid if it is not listed."""
        for number, row in enumerate(self._rows):
            if row.entry is not None and row.entry.id == conversation:
                return self.index(number)
        return QModelIndex()

    @override
    def rowCount(self, parent: AnyIndex = _ROOT) -> int:
        """Number of rows, including headings."""
        return 0 if parent.isValid() else len(self._rows)

    @override
    def flags(self, index: AnyIndex) -> Qt.ItemFlag:
        """Headings can be neither selected nor edited."""
        if self.entry_at(index) is None:
            return Qt.ItemFlag.NoItemFlags
        return Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemIsEditable

    @override
    def data(self, index: AnyIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """A row's text for the role."""
        if not index.isValid():
            return None
        entry = self.entry_at(index)
        if role in {Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.EditRole}:
            return self.title_at(index)
        if role == Qt.ItemDataRole.ToolTipRole and entry is not None:
            return tip(self.title_at(index))
        if role == Qt.ItemDataRole.AccessibleTextRole and entry is not None:
            mark = self.mark_at(index)
            marked = "" if mark is ConversationMark.NONE else self._texts(f"desktop.sidebar.mark.{mark.value}")
            return ". ".join(words for words in (self.title_at(index), marked, entry.passage().text) if words)
        return None

    @override
    def setData(self, index: AnyIndex, value: Any, role: int = Qt.ItemDataRole.EditRole) -> bool:
        """Rename. The row changes after the engine has confirmed it."""
        entry = self.entry_at(index)
        title = " ".join(str(value).split())
        if entry is None or role != Qt.ItemDataRole.EditRole or title == entry.title:
            return False
        self.renamed.emit(entry.id, title)
        return True
