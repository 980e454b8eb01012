"""Typesets LaTeX formulas as images (docs/decisions/formulas.md).

A formula that is too large, defines macros or has letters that the font lacks is not typeset: its readable text stays.
"""

import re
import warnings
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, lru_cache
from threading import Lock
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QByteArray, QPointF, QRectF, Qt
from PySide6.QtGui import QImage, QPainter
from PySide6.QtSvg import QSvgRenderer

if TYPE_CHECKING:
    from ziamath.zmath import Latex

LONGEST: Final = 1000
_MOST_MACROS, _MOST_CELLS, _DEEPEST = 150, 150, 16
_KNOWN: Final = re.compile(
    "[\n\t\x20-\x7e\u00a1-\u02ff\u0370-\u03ff\u2010-\u2027\u2030-\u205e\u2070-\u2bff\U0001d400-\U0001d7ff]*"
)
"""Letters that the font has. None of them is Hangul, and none turns the direction of the text."""
_DEFINES: Final = re.compile(
    r"\\(?:[gex]?def|let|futurelet|newcommand|renewcommand|providecommand|newenvironment|require|input|include\w*|href|"
    r"url|html\w*|catcode|csname|expandafter|loop|repeat)(?![A-Za-z])"
)
_KEPT_IN_MEMORY = 400
_SHALLOW_PX = 3.0
"""Depth below the baseline up to which a formula stands on it, as a comma does."""
_ONE_AT_A_TIME = Lock()
"""The library keeps its fonts and settings for the whole process."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Typeset:
    """A typeset formula.

    Attributes:
        image: the drawing, in pixels of the screen.
        ascent: its height above the baseline, in pixels of the window.
        descent: its depth below.
    """

    image: QImage
    ascent: float
    descent: float

    @property
    def is_deep(self) -> bool:
        """Whether so much of it is below the baseline that it stands around the middle of the line."""
        return self.descent > _SHALLOW_PX

    def drawn(self, room: float, *, display: bool) -> QImage:
        """The drawing, made smaller for a narrow text. In a line, the baseline of a deep formula is in the middle.

        Args:
            room: the width of the text, in pixels of the window.
            display: whether it stands on a line of its own.
        """
        image, ratio = self.image, self.image.devicePixelRatio()
        if self.is_deep and not display:
            half = max(self.ascent, self.descent)
            image = QImage(image.width(), round(2 * half * ratio), image.format())
            image.setDevicePixelRatio(ratio)
            image.fill(Qt.GlobalColor.transparent)
            painter = QPainter(image)
            painter.drawImage(QPointF(0, round((half - self.ascent) * ratio) / ratio), self.image)
            painter.end()
        if image.width() > room * ratio:
            image = image.scaledToWidth(round(room * ratio), Qt.TransformationMode.SmoothTransformation)
        return image


def may_be_typeset(latex: str) -> bool:
    """Whether a formula is small and plain enough to be typeset."""
    if not latex.strip() or len(latex) > LONGEST or not _KNOWN.fullmatch(latex) or _DEFINES.search(latex):
        return False
    if latex.count("\\") > _MOST_MACROS or latex.count("&") > _MOST_CELLS:
        return False
    depth = deepest = 0
    for letter in latex:
        depth += (letter == "{") - (letter == "}")
        deepest = max(deepest, depth)
    return deepest <= _DEEPEST and depth == 0


@lru_cache(maxsize=_KEPT_IN_MEMORY)
def typeset(latex: str, size_px: float, color: str, ratio: float, *, display: bool) -> Typeset | None:
    """Typeset a formula. It may take a tenth of a second, and may be called on any thread.

    Args:
        latex: the formula without its dollars.
        size_px: height of its letters' font.
        color: ``#RRGGBB``.
        ratio: pixels of the screen for one of the window.
        display: whether it stands on a line of its own.

    Returns:
        The formula; ``None`` if it cannot be typeset.
    """
    if not may_be_typeset(latex):
        return None
    try:
        with _ONE_AT_A_TIME:
            drawn = _library()(latex.strip(), size=size_px, color=color, inline=not display)
            source, (width, height), below = drawn.svg(), drawn.getsize(), -drawn.getyofst()
    except Exception:  # noqa: BLE001  # The library raises whatever a wrong formula leads to.
        return None
    renderer = QSvgRenderer(QByteArray(source.encode()))
    if not renderer.isValid() or not 0 < width < 4000 or not 0 < height < 2000:
        return None
    image = QImage(round(width * ratio), round(height * ratio), QImage.Format.Format_ARGB32_Premultiplied)
    image.fill(Qt.GlobalColor.transparent)
    painter = QPainter(image)
    renderer.render(painter, QRectF(image.rect()))
    painter.end()
    image.setDevicePixelRatio(ratio)
    return Typeset(image=image, ascent=height - below, descent=below)


@cache
def _library() -> "type[Latex]":
    """The library, with its font loaded. It takes half a second, which most windows never need."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # It finds its font in a way that Python deprecates.
        from ziamath.config import config
        from ziamath.zmath import Latex

        config.svg2 = False  # Qt draws no symbols.
        Latex("x").svg()
    return Latex


def prepare(formulas: Iterable[tuple[str, bool]], size_px: float, color: str, ratio: float) -> None:
    """Typeset formulas, each with whether it stands on a line of its own, into the memory of ``typeset``."""
    for latex, display in formulas:
        typeset(latex, size_px, color, ratio, display=display)
