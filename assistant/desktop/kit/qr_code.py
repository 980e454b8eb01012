"""A QR code to scan with a camera."""

import segno
from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget
from typing_extensions import override

_QUIET = 4
"""Empty modules around the code, as ISO/IEC 18004 asks."""
_MODULE_PX = 5
"""Logical pixels of a module, where there is room."""


class QrCode(QWidget):
    """Paints a text as a QR code: black on white in every theme, because not every camera reads the reverse.

    Args:
        text: what the camera reads; empty for nothing yet. Whoever shows the code offers the text to copy, too.
        name: what a screen reader says.
    """

    def __init__(self, text: str, name: str) -> None:
        super().__init__()
        self.setAccessibleName(name)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self._modules: tuple[bytearray, ...] = ()
        self.show_text(text)

    def show_text(self, text: str) -> None:
        """Show another text; empty for none.

        Raises:
            ValueError: it is longer than a QR code can be, 2331 bytes.
        """
        self._modules = segno.make(text, error="m", micro=False).matrix if text else ()
        self.setFixedSize(self.sizeHint())
        self.update()

    @override
    def sizeHint(self) -> QSize:
        """Room for the code and the quiet zone."""
        side = (len(self._modules) + 2 * _QUIET) * _MODULE_PX if self._modules else 0
        return QSize(side, side)

    @override
    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw each module on whole pixels of the screen, so that no edge is grey."""
        if not self._modules:
            return
        painter = QPainter(self)
        painter.fillRect(self.rect(), Qt.GlobalColor.white)
        ratio = self.devicePixelRatioF()
        side = int(min(self.width(), self.height()) * ratio) // (len(self._modules) + 2 * _QUIET) / ratio
        # A window's widgets may begin between two pixels of a screen with an odd scale factor.
        corner = self.mapTo(self.window(), QPointF(0, 0)) * ratio
        shift = QPointF(round(corner.x()) - corner.x(), round(corner.y()) - corner.y()) / ratio
        begin = (min(self.width(), self.height()) - side * len(self._modules)) / 2
        begin = round(begin * ratio) / ratio
        for row, modules in enumerate(self._modules):
            for column, dark in enumerate(modules):
                if dark:
                    at = QPointF(begin + column * side, begin + row * side) + shift
                    painter.fillRect(QRectF(at.x(), at.y(), side, side), Qt.GlobalColor.black)
        painter.end()
