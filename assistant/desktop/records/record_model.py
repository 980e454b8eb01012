"""The rows of a list of records, of which only those are shown that were searched for."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPersistentModelIndex, Qt, Signal
from typing_extensions import override

from assistant.core.display.finding import is_in_plain, plain_text

AnyIndex = QModelIndex | QPersistentModelIndex
_ROOT = QModelIndex()


@dataclass(frozen=True, kw_only=True)
class RecordRow:
    """One record as a row.

    Attributes:
        key: names the record, so that it stays chosen when the list is read anew.
        title: its first line.
        detail: its second line.
        side: stands at the right of the first line, such as a time.
        kind: the value by which a choice beside the list leaves rows out.
        more: words that are searched too, but not shown in the row.
        problem: whether something went wrong.
        record: the record itself.
    """

    key: str
    title: str
    detail: str = ""
    side: str = ""
    kind: str = ""
    more: str = ""
    problem: bool = False
    record: Any = None

    @cached_property
    def searched(self) -> str:
        """All words of the row, in the form that a search compares."""
        return plain_text(f"{self.title} {self.detail} {self.side} {self.more}")

    @property
    def spoken(self) -> str:
        """The row as a screen reader says it."""
        return ". ".join(filter(None, (self.title, self.detail, self.side)))


class RecordModel(QAbstractListModel):
    """Rows that come in pages. While something is searched, further pages are asked for until there are no more."""

    more_wanted = Signal(object)
    """The next page is wanted; holds the last row so far."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._rows: list[RecordRow] = []
        self._shown: list[RecordRow] = []
        self._query, self._kind = "", ""
        self._more = self._asked = False

    def show_rows(self, rows: Sequence[RecordRow], *, more: bool = False) -> None:
        """Show these rows instead of the former ones.

        Args:
            rows: the first page.
            more: whether there are further ones.
        """
        self._rows, self._more, self._asked = list(rows), more, False
        self._narrow_again()

    def add_rows(self, rows: Sequence[RecordRow], *, more: bool) -> None:
        """Add the next page."""
        self._rows.extend(rows)
        self._more, self._asked = more, False
        found = [each for each in rows if self._fits(each)]
        if found:
            first = len(self._shown)
            self.beginInsertRows(_ROOT, first, first + len(found) - 1)
            self._shown.extend(found)
            self.endInsertRows()
        self._go_on_searching()

    def narrow(self, query: str, kind: str) -> None:
        """Show only rows that contain these words and have this kind; empty for all."""
        if (query, kind) != (self._query, self._kind):
            self._query, self._kind = query, kind
            self._narrow_again()

    @property
    def narrowed(self) -> bool:
        """Whether rows are left out."""
        return bool(self._query or self._kind)

    @property
    def rows(self) -> tuple[RecordRow, ...]:
        """The rows that are shown."""
        return tuple(self._shown)

    def row_at(self, index: AnyIndex) -> RecordRow | None:
        """The row at an index; ``None`` for an invalid one."""
        return self._shown[index.row()] if index.isValid() else None

    def index_of(self, key: str) -> QModelIndex:
        """The index of the row with this key; invalid if it is not shown."""
        found = next((number for number, row in enumerate(self._shown) if row.key == key), -1)
        return self.index(found) if found >= 0 else QModelIndex()

    def _narrow_again(self) -> None:
        self.beginResetModel()
        self._shown = [each for each in self._rows if self._fits(each)]
        self.endResetModel()
        self._go_on_searching()

    def _go_on_searching(self) -> None:
        if self.narrowed:
            self.fetchMore(_ROOT)

    def _fits(self, row: RecordRow) -> bool:
        if self._kind and row.kind != self._kind:
            return False
        return not self._query or is_in_plain(self._query, row.searched)

    @override
    def rowCount(self, parent: AnyIndex = _ROOT) -> int:
        """Number of shown rows."""
        return 0 if parent.isValid() else len(self._shown)

    @override
    def canFetchMore(self, parent: AnyIndex) -> bool:
        """Whether there are further pages."""
        return self._more and not self._asked

    @override
    def fetchMore(self, parent: AnyIndex) -> None:
        """Ask for the next page."""
        if self._more and not self._asked and self._rows:
            self._asked = True
            self.more_wanted.emit(self._rows[-1])

    @override
    def data(self, index: AnyIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """A row's text for the role."""
        row = self.row_at(index)
        if row is None:
            return None
        if role in {Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole}:
            return row.title
        return row.spoken if role == Qt.ItemDataRole.AccessibleTextRole else None
