"""The menu that chooses this conversation's model: the default of the settings, or one by name."""

from collections.abc import Iterable
from itertools import groupby

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtGui import QAction, QActionGroup
from PySide6.QtWidgets import QMenu, QWidget

from assistant.core.display.words import provider_words
from assistant.core.service.requests.models import UnlistedModels
from assistant.core.texts import Texts
from assistant.core.updates import ModelOffer

_MOST_INLINE = 8
"""Most models of a provider in the main menu. A provider with more models has a submenu, so that the others stay
visible."""
_NAME_CHARS = 34
_COLUMN = "\t"
"""Qt shows the text after this character at the right edge of a menu."""


class ModelMenu(QMenu):
    """Shows the models found so far and whether the search goes on; new models appear while it is open.

    The menu's lower edge is fixed and it grows upwards: models found while it is open are added on top, so that no row
    moves under the pointer. When it is opened the next time, a provider's models are adjacent.

    Args:
        texts: the user's texts.
    """

    chosen = Signal(str)
    """Reference of a model; empty for the default of the settings."""
    more_wanted = Signal()
    """The user wants to add other models."""
    trouble_chosen = Signal(object)
    """The user wants to know what to do about these ``UnlistedModels``."""

    def __init__(self, texts: Texts, parent: QWidget) -> None:
        super().__init__(parent)
        self._texts = texts
        self._offers: tuple[ModelOffer, ...] = ()
        self._chosen, self._searching = "", True
        self._foot = QPoint()
        self._group = QActionGroup(self)
        self._rows: dict[str, QAction] = {}
        self._names: dict[str, str] = {}
        self._menus: dict[str, QMenu] = {}
        self._inline: set[str] = set()
        self._parts: list[QAction | QMenu] = []
        self.setAccessibleName(texts("desktop.model.title"))
        self._status = self.addAction("")
        self._status.setEnabled(False)
        self._top = self.addSeparator()
        self._troubles: list[QAction] = []
        self._rows[""] = self._choice(texts("desktop.model.automatic"), "")
        self.addAction(self._rows[""])
        self.addSeparator()
        self._more = self.addAction(texts("desktop.model.more"), self.more_wanted.emit)
        self._show_standing()

    def open_above(self, foot: QPoint) -> None:
        """Open with the lower left corner at ``foot``, a point of the screen."""
        self._foot = foot
        self._arrange()
        self.popup(self._corner())

    def show_searching(self, *, searching: bool) -> None:
        """Show whether the search for models goes on."""
        self._searching = searching
        self._show_standing()
        if self.isVisible():
            self.move(self._corner())

    def show_chosen(self, reference: str) -> None:
        """Mark the chosen model; empty for the default of the settings."""
        self._chosen = reference
        self._show_standing()

    def show_models(self, offers: tuple[ModelOffer, ...]) -> None:
        """Show these models."""
        self._offers = offers
        if self.isVisible():
            self._add_models()
            self.move(self._corner())
        else:
            self._arrange()

    def show_unlisted(self, unlisted: tuple[UnlistedModels, ...]) -> None:
        """Show why the models of these providers are missing; a click asks what to do."""
        for action in self._troubles:
            self.removeAction(action)
            action.deleteLater()
        self._troubles = []
        for each in unlisted:
            action = QAction(_plain(f"{provider_words(self._texts, each.provider)} · {each.reason}"), self)
            action.triggered.connect(lambda _checked, each=each: self.trouble_chosen.emit(each))
            self._troubles.append(action)
        self.insertActions(self._more, self._troubles)
        if self.isVisible():
            self.move(self._corner())

    def _corner(self) -> QPoint:
        """Upper left corner that keeps the lower edge in place and the menu on the screen."""
        size, screen = self.sizeHint(), self.screen().availableGeometry()
        left = max(min(self._foot.x(), screen.right() - size.width()), screen.left())
        return QPoint(left, max(self._foot.y() - size.height(), screen.top()))

    def _arrange(self) -> None:
        """Build the menu again, with each provider's models adjacent."""
        for part in self._parts:
            self.removeAction(part.menuAction() if isinstance(part, QMenu) else part)
            part.deleteLater()
        self._parts.clear()
        self._menus.clear()
        self._inline.clear()
        self._rows = {"": self._rows[""]}
        self._top = next(action for action in self.actions() if action.isSeparator())
        self._add_models()

    def _add_models(self) -> None:
        """Add new models on top."""
        for provider, each in groupby(self._offers, key=lambda offer: offer.provider):
            if new := [offer for offer in each if offer.reference not in self._rows]:
                self._add_section(provider, new)
        self._show_standing()

    def _add_section(self, provider: str, offers: list[ModelOffer]) -> None:
        name = _plain(provider_words(self._texts, provider))
        if provider in self._menus:
            self._menus[provider].addActions(self._choices(offers, self._menus[provider]))
        elif provider in self._inline or len(offers) > _MOST_INLINE or not self._has_room(len(offers) + 1):
            menu = QMenu(self)
            menu.addActions(self._choices(offers, menu))
            self._menus[provider] = menu
            others = self._texts("desktop.model.others", provider=name)
            self._names[provider] = others if provider in self._inline else name
            self._parts.append(menu)
            self._put_on_top([menu.menuAction()])
        else:
            self._inline.add(provider)
            heading = QAction(name, self)
            heading.setEnabled(False)
            section = [heading, *self._choices(offers, self)]
            self._parts.extend(section)
            self._put_on_top(section)

    def _put_on_top(self, actions: list[QAction]) -> None:
        self.insertActions(self._top, actions)
        self._top = actions[0]

    def _has_room(self, rows: int) -> bool:
        """Whether this many more rows fit above the lower edge."""
        row = self.actionGeometry(self._rows[""]).height()
        above = self._foot.y() - self.screen().availableGeometry().top()
        return self._foot.isNull() or self.sizeHint().height() + rows * row <= above

    def _show_standing(self) -> None:
        """Set check marks by the engine's state, not by clicks; show whether the search goes on."""
        searching = self._searching
        self._status.setText(self._texts("desktop.model.searching" if searching else "desktop.model.found_none"))
        self._status.setVisible(searching or len(self._rows) == 1)
        for reference, action in self._rows.items():
            action.setChecked(reference == self._chosen)
        for provider, menu in self._menus.items():
            checked = next((each for each in menu.actions() if each.isChecked()), None)
            name = f" · {checked.text().partition(_COLUMN)[0]}" if checked is not None else ""
            menu.setTitle(self._names[provider] + name)

    def _choices(self, offers: Iterable[ModelOffer], parent: QMenu) -> list[QAction]:
        """Make a row for each model."""
        metrics = parent.fontMetrics()
        actions = []
        for offer in offers:
            room = metrics.averageCharWidth() * _NAME_CHARS
            name = metrics.elidedText(offer.model, Qt.TextElideMode.ElideMiddle, room)
            marks = self._marks(offer)
            action = self._choice(_plain(name) + (f"{_COLUMN}{marks}" if marks else ""), offer.reference)
            action.setToolTip(offer.model)
            action.setParent(parent)
            self._rows[offer.reference] = action
            actions.append(action)
        return actions

    def _marks(self, offer: ModelOffer) -> str:
        marks = []
        if offer.local:
            marks.append(self._texts("desktop.model.mark_local"))
        if offer.images:
            marks.append(self._texts("desktop.model.mark_images"))
        return " · ".join(marks)

    def _choice(self, words: str, reference: str) -> QAction:
        action = QAction(words, self)
        action.setCheckable(True)
        action.setActionGroup(self._group)
        action.triggered.connect(lambda: self.chosen.emit(reference))
        return action


def _plain(words: str) -> str:
    """Escape foreign text for a menu, where ``&`` marks a key and a tab a column."""
    return words.replace("&", "&&").replace(_COLUMN, " ")
