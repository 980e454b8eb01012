"""A scrolling list of rows from oldest to newest. It follows its end unless the reader has scrolled away."""

from functools import partial

from PySide6.QtCore import QCoreApplication, QEvent, QRect, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QFrame, QPushButton, QScrollArea, QVBoxLayout, QWidget
from typing_extensions import override

from assistant.core.texts import Texts
from assistant.desktop.conversation.message_actions import MessageActions
from assistant.desktop.conversation.message_rows import MessageRow
from assistant.desktop.kit.buttons import IconButton
from assistant.desktop.kit.icons import Icons
from assistant.desktop.kit.theme import Theme

COLUMN_WIDTH_PX = 760
"""Longest comfortable line: about 45 Hangul or 90 Latin letters."""
_MARGIN_PX = 14
_ABOVE_PX = 10
_BELOW_PX = 26
"""Room below the last row, for its actions."""
_SLACK_PX = 24
ABOVE_PX = 24
"""Room above a row that is brought up."""
_NEAR_TOP_PX = 160
"""Earlier messages are fetched at this distance from the top, so that they are there when the reader arrives."""


class CentredColumn(QVBoxLayout):
    """A column in the middle of a wide window, as wide as the conversation."""

    @override
    def setGeometry(self, place: QRect) -> None:
        """Leave equal margins on both sides."""
        side = self._side(place.width())
        super().setGeometry(place.adjusted(side, 6, -side, -6))

    @staticmethod
    def _side(width: int) -> int:
        return max((width - COLUMN_WIDTH_PX) // 2 - 2, 12)

    @override
    def heightForWidth(self, width: int) -> int:
        """The height of the content with margins, at this width."""
        return super().heightForWidth(width - 2 * self._side(width)) + 12

    @override
    def sizeHint(self) -> QSize:
        """The height of the content with margins."""
        return super().sizeHint() + QSize(24, 12)

    @override
    def minimumSize(self) -> QSize:
        """Like ``sizeHint``."""
        return super().minimumSize() + QSize(24, 12)


class RowList(QScrollArea):
    """Holds and scrolls the rows, and supports keyboard navigation.

    Args:
        texts: the user's texts.
        icons: source of the icons.
        theme: colours.
    """

    top_reached = Signal()
    """The reader has scrolled up nearly to the first row."""

    def __init__(self, texts: Texts, icons: Icons, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._texts, self._icons, self._theme = texts, icons, theme
        self._rows: list[MessageRow] = []
        self._tab_row: MessageRow | None = None
        self._follows = True
        self._kept: tuple[MessageRow, int] | None = None
        """A row and its distance from the upper edge. The distance is kept while rows are laid out."""
        self._moving = False
        self._build()

    def _build(self) -> None:
        self.setObjectName("conversation")
        self.setAccessibleName(self._texts("desktop.conversation.name"))
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self._content = QWidget()
        self._column = QVBoxLayout(self._content)
        self._column.setContentsMargins(_MARGIN_PX, _ABOVE_PX, _MARGIN_PX, _BELOW_PX)
        self._column.setSpacing(3)
        self._earlier = QPushButton(self._texts("desktop.conversation.earlier"))
        self._earlier.setProperty("flat", True)
        self._earlier.hide()
        self._column.addWidget(self._earlier, 0, Qt.AlignmentFlag.AlignHCenter)
        self._column.addStretch(1)
        self.bar = MessageActions(self._texts, self._icons, self._theme, self._content)
        self.setWidget(self._content)
        self._latest = IconButton(
            self._icons, self._theme, "down", self._texts("desktop.conversation.latest"), size=18, parent=self
        )
        self._latest.setObjectName("latest")
        self._latest.clicked.connect(self.follow)
        self._latest.hide()
        bar = self.verticalScrollBar()
        bar.rangeChanged.connect(self._range_changed)
        bar.valueChanged.connect(self._scrolled)

    @property
    def rows(self) -> tuple[MessageRow, ...]:
        """The rows from oldest to newest; a partial transcript comes last."""
        return tuple(self._rows)

    def _append(self, row: MessageRow) -> None:
        """Add a row at the end."""
        self._insert(row, len(self._rows))

    def _insert(self, row: MessageRow, at: int) -> None:
        """Add a row before the one at ``at``."""
        row.fit(self._column_width)
        above = self._rows[at - 1] if at else self._earlier
        self._rows.insert(at, row)
        self._column.insertWidget(self._column.indexOf(above) + 1, row)
        row.happened.connect(partial(self.bar.follow, row))
        row.changed.connect(partial(self.bar.refresh, row))
        self._let_tab_reach_last()

    def _remove(self, row: MessageRow) -> None:
        """Remove a row."""
        self._rows.remove(row)
        self.bar.forget(row)
        self._column.removeWidget(row)
        row.hide()
        row.deleteLater()
        self._let_tab_reach_last()

    # Keyboard

    def _let_tab_reach_last(self) -> None:
        """Make only the newest row reachable by Tab. The arrow keys lead to the others."""
        last = self._rows[-1] if self._rows else None
        if last is self._tab_row:
            return
        if self._tab_row is not None:
            self._tab_row.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        if last is not None:
            last.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._tab_row = last

    @override
    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Move between rows with the arrow keys, Home and End, and to the actions of a row."""
        row = self.focusWidget()
        if not isinstance(row, MessageRow) or row not in self._rows:
            super().keyPressEvent(event)
            return
        if event.key() == Qt.Key.Key_Right:
            self.bar.enter(row)
            return
        match event.key():
            case Qt.Key.Key_Up:
                target = self._beside(row, -1)
            case Qt.Key.Key_Down:
                target = self._beside(row, 1)
            case Qt.Key.Key_Home:
                target = self._first()
            case Qt.Key.Key_End:
                target = self._rows[-1]
            case _:
                super().keyPressEvent(event)
                return
        target.setFocus(Qt.FocusReason.TabFocusReason)
        self.ensureWidgetVisible(target, 0, 40)

    def _beside(self, row: MessageRow, step: int) -> MessageRow:
        """The row before a row for -1, after it for 1; at an end the row itself."""
        at = self._rows.index(row) + step
        return self._rows[at] if 0 <= at < len(self._rows) else row

    def _first(self) -> MessageRow:
        """The oldest row."""
        return self._rows[0]

    def scroll_page(self, direction: int) -> None:
        """Scroll by a page, down for 1 and up for -1."""
        bar = self.verticalScrollBar()
        bar.setValue(bar.value() + direction * (bar.pageStep() - 40))

    # Scrolling

    def _keep_place(self) -> None:
        """Keep the reader's position when rows are added above or change their height, until the reader scrolls."""
        if self._follows or self._kept is not None:
            return
        top = self.verticalScrollBar().value()
        bottom = top + self.viewport().height()
        seen = (row for row in self._rows if not row.isHidden() and row.geometry().bottom() >= top and row.y() < bottom)
        row = next(seen, None)
        self._kept = None if row is None else (row, row.y() - top)

    def _lay_out(self) -> None:
        """Lay out new rows before anything is painted; keep the reader's position."""
        for row in self._rows:
            if not row.testAttribute(Qt.WidgetAttribute.WA_WState_ExplicitShowHide):  # An empty answer is hidden.
                row.show()
        self._column.activate()
        QCoreApplication.sendEvent(self, QEvent(QEvent.Type.LayoutRequest))  # The range of the scroll bar follows.
        self._return_to_kept()
        self._keep_end()

    def _return_to_kept(self) -> None:
        """Scroll the kept row back to its position."""
        if self._kept is not None:
            row, above = self._kept
            self._scroll_to(row.y() - above)

    def _scroll_to(self, value: int) -> None:
        self._moving = True
        self.verticalScrollBar().setValue(value)
        self._moving = False

    def follow(self) -> None:
        """Scroll to the end and stay there."""
        self._follows = True
        self._kept = None
        self._scroll_to(self.verticalScrollBar().maximum())
        self._latest.hide()
        QTimer.singleShot(0, self, self._keep_end)  # The layout has not placed the new row yet.

    def bring_up(self, row: MessageRow, above: int = ABOVE_PX) -> None:
        """Scroll a row to ``above`` pixels below the upper edge, and keep it there until the reader scrolls."""
        self._follows = False
        self._kept = (row, above)
        self._return_to_kept()
        QTimer.singleShot(0, self, self._return_to_kept)  # The layout has not placed the new rows yet.

    def _keep_end(self) -> None:
        if self._follows:
            self._scroll_to(self.verticalScrollBar().maximum())

    def _range_changed(self, _minimum: int, maximum: int) -> None:
        if self._kept is not None:
            self._return_to_kept()
        elif self._follows:
            self._scroll_to(maximum)

    def _scrolled(self, value: int) -> None:
        bar = self.verticalScrollBar()
        if not self._moving:
            self._kept = None
        self._follows = self._kept is None and value >= bar.maximum() - _SLACK_PX
        self._latest.setVisible(not self._follows)
        if not self._moving and value <= _NEAR_TOP_PX and bar.maximum() > 0:
            self.top_reached.emit()

    @property
    def _column_width(self) -> int:
        return max(min(self.width() - 2 * _MARGIN_PX, COLUMN_WIDTH_PX), 1)

    @override
    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep the column centred, the rows at its width, and the reader's position."""
        self._keep_place()
        super().resizeEvent(event)
        side = (self.width() - self._column_width) // 2
        bar = self.width() - self.viewport().width()  # The column stays centred when the scroll bar appears.
        self._column.setContentsMargins(side, _ABOVE_PX, max(side - bar, 0), _BELOW_PX)
        for row in self._rows:
            row.fit(self._column_width)
        self._latest.adjustSize()
        self._latest.move((self.width() - self._latest.width()) // 2, self.height() - self._latest.height() - 10)
        self._latest.raise_()
