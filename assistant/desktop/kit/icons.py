"""Icons: SVG files in ``resources/icons``, tinted with the colours of the theme."""

import math
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

from PySide6.QtCore import QByteArray, QLineF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QIcon, QPainter, QPen, QPixmap
from PySide6.QtSvg import QSvgRenderer

_PIXEL_RATIOS = (1.0, 1.5, 2.0, 3.0)
_GLYPH_WIDTH = 0.3
_GLYPHS: Mapping[str, Sequence[tuple[float, float, float, float]]] = {
    "listening": [(0, 0, 0.01, 0)],
    "thinking": [(-0.5, 0, -0.49, 0), (0, 0, 0.01, 0), (0.5, 0, 0.51, 0)],
    "speaking": [(-0.48, -0.2, -0.48, 0.2), (0, -0.5, 0, 0.5), (0.48, -0.2, 0.48, 0.2)],
    "muted": [(-0.45, -0.45, 0.45, 0.45)],
    "error": [(0, -0.5, 0, 0.1), (0, 0.5, 0.01, 0.5)],
    "asking": [(-0.28, -0.3, 0.05, -0.5), (0.05, -0.5, 0.28, -0.2), (0.28, -0.2, 0, 0.1), (0, 0.5, 0.01, 0.5)],
    "ringing": [(0, -0.5, 0, 0), (0, 0, 0.36, 0.22)],
}
"""The signs of states as lines, in a circle of radius 1: dots, bars, a stroke, marks, the hands of a clock."""
_APP_SIZES = (16, 22, 24, 32, 48, 64, 128, 256)


class Icons:
    """The icons of one directory.

    Args:
        directory: folder of the ``.svg`` files.
    """

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._source = cache(self._read)
        self._drawn: dict[tuple[str, str, int], QIcon] = {}

    def _read(self, name: str) -> str:
        return (self._directory / f"{name}.svg").read_text(encoding="utf-8")

    def icon(self, name: str, color: str, size: int = 20) -> QIcon:
        """A one-coloured icon, sharp at every common pixel ratio.

        Args:
            name: file name without ``.svg``.
            color: ``#RRGGBB`` in place of the file's ``currentColor``.
            size: edge in device-independent pixels.

        Raises:
            OSError: the icon does not exist.
        """
        key = (name, color, size)
        if key not in self._drawn:  # Every row of a conversation uses the same few icons.
            self._drawn[key] = self._draw(name, color, size)
        return self._drawn[key]

    def _draw(self, name: str, color: str, size: int) -> QIcon:
        renderer = QSvgRenderer(QByteArray(self._source(name).replace("currentColor", color).encode()))
        icon = QIcon()
        for ratio in _PIXEL_RATIOS:
            pixmap = _render(renderer, math.ceil(size * ratio))
            pixmap.setDevicePixelRatio(ratio)
            icon.addPixmap(pixmap)
        return icon

    def application(self, badge: str = "", glyph: str = "", ground: str = "#ffffff") -> QIcon:
        """The icon of Sori.

        Args:
            badge: ``#RRGGBB`` of a dot in the corner that shows the state in the tray; empty for none.
            glyph: the state, which has a sign of its own on the dot; unknown ones have none.
            ground: ``#RRGGBB`` of the sign.
        """
        renderer = QSvgRenderer(QByteArray(self._source("sori").encode()))
        icon = QIcon()
        for size in _APP_SIZES:
            pixmap = _render(renderer, size)
            if badge:
                _draw_badge(pixmap, badge, glyph, ground)
            icon.addPixmap(pixmap)
        return icon


def _render(renderer: QSvgRenderer, pixels: int) -> QPixmap:
    pixmap = QPixmap(QSize(pixels, pixels))
    pixmap.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    renderer.render(painter, QRectF(0, 0, pixels, pixels))
    painter.end()
    return pixmap


def _draw_badge(pixmap: QPixmap, color: str, glyph: str, ground: str) -> None:
    """Draw a dot with a ring cut out around it, in the lower right corner, and a sign on it."""
    edge = pixmap.width()
    radius = edge * 0.29
    painter = QPainter(pixmap)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setCompositionMode(QPainter.CompositionMode.CompositionMode_Clear)
    painter.setBrush(Qt.GlobalColor.black)
    ring = radius * 1.3
    painter.drawEllipse(QRectF(edge - radius - ring, edge - radius - ring, 2 * ring, 2 * ring))
    painter.setCompositionMode(QPainter.CompositionMode.CompositionMode_SourceOver)
    painter.setBrush(QColor(color))
    painter.drawEllipse(QRectF(edge - 2 * radius, edge - 2 * radius, 2 * radius, 2 * radius))
    painter.translate(edge - radius, edge - radius)
    painter.scale(radius, radius)
    pen = QPen(QColor(ground), _GLYPH_WIDTH)
    pen.setCapStyle(Qt.PenCapStyle.RoundCap)
    painter.setPen(pen)
    painter.drawLines([QLineF(*line) for line in _GLYPHS.get(glyph, ())])
    painter.end()
