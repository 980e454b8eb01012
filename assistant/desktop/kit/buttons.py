"""Buttons with tinted icons, and buttons whose text is shortened where there is no room for it."""

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import QPushButton, QStyle, QStyleOptionButton, QStylePainter, QToolButton, QWidget
from typing_extensions import override

from assistant.desktop.kit.icons import Icons
from assistant.desktop.kit.plain import tip
from assistant.desktop.kit.theme import Theme

_LEAST_CHARS = 3


class IconButton(QToolButton):
    """A button that is an icon; its name goes to screen readers and the tooltip.

    Args:
        icons: source of the icons.
        theme: colours for tinting.
        icon: name of the icon.
        name: what the button does.
        size: edge of the icon in device-independent pixels.
    """

    def __init__(
        self, icons: Icons, theme: Theme, icon: str, name: str, *, size: int = 20, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._icons = icons
        self._theme = theme
        self._icon = icon
        self._size = size
        self._color = "text"
        self.setIconSize(QSize(size, size))
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.rename(name)
        theme.changed.connect(self._tint)
        self._tint()

    def rename(self, name: str) -> None:
        """Change the name."""
        self.setAccessibleName(name)
        self.setToolTip(tip(name))

    def draw(self, icon: str, color: str = "text", *, filled: bool = False) -> None:
        """Show another icon.

        Args:
            icon: name of the icon.
            color: name of the colour in ``theme.Colors``.
            filled: whether the button has the accent colour as its ground.
        """
        self._icon, self._color = icon, color
        if self.property("filled") != filled:
            self.setProperty("filled", filled)
            repolish(self)
        self._tint()

    @property
    def drawing(self) -> str:
        """Name of the shown icon."""
        return self._icon

    def _tint(self) -> None:
        self.setIcon(self._icons.icon(self._icon, str(getattr(self._theme.colors, self._color)), self._size))


class ElidedButton(QPushButton):
    """Shows as much of its text as fits. Its accessible name is the whole text."""

    @override
    def minimumSizeHint(self) -> QSize:
        """The size with a few letters."""
        hint = self.sizeHint()
        spared = (
            self.fontMetrics().horizontalAdvance(self.text()) - self.fontMetrics().averageCharWidth() * _LEAST_CHARS
        )
        return QSize(hint.width() - max(spared, 0), hint.height())

    @override
    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the part of the text that fits."""
        option = QStyleOptionButton()
        self.initStyleOption(option)
        lacking = self.sizeHint().width() - self.width()
        if lacking > 0:
            room = self.fontMetrics().horizontalAdvance(self.text()) - lacking
            option.text = self.fontMetrics().elidedText(self.text(), Qt.TextElideMode.ElideRight, room)
        painter = QStylePainter(self)
        painter.drawControl(QStyle.ControlElement.CE_PushButton, option)
        painter.end()


def repolish(widget: QWidget) -> None:
    """Apply the stylesheet again after a property has changed."""
    widget.style().unpolish(widget)
    widget.style().polish(widget)
    widget.update()
