"""Small controls of pages: a field in which Return saves, a switch, and a button that opens a list of choices."""

from collections.abc import Sequence

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QAbstractButton, QLineEdit, QSizePolicy
from typing_extensions import override

from assistant.desktop.kit.buttons import ElidedButton
from assistant.desktop.kit.menu import Menu
from assistant.desktop.kit.plain import tip
from assistant.desktop.kit.theme import Theme


class EntryField(QLineEdit):
    """A field in which Return saves, and does not press the default button of the dialog.

    Args:
        text: what stands in it.
        width_px: its width where there is room for it; 0 for all the room there is.
    """

    def __init__(self, text: str = "", *, width_px: int = 0) -> None:
        super().__init__(text)
        self._width_px = width_px
        self.setObjectName("key")
        if width_px:
            self.setMaximumWidth(width_px)

    @override
    def sizeHint(self) -> QSize:
        """The size with the wanted width."""
        hint = super().sizeHint()
        return QSize(self._width_px or hint.width(), hint.height())

    @override
    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Keep Return from the dialog."""
        super().keyPressEvent(event)
        if event.key() in {Qt.Key.Key_Return, Qt.Key.Key_Enter}:
            event.accept()


class OnOffSwitch(QAbstractButton):
    """On or off.

    Args:
        theme: colours.
    """

    _WIDTH, _HEIGHT, _RING = 38, 22, 3

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self.setCheckable(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        theme.changed.connect(self.update)

    @override
    def sizeHint(self) -> QSize:
        """The switch with room for the ring of the focus."""
        return QSize(self._WIDTH + 2 * self._RING, self._HEIGHT + 2 * self._RING)

    @override
    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the track and the knob, which is right when it is on."""
        colors, on = self._theme.colors, self.isChecked()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        track = QRectF(self._RING, self._RING, self._WIDTH, self._HEIGHT)
        if self.hasFocus():
            painter.setPen(QPen(QColor(colors.accent), 2))
            painter.drawRoundedRect(track.adjusted(-2, -2, 2, 2), self._HEIGHT / 2 + 2, self._HEIGHT / 2 + 2)
        painter.setPen(QPen(QColor(colors.accent if on else colors.dim), 2))
        painter.setBrush(QColor(colors.accent if on else colors.ground))
        painter.drawRoundedRect(track.adjusted(1, 1, -1, -1), self._HEIGHT / 2, self._HEIGHT / 2)
        edge = self._HEIGHT - 10
        left = track.right() - edge - 5 if on else track.left() + 5
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(colors.on_accent if on else colors.dim))
        painter.drawEllipse(QRectF(left, track.top() + 5, edge, edge))


class ChoiceButton(ElidedButton):
    """Shows the chosen value, and opens a list of all. The wheel does not change it.

    Args:
        caption: shown instead of the value; empty to show the value.
    """

    chosen = Signal(str)
    """The user has chosen this value."""
    wanted = Signal()
    """The list is about to be shown."""

    _MOST_CHARS = 34

    def __init__(self, caption: str = "") -> None:
        super().__init__()
        self._caption = caption
        self.value = ""
        self._options: dict[str, str] = {}
        self._name = ""
        self.setAutoDefault(False)
        self._menu = Menu(self)
        self._menu.aboutToShow.connect(self.wanted)
        self.setMenu(self._menu)

    def rename(self, name: str) -> None:
        """Tell a screen reader what is chosen here."""
        self._name = name
        self._show()

    def offer(self, options: Sequence[tuple[str, str]]) -> None:
        """Offer these values with their titles; the chosen one stays, whether it is among them or not."""
        self._options = dict(options)
        self._menu.clear()
        for value, title in options:
            action = self._menu.addAction(title.replace("&", "&&"))
            action.setCheckable(True)
            action.setData(value)
            action.triggered.connect(lambda _checked=False, value=value: self._choose(value))
        self._show()

    def show_value(self, value: str) -> None:
        """Show which value is chosen."""
        self.value = value
        self._show()

    def choose(self, value: str) -> None:
        """Choose as the user does, by the value."""
        next(each for each in self._menu.actions() if each.data() == value).trigger()

    @property
    def values(self) -> list[str]:
        """The offered values."""
        return list(self._options)

    def _choose(self, value: str) -> None:
        self._show()
        if value != self.value:
            self.chosen.emit(value)

    def _show(self) -> None:
        title = self._caption or self._options.get(self.value, self.value)
        short = title if len(title) <= self._MOST_CHARS else f"{title[: self._MOST_CHARS - 1]}…"
        self.setText(short.replace("&", "&&"))
        self.setToolTip(tip(title if short != title else ""))
        self.setAccessibleName(f"{self._name}: {title}" if self._name else title)
        for each in self._menu.actions():
            each.setChecked(each.data() == self.value)
