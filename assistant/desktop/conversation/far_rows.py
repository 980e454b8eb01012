"""A list of rows in which only those near the view have widgets, so that a long conversation costs what is seen of it.

A run of rows without widgets is a ``FarStretch`` above the next row that has some. The newest rows always have theirs,
and so has every row that the user has changed: with the focus, a selection, an open part, or an edit.
"""

from PySide6.QtCore import QTimer
from PySide6.QtGui import QResizeEvent, QShowEvent
from PySide6.QtWidgets import QWidget
from typing_extensions import override

from assistant.core.texts import Texts
from assistant.desktop.conversation.message_rows import MessageRow
from assistant.desktop.conversation.row_list import RowList
from assistant.desktop.conversation.stored_rows import FarStretch, StoredRow
from assistant.desktop.kit.icons import Icons
from assistant.desktop.kit.theme import Theme

_NEWEST = 12
"""Rows at the end that keep their widgets."""
_AHEAD, _FAR = 1.0, 3.0
"""Rows get widgets at this distance from the view, and lose them at the other; in heights of the view."""
_AT_ONCE = 8
"""Rows that lose their widgets at once."""
_MOST_LOOKS = 4
"""Rows turn out shorter than estimated: the view is looked at again until it is filled."""


class FarRowList(RowList):
    """Gives rows their widgets when they come near the view, and takes them when they are far from it.

    Args:
        texts: the user's texts.
        icons: source of the icons.
        theme: colours.
    """

    def __init__(self, texts: Texts, icons: Icons, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(texts, icons, theme, parent)
        self._stretches: dict[MessageRow, FarStretch] = {}
        """Stretches by the rows below them."""
        self._tending = QTimer(self, singleShot=True, interval=0)
        self._tending.timeout.connect(self._tend)
        self.verticalScrollBar().valueChanged.connect(self._fill_view)
        self.verticalScrollBar().rangeChanged.connect(self._tending.start)

    def _make_row(self, stored: StoredRow) -> MessageRow:
        """Make the widgets of a row."""
        raise NotImplementedError

    def _came(self, rows: list[MessageRow]) -> None:
        """Rows have got widgets."""
        raise NotImplementedError

    def _gave(self, row: MessageRow, stored: StoredRow) -> None:
        """A row gives its widgets back."""
        raise NotImplementedError

    # Stretches

    def _put_above(self, rows: list[StoredRow], row: MessageRow, *, before: bool = False) -> None:
        """Add rows without widgets above a row: below those that are there, or before them."""
        if not rows:
            return
        if (stretch := self._stretches.get(row)) is None:
            stretch = self._stretches[row] = FarStretch([], self._column.spacing())
            self._column.insertWidget(self._column.indexOf(row), stretch)
            stretch.show()
        stretch.rows[: 0 if before else len(stretch.rows)] = [*rows, *([] if before else stretch.rows)]
        stretch.fit()

    def _take_above(self, row: MessageRow) -> list[StoredRow]:
        """Remove the stretch above a row; returns what it held."""
        if (stretch := self._stretches.pop(row, None)) is None:
            return []
        self._column.removeWidget(stretch)
        stretch.hide()
        stretch.deleteLater()
        return stretch.rows

    def _wake(self, below: MessageRow, first: int, end: int) -> list[MessageRow]:
        """Give rows of the stretch above ``below`` their widgets; returns them."""
        stored = self._take_above(below)
        at = self._rows.index(below)
        rows = [self._make_row(each) for each in stored[first:end]]
        for number, row in enumerate(rows):
            self._insert(row, at + number)
        self._put_above(stored[:first], rows[0] if rows else below)
        self._put_above(stored[end:], below)
        self._came(rows)
        return rows

    @override
    def _remove(self, row: MessageRow) -> None:
        stored, at = self._take_above(row), self._rows.index(row)
        super()._remove(row)
        if not stored:
            return
        if at < len(self._rows):
            self._put_above(stored, self._rows[at], before=True)
        else:
            newest = self._make_row(stored.pop())
            self._append(newest)
            self._put_above(stored, newest)
            self._came([newest])

    def _forget_far(self) -> None:
        """Forget all rows that have no widgets."""
        for row in [*self._stretches]:
            self._take_above(row)

    def _wake_one(self, stored: StoredRow) -> MessageRow | None:
        """Give one row its widgets, wherever it stands."""
        for below, stretch in self._stretches.items():
            if stored in stretch.rows:
                at = stretch.rows.index(stored)
                self._keep_place()
                (row,) = self._wake(below, at, at + 1)
                self._lay_out()
                return row
        return None

    @override
    def _beside(self, row: MessageRow, step: int) -> MessageRow:
        at = self._rows.index(row)
        below = row if step < 0 else self._rows[min(at + 1, len(self._rows) - 1)]
        if (stretch := self._stretches.get(below)) is not None:
            return self._wake_one(stretch.rows[-1 if step < 0 else 0]) or row
        return super()._beside(row, step)

    @override
    def _first(self) -> MessageRow:
        stretch = self._stretches.get(self._rows[0])
        return (self._wake_one(stretch.rows[0]) if stretch is not None else None) or super()._first()

    # Near and far

    @override
    def showEvent(self, event: QShowEvent) -> None:
        """Fill the view."""
        super().showEvent(event)
        self._tending.start()

    @override
    def resizeEvent(self, event: QResizeEvent) -> None:
        """Fill the view, which may be taller."""
        super().resizeEvent(event)
        self._tending.start()

    def _fill_view(self) -> None:
        """Give the rows in the view their widgets before anything is painted."""
        for _ in range(_MOST_LOOKS):
            if self._moving or not self.isVisible() or not self._wake_near(0):
                break
        self._tending.start()

    def _tend(self) -> None:
        """Give one row near the view its widgets, and take those of some that are far away; the next ones follow."""
        if not self.isVisible():
            return
        came = self._wake_near(round(self.viewport().height() * _AHEAD), at_most=1)
        gone = self._let_go()
        if came or gone:
            self._tending.start()

    def _wake_near(self, beyond_px: int, at_most: int = 0) -> bool:
        """Give rows their widgets that stand at most ``beyond_px`` from the view; returns whether there were any."""
        top = self.verticalScrollBar().value()
        bottom = top + self.viewport().height()
        for below, stretch in self._stretches.items():
            upper = stretch.y()
            if upper + stretch.height() <= top - beyond_px or upper >= bottom + beyond_px:
                continue
            near = stretch.inside(top - beyond_px - upper, bottom + beyond_px - upper)
            if not near:
                continue
            if at_most:
                above = upper < top  # The rows nearest to the view come first.
                near = near[-at_most:] if above else near[:at_most]
            wanted = self._kept
            self._keep_place()
            seen = next((at for at in near if upper + stretch.height_above(at + 1) > top), near[0])
            stands = upper + stretch.height_above(seen) - top
            rows = self._wake(below, near[0], near[-1] + 1)
            if self._kept is None and not self._follows:  # The reader has jumped to where no row has widgets.
                self._kept = rows[seen - near[0]], stands
            self._lay_out()
            if wanted is None:  # What stood first may stand below those that have come.
                self._kept = None
                self._keep_place()
            return True
        return False

    def _let_go(self) -> bool:
        """Take the widgets of some rows that are far from the view; returns whether there were any."""
        top, height = self.verticalScrollBar().value(), self.viewport().height()
        near = range(round(top - height * _FAR), round(top + height * (1 + _FAR)))
        far = [row for row in self._rows[:-_NEWEST] if row.geometry().bottom() < near.start or row.y() > near.stop]
        going = [row for row in far if row.stored is not None and row.can_rest and not self._keeps(row)][:_AT_ONCE]
        if not going:
            return False
        self._keep_place()
        for row in going:
            self._let_go_of(row)
        self._lay_out()
        return True

    def _keeps(self, row: MessageRow) -> bool:
        return self._kept is not None and self._kept[0] is row

    def _let_go_of(self, row: MessageRow) -> None:
        stored, below = row.stored, self._rows[self._rows.index(row) + 1]
        if stored is not None:
            stored.height_px = 0 if row.isHidden() else row.height() + self._column.spacing()
            resting = [*self._take_above(row), stored]
            self._gave(row, stored)
            super()._remove(row)
            self._put_above(resting, below, before=True)
