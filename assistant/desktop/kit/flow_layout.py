"""A layout that places items side by side and wraps them onto further lines."""

from PySide6.QtCore import QMargins, QPoint, QRect, QSize, Qt
from PySide6.QtWidgets import QLayout, QLayoutItem
from typing_extensions import override


class FlowLayout(QLayout):
    """Lines of items. Each item has its preferred width, at most the width of the line.

    Args:
        spacing: pixels between items and between lines.
        line_spacing: pixels between lines, if different.
        from_right: whether lines are aligned to the right edge.
    """

    def __init__(self, spacing: int, *, line_spacing: int | None = None, from_right: bool = False) -> None:
        super().__init__()
        self._items: list[QLayoutItem] = []
        self._line_spacing = spacing if line_spacing is None else line_spacing
        self._from_right = from_right
        self.setSpacing(spacing)
        self.setContentsMargins(QMargins())

    @override
    def addItem(self, item: QLayoutItem) -> None:
        """Append an item."""
        self._items.append(item)

    @override
    def count(self) -> int:
        """Number of items."""
        return len(self._items)

    @override
    def itemAt(self, index: int) -> QLayoutItem | None:
        """The item at ``index``."""
        return self._items[index] if 0 <= index < len(self._items) else None

    @override
    def takeAt(self, index: int) -> QLayoutItem | None:
        """Remove and return the item at ``index``."""
        return self._items.pop(index) if 0 <= index < len(self._items) else None

    @override
    def expandingDirections(self) -> Qt.Orientation:
        """The layout does not expand."""
        return Qt.Orientation(0)

    @override
    def hasHeightForWidth(self) -> bool:
        """The height depends on the width."""
        return True

    @override
    def heightForWidth(self, width: int) -> int:
        """Height of the lines at a width of ``width`` pixels."""
        edges = self.contentsMargins()
        lines = self._lines(width - edges.left() - edges.right())
        heights = sum(height for _, height in lines) + self._line_spacing * max(len(lines) - 1, 0)
        return heights + edges.top() + edges.bottom()

    @override
    def sizeHint(self) -> QSize:
        """The size of all items on one line."""
        sizes = [item.sizeHint() for item in self._items if not item.isEmpty()]
        gaps = self.spacing() * max(len(sizes) - 1, 0)
        height = max((size.height() for size in sizes), default=0)
        return QSize(sum(size.width() for size in sizes) + gaps, height).grownBy(self.contentsMargins())

    @override
    def minimumSize(self) -> QSize:
        """The largest minimum size of any item."""
        sizes = [item.minimumSize() for item in self._items if not item.isEmpty()]
        width = max((size.width() for size in sizes), default=0)
        height = max((size.height() for size in sizes), default=0)
        return QSize(width, height).grownBy(self.contentsMargins())

    @override
    def setGeometry(self, rect: QRect) -> None:
        """Place the items."""
        super().setGeometry(rect)
        rect = rect.marginsRemoved(self.contentsMargins())
        y = rect.y()
        for line, height in self._lines(rect.width()):
            widths = [width for _, width in line]
            used = sum(widths) + self.spacing() * (len(line) - 1)
            x = rect.x() + (rect.width() - used if self._from_right else 0)
            for item, width in line:
                tall = min(item.sizeHint().height(), height)
                item.setGeometry(QRect(QPoint(x, y + (height - tall) // 2), QSize(width, tall)))
                x += width + self.spacing()
            y += height + self._line_spacing

    def _lines(self, room: int) -> list[tuple[list[tuple[QLayoutItem, int]], int]]:
        """The items of every line with their widths, and the line's height."""
        lines: list[tuple[list[tuple[QLayoutItem, int]], int]] = []
        left = 0
        for item in self._items:
            if item.isEmpty():
                continue
            hint = item.sizeHint()
            width = max(min(hint.width(), room), 1)
            if not lines or width > left:
                left = room
                lines.append(([], 0))
                width = min(width, max(left, 1))
            parts, height = lines[-1]
            lines[-1] = ([*parts, (item, width)], max(height, hint.height()))
            left -= width + self.spacing()
        return lines
