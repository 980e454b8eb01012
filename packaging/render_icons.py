#!/usr/bin/env python3
"""Renders Sori's icon from its drawing in all sizes of a desktop: ``python packaging/render_icons.py [folder]``."""

import sys
from pathlib import Path

from PySide6.QtCore import QByteArray, QRectF, QSize, Qt
from PySide6.QtGui import QImage, QPainter
from PySide6.QtSvg import QSvgRenderer

RESOURCES = Path(__file__).parents[1] / "assistant" / "resources"
SIZES = (16, 22, 24, 32, 48, 64, 128, 256, 512)
"""Edges in pixels, those of the hicolor theme."""


def main() -> None:
    """Write ``sori-16.png`` and so on."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else RESOURCES / "desktop"
    drawing = QSvgRenderer(QByteArray((RESOURCES / "icons" / "sori.svg").read_bytes()))
    for edge in SIZES:
        image = QImage(QSize(edge, edge), QImage.Format.Format_ARGB32)
        image.fill(Qt.GlobalColor.transparent)
        painter = QPainter(image)
        drawing.render(painter, QRectF(0, 0, edge, edge))
        painter.end()
        image.save(str(folder / f"sori-{edge}.png"))


if __name__ == "__main__":
    main()
