"""The popover that chooses this conversation's model: the default of the settings, or one by name."""

from collections.abc import Iterator
from itertools import groupby

from PySide6.QtCore import QEvent, QObject, QPoint, Qt, Signal
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QFrame, QLineEdit, QListWidget, QListWidgetItem, QPushButton, QVBoxLayout, QWidget
from typing_extensions import override

from assistant.core.display.words import provider_words
from assistant.core.service.requests.models import UnlistedModels
from assistant.core.texts import Texts
from assistant.core.updates import ModelOffer
from assistant.desktop.kit.menu import begin_popup, cut_corners
from assistant.desktop.kit.plain import PlainLabel
from assistant.desktop.kit.theme import Theme
from assistant.desktop.models.model_rows import ROW, PickerRow, RowDelegate, RowKind

_WIDTH_PX, _HEIGHT_PX = 400, 440
_GAP_PX = 6


class ModelPicker(QFrame):
    """Shows the models found so far and whether the search goes on; a field narrows them down.

    Models that are found while it is open stand below the others, so that no row moves under the pointer. When it is
    opened the next time, a provider's models are adjacent.

    Args:
        texts: the user's texts.
        theme: colours.
        parent: the window.
    """

    chosen = Signal(str)
    """Reference of a model; empty for the default of the settings."""
    more_wanted = Signal()
    """The user wants to add other models."""
    trouble_chosen = Signal(object)
    """The user wants to know what to do about these ``UnlistedModels``."""

    def __init__(self, texts: Texts, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent, Qt.WindowType.Popup | Qt.WindowType.FramelessWindowHint)
        self._texts = texts
        self._offers: tuple[ModelOffer, ...] = ()
        self._shown: tuple[ModelOffer, ...] = ()
        self._troubles: tuple[UnlistedModels, ...] = ()
        self._chosen, self._searching = "", True
        self.setObjectName("popover")
        self.setAccessibleName(texts("desktop.model.title"))
        begin_popup(self)
        self.search = QLineEdit()
        self.search.setObjectName("search")
        self.search.setPlaceholderText(texts("desktop.model.search"))
        self.search.setAccessibleName(texts("desktop.model.search"))
        self.search.setClearButtonEnabled(True)
        self.list = QListWidget()
        self.list.setObjectName("models")
        self.list.setAccessibleName(texts("desktop.model.title"))
        self.list.setFrameShape(QFrame.Shape.NoFrame)
        self.list.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # The field keeps the focus, and its arrow keys move here.
        self.list.setMouseTracking(True)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.setVerticalScrollMode(QListWidget.ScrollMode.ScrollPerPixel)
        self._delegate = RowDelegate(theme)
        self.list.setItemDelegate(self._delegate)
        self.status = PlainLabel()
        self.status.setObjectName("hint")
        self.more = QPushButton(texts("desktop.model.more"))
        self.more.setProperty("flat", True)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(10, 10, 10, 8)
        layout.setSpacing(6)
        layout.addWidget(self.search)
        layout.addWidget(self.list, 1)
        layout.addWidget(self.status)
        layout.addWidget(self.more, 0, Qt.AlignmentFlag.AlignLeft)
        self._connect()
        self._arrange()

    def _connect(self) -> None:
        self.search.textChanged.connect(self._arrange)
        self.search.installEventFilter(self)
        self.list.itemClicked.connect(self._take)
        self.list.itemEntered.connect(self.list.setCurrentItem)
        self.more.clicked.connect(self._want_more)

    def open_above(self, foot: QPoint) -> None:
        """Open with the lower right corner at ``foot``, a point of the screen."""
        self.search.clear()
        self._arrange()
        screen = self.screen().availableGeometry()
        width = min(_WIDTH_PX, screen.width() - 2 * _GAP_PX)
        height = min(_HEIGHT_PX, max(foot.y() - screen.top() - 2 * _GAP_PX, 200))
        self.resize(width, height)
        left = min(max(foot.x() - width, screen.left() + _GAP_PX), screen.right() - width - _GAP_PX)
        self.move(left, max(foot.y() - height - _GAP_PX, screen.top()))
        self.show()
        self.search.setFocus(Qt.FocusReason.PopupFocusReason)

    def show_searching(self, *, searching: bool) -> None:
        """Show whether the search for models goes on."""
        self._searching = searching
        self._show_standing()

    def show_chosen(self, reference: str) -> None:
        """Mark the chosen model; empty for the default of the settings."""
        self._chosen = reference
        self._refill(self._shown)

    def show_models(self, offers: tuple[ModelOffer, ...]) -> None:
        """Show these models."""
        known = {each.reference for each in self._shown}
        here = {each.reference for each in offers}
        self._offers = offers
        if self.isVisible() and known <= here:
            self._refill(self._shown + tuple(each for each in offers if each.reference not in known))
        else:
            self._refill(offers)

    def show_unlisted(self, unlisted: tuple[UnlistedModels, ...]) -> None:
        """Show why the models of these providers are missing; a click asks what to do."""
        self._troubles = unlisted
        self._refill(self._shown)

    @property
    def rows(self) -> list[PickerRow]:
        """The rows that are shown."""
        return [self.list.item(at).data(ROW) for at in range(self.list.count())]

    def _arrange(self) -> None:
        """Show each provider's models adjacent."""
        self._refill(self._offers)

    def _refill(self, offers: tuple[ModelOffer, ...]) -> None:
        """Show these models in this order. The current row and the scrolled place stay."""
        before, seen = self.list.currentItem(), self.list.verticalScrollBar().value()
        current = before.data(ROW) if before is not None else None
        self._shown = offers
        self.list.clear()
        for row in self._matching(offers):
            item = QListWidgetItem(self.list)
            item.setData(ROW, row)
            item.setData(Qt.ItemDataRole.AccessibleTextRole, ", ".join(filter(None, (row.words, row.marks))))
            if row.kind is RowKind.HEADING:
                item.setFlags(Qt.ItemFlag.NoItemFlags)
        self._stay_at(current)
        self.list.verticalScrollBar().setValue(seen)
        self._show_standing()

    def _stay_at(self, current: PickerRow | None) -> None:
        """Keep the current row; else take the first match of a search, else the chosen model."""
        rows = self.rows
        same = (at for at, row in enumerate(rows) if current is not None and _same(row, current))
        first = (at for at, row in enumerate(rows) if self.search.text().strip() and row.kind is RowKind.MODEL)
        chosen = (at for at, row in enumerate(rows) if row.chosen)
        self.list.setCurrentRow(next(same, next(first, next(chosen, 0))))

    def _matching(self, offers: tuple[ModelOffer, ...]) -> Iterator[PickerRow]:
        words = self.search.text().casefold().split()
        if not words:
            automatic = self._texts("desktop.model.automatic")
            yield PickerRow(kind=RowKind.MODEL, words=automatic, chosen=not self._chosen)
        for provider, each in groupby(offers, key=lambda offer: offer.provider):
            name = provider_words(self._texts, provider)
            models = [offer for offer in each if all(word in f"{offer.model} {name}".casefold() for word in words)]
            if models:
                yield PickerRow(kind=RowKind.HEADING, words=name)
            for offer in models:
                yield PickerRow(
                    kind=RowKind.MODEL,
                    words=offer.model,
                    marks=self._marks(offer),
                    reference=offer.reference,
                    chosen=offer.reference == self._chosen,
                )
        for trouble in self._troubles:
            name = provider_words(self._texts, trouble.provider)
            if all(word in name.casefold() for word in words):
                yield PickerRow(kind=RowKind.TROUBLE, words=name, marks=trouble.reason, trouble=trouble)

    def _marks(self, offer: ModelOffer) -> str:
        marks = (
            self._texts("desktop.model.mark_local") if offer.local else "",
            self._texts("desktop.model.mark_images") if offer.images else "",
        )
        return " · ".join(filter(None, marks))

    def _show_standing(self) -> None:
        """Say whether the search goes on, or has found nothing."""
        none = not any(row.reference for row in self.rows)
        self.status.setText(self._texts("desktop.model.searching" if self._searching else "desktop.model.found_none"))
        self.status.setVisible(self._searching or none)

    def _take(self, item: QListWidgetItem | None) -> None:
        row: PickerRow | None = item.data(ROW) if item is not None else None
        if row is None or row.kind is RowKind.HEADING:
            return
        self.close()
        if row.trouble is not None:
            self.trouble_chosen.emit(row.trouble)
        else:
            self.chosen.emit(row.reference)

    def _want_more(self) -> None:
        self.close()
        self.more_wanted.emit()

    def _step(self, step: int) -> None:
        """Go to the next row that can be chosen."""
        at, rows = self.list.currentRow() + step, self.rows
        while 0 <= at < len(rows) and rows[at].kind is RowKind.HEADING:
            at += step
        if 0 <= at < len(rows):
            self.list.setCurrentRow(at)

    @override
    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Move in the list with the arrow keys of the field, and choose with Return."""
        if event.type() != QEvent.Type.KeyPress or not isinstance(event, QKeyEvent):
            return False
        steps = {Qt.Key.Key_Down: 1, Qt.Key.Key_Up: -1}
        key = Qt.Key(event.key())
        if key in steps:
            self._step(steps[key])
        elif key in {Qt.Key.Key_Return, Qt.Key.Key_Enter}:
            self._take(self.list.currentItem())
        else:
            return False
        return True

    @override
    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep the corners."""
        super().resizeEvent(event)
        cut_corners(self)


def _same(row: PickerRow, other: PickerRow) -> bool:
    return (row.kind, row.words, row.reference) == (other.kind, other.words, other.reference)
