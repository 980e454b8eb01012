"""The models to choose from: as the settings say, or one by name, for this conversation."""

from collections.abc import Iterable
from itertools import groupby

from PySide6.QtCore import QObject, QPoint, Qt, Signal
from PySide6.QtGui import QAction, QActionGroup
from PySide6.QtWidgets import QMenu, QWidget

from assistant.core.texts import Texts
from assistant.core.updates import ModelOffer, ModelsOffered

_MOST_INLINE = 8
"""A provider with more models has a menu of its own, so that the others stay in sight."""
_NAME_CHARS = 34


class ModelMenu(QMenu):
    """Shows what there is, at first that it is being looked for; fills while it is open.

    Args:
        texts: the user's language.
    """

    chosen = Signal(str)
    """Reference of a model; empty for as the settings say."""
    more_wanted = Signal()
    """How other models are added."""

    def __init__(self, texts: Texts, parent: QWidget) -> None:
        super().__init__(parent)
        self._texts = texts
        self._offered: ModelsOffered | None = None
        self._foot = QPoint()
        self._parts: list[QObject] = []
        self.setAccessibleName(texts("desktop.model.title"))
        self._fill()

    def open_above(self, foot: QPoint) -> None:
        """Open with the lower left corner at ``foot``, a point of the screen."""
        self._foot = foot
        self._fill()  # Checks follow the engine, not the last click.
        self.popup(self._corner())

    def show_models(self, offered: ModelsOffered) -> None:
        """Show these models."""
        if offered == self._offered:
            return
        self._offered = offered
        focused = self.activeAction()
        at = self.actions().index(focused) if focused in self.actions() else -1
        self._fill()
        if self.isVisible():
            self.move(self._corner())
            if 0 <= at < len(self.actions()):
                self.setActiveAction(self.actions()[at])

    def _corner(self) -> QPoint:
        """Upper left corner that keeps the foot where it is, on the screen."""
        size, screen = self.sizeHint(), self.screen().availableGeometry()
        left = max(min(self._foot.x(), screen.right() - size.width()), screen.left())
        return QPoint(left, max(self._foot.y() - size.height(), screen.top()))

    def _fill(self) -> None:
        self.clear()
        for part in self._parts:
            part.deleteLater()
        group = QActionGroup(self)
        self._parts = [group]
        chosen = self._offered.chosen if self._offered is not None else ""
        self._add(self, group, self._texts("desktop.model.automatic"), "", checked=not chosen)
        self.addSeparator()
        if self._offered is None:
            self.addAction(self._texts("desktop.model.searching")).setEnabled(False)
        elif not self._offered.models:
            self.addAction(self._texts("desktop.model.found_none")).setEnabled(False)
        else:
            self._add_models(group, self._offered.models, chosen)
        self.addSeparator()
        self.addAction(self._texts("desktop.model.more"), self.more_wanted.emit)

    def _add_models(self, group: QActionGroup, models: Iterable[ModelOffer], chosen: str) -> None:
        for provider, each in groupby(models, key=lambda offer: offer.provider):
            offers = list(each)
            if len(offers) > _MOST_INLINE:
                menu = self.addMenu(_plain(provider))
                self._parts.append(menu)
            else:
                menu = self
                heading = self.addAction(_plain(provider))
                heading.setEnabled(False)
                heading.setObjectName("provider")
            for offer in offers:
                marks = self._marks(offer)
                name = self.fontMetrics().elidedText(
                    offer.model,
                    Qt.TextElideMode.ElideMiddle,
                    self.fontMetrics().averageCharWidth() * _NAME_CHARS,
                )
                words = _plain(name) + (f"\t{marks}" if marks else "")
                action = self._add(menu, group, words, offer.reference, checked=offer.reference == chosen)
                action.setToolTip(offer.model)
                if action.isChecked() and menu is not self:
                    menu.setTitle(f"{_plain(provider)} · {_plain(name)}")

    def _marks(self, offer: ModelOffer) -> str:
        marks = []
        if offer.local:
            marks.append(self._texts("desktop.model.mark_local"))
        if offer.images:
            marks.append(self._texts("desktop.model.mark_images"))
        return " · ".join(marks)

    def _add(self, menu: QMenu, group: QActionGroup, words: str, reference: str, *, checked: bool) -> QAction:
        action = menu.addAction(words)
        action.setCheckable(True)
        action.setChecked(checked)
        action.setActionGroup(group)
        action.setData(reference)
        action.triggered.connect(lambda: self.chosen.emit(reference))
        return action


def _plain(words: str) -> str:
    """Words of others in a menu, where ``&`` marks a key and a tab a column."""
    return words.replace("&", "&&").replace("\t", " ")
