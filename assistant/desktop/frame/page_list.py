"""The list of all pages, in groups, with the parts of the shown page below it."""

from collections.abc import Collection, Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QAbstractItemView, QListWidget, QListWidgetItem
from typing_extensions import override

_PAGE, _PART = Qt.ItemDataRole.UserRole, Qt.ItemDataRole.UserRole + 1
_INDENT = "\u2003"


class PageList(QListWidget):
    """Emits what the user chooses.

    Args:
        name: the name of the list for a screen reader.
        groups: the title of each group with the names and titles of its pages.
    """

    chosen = Signal(str, str)
    """A page, and the part of it; empty for the page itself."""

    def __init__(self, name: str, groups: Sequence[tuple[str, Sequence[tuple[str, str]]]]) -> None:
        super().__init__()
        self._page = ""
        self._found: Collection[str] | None = None
        self.setObjectName("sections")
        self.setAccessibleName(name)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setTextElideMode(Qt.TextElideMode.ElideRight)
        for title, pages in groups:
            heading = QListWidgetItem(title)
            heading.setFlags(Qt.ItemFlag.NoItemFlags)
            font = heading.font()
            font.setPointSizeF(font.pointSizeF() * 0.86)
            heading.setFont(font)
            self.addItem(heading)
            for page, words in pages:
                self.addItem(_item(page, "", words))
        self.currentItemChanged.connect(self._choose)

    def show_parts(self, page: str, parts: Sequence[tuple[str, str]]) -> None:
        """List the parts of a page below it."""
        self.blockSignals(True)
        for item in self._items():
            if item.data(_PAGE) == page and item.data(_PART):
                self.takeItem(self.row(item))
        row = next(self.row(item) for item in self._items() if item.data(_PAGE) == page)
        for number, (part, title) in enumerate(parts, 1):
            self.insertItem(row + number, _item(page, part, _INDENT + title))
        self.blockSignals(False)
        self._show_items()

    def show_page(self, page: str, part: str = "") -> None:
        """Mark the page that is shown, or a part of it."""
        self._page = page
        self._show_items()
        of_page = [item for item in self._items() if item.data(_PAGE) == page]
        current = next((item for item in of_page if item.data(_PART) == part), of_page[0])
        self.blockSignals(True)
        self.setCurrentItem(current)
        self.blockSignals(False)
        self.scrollToItem(current)

    def show_found(self, pages: Collection[str] | None) -> None:
        """Show these pages only; all for ``None``."""
        self._found = pages
        self._show_items()

    @property
    def visible(self) -> list[tuple[str, str]]:
        """The pages and parts that can be chosen now."""
        shown = (item for item in self._items() if not item.isHidden() and item.data(_PAGE))
        return [(item.data(_PAGE), item.data(_PART)) for item in shown]

    @override
    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Home goes to the first page: the first row is a heading, where Qt would end."""
        if event.key() == Qt.Key.Key_Home:
            self.setCurrentItem(next(item for item in self._items() if item.data(_PAGE) and not item.isHidden()))
        else:
            super().keyPressEvent(event)

    def _items(self) -> list[QListWidgetItem]:
        return [self.item(row) for row in range(self.count())]

    def _show_items(self) -> None:
        heading: QListWidgetItem | None = None
        for item in self._items():
            if not item.data(_PAGE):
                heading = item
                heading.setHidden(True)
                continue
            found = self._found is None or item.data(_PAGE) in self._found
            if item.data(_PART):
                found = self._found is None and item.data(_PAGE) == self._page
            item.setHidden(not found)
            if found and heading is not None:
                heading.setHidden(False)

    def _choose(self, item: QListWidgetItem | None) -> None:
        if item is not None:
            self.chosen.emit(item.data(_PAGE), item.data(_PART))


def _item(page: str, part: str, words: str) -> QListWidgetItem:
    item = QListWidgetItem(words)
    item.setData(_PAGE, page)
    item.setData(_PART, part)
    return item
