"""Colours, fonts and the stylesheet of the window.

Every text colour reaches a contrast of 4.5 to 1 on its grounds (WCAG 2.2, level AA); a test checks this.
"""

import sys
from dataclasses import asdict, dataclass
from string import Template
from typing import Literal

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QColor, QFont, QFontDatabase, QPalette
from PySide6.QtWidgets import QApplication, QStyle

from assistant.desktop.kit.stylesheet import STYLESHEET

ThemeChoice = Literal["system", "light", "dark"]

KOREAN_FAMILIES = ("Noto Sans CJK KR", "Noto Sans KR", "Apple SD Gothic Neo", "Malgun Gothic", "NanumGothic")
"""Families with Korean letters, in the order in which they are tried: Linux, macOS, Windows, older Linux."""

MONO_FAMILIES = ("Noto Sans Mono CJK KR", "D2Coding", "SF Mono", "Menlo", "Cascadia Mono", "Consolas", "monospace")
"""Families for code. Those whose Hangul is two columns wide come first."""

_GENERIC_FAMILIES = frozenset({"sans serif", "sans-serif", "sans", "dejavu sans", "bitstream vera sans", "helvetica"})
"""Families that Qt reports when the desktop has no font set. They lack Korean, and their Latin suits no Korean font."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Colors:
    """The colours of one theme as ``#RRGGBB``.

    Attributes:
        ground: background of the conversation.
        surface: cards, the input field, menus.
        hover: a surface under the pointer, and quiet fills.
        border: hairlines.
        edge: the edges of fields, 3 to 1 on ``ground`` and ``surface`` (WCAG 2.2, 1.4.11).
        text: primary text.
        dim: secondary text.
        accent: actions, the focus ring, and the state of listening.
        on_accent: text and icons on ``accent``.
        bubble: background of the user's messages.
        on_bubble: text on ``bubble``.
        bubble_dim: text on ``bubble`` that may still change.
        thinking: the state of processing.
        speaking: the state of speaking.
        warning: text of warnings.
        warning_ground: background of warnings.
        error: text of errors.
        info_ground: background of plain notices.
    """

    ground: str
    surface: str
    hover: str
    border: str
    edge: str
    text: str
    dim: str
    accent: str
    on_accent: str
    bubble: str
    on_bubble: str
    bubble_dim: str
    thinking: str
    speaking: str
    warning: str
    warning_ground: str
    error: str
    info_ground: str


LIGHT = Colors(
    ground="#FAF9F7",
    surface="#FFFFFF",
    hover="#F0EEEA",
    border="#E2DED7",
    edge="#8F8A81",
    text="#1E1D1B",
    dim="#68645D",
    accent="#0A716C",
    on_accent="#FFFFFF",
    bubble="#DDEFEC",
    on_bubble="#143431",
    bubble_dim="#50706C",
    thinking="#6B4BD0",
    speaking="#1D68C4",
    warning="#7A4D00",
    warning_ground="#FFF3D6",
    error="#A8231A",
    info_ground="#E6F1F0",
)

DARK = Colors(
    ground="#151719",
    surface="#1E2124",
    hover="#2A2E32",
    border="#373C41",
    edge="#6F767D",
    text="#ECEBE8",
    dim="#A5A39D",
    accent="#56C9BE",
    on_accent="#06211F",
    bubble="#1E3F3C",
    on_bubble="#E3F4F2",
    bubble_dim="#9DBDB9",
    thinking="#B7A1FA",
    speaking="#84BAFB",
    warning="#F2C873",
    warning_ground="#372C14",
    error="#FF9C93",
    info_ground="#1B302F",
)


def font_families(system_family: str, installed: frozenset[str]) -> list[str]:
    """The font families for text, in order of preference.

    A font that the user's desktop has set stays first. A generic one is replaced by a Korean family, whose Latin
    letters match its Hangul.

    Args:
        system_family: the desktop's font for user interfaces.
        installed: the installed families.
    """
    korean = [family for family in KOREAN_FAMILIES if family in installed]
    if korean and system_family.casefold() in _GENERIC_FAMILIES:
        return [*korean, system_family]
    return [system_family, *korean]


class Theme(QObject):
    """Applies the chosen theme to the application, and follows the system's theme for ``system``.

    Args:
        application: the application.
        choice: ``light``, ``dark`` or ``system``.
    """

    changed = Signal()
    """The colours have changed; widgets that paint themselves must repaint."""

    def __init__(self, application: QApplication, choice: ThemeChoice) -> None:
        super().__init__(application)
        self._application = application
        self._choice: ThemeChoice = choice
        self._still = False
        self.colors = LIGHT
        application.setStyle("Fusion")
        application.setFont(_font())
        hints = application.styleHints()
        hints.colorSchemeChanged.connect(self._scheme_changed)
        self.choose(choice)

    @property
    def dark(self) -> bool:
        """Whether the dark colours are in use."""
        return self.colors is DARK

    @property
    def moves(self) -> bool:
        """Whether things may move: neither the user nor the desktop wants less motion."""
        duration = QStyle.StyleHint.SH_Widget_Animation_Duration  # Qt asks the desktop; 0 is "no animations".
        return not self._still and self._application.style().styleHint(duration) > 0

    def reduce_motion(self, *, reduced: bool) -> None:
        """Follow the user's wish for less motion."""
        if reduced is not self._still:
            self._still = reduced
            self.changed.emit()

    def choose(self, choice: ThemeChoice) -> None:
        """Use another theme from now on."""
        self._choice = choice
        hints = self._application.styleHints()
        if choice == "system":
            hints.unsetColorScheme()
        else:
            hints.setColorScheme(Qt.ColorScheme.Dark if choice == "dark" else Qt.ColorScheme.Light)
        self._apply(dark=hints.colorScheme() == Qt.ColorScheme.Dark if choice == "system" else choice == "dark")

    def _scheme_changed(self, scheme: Qt.ColorScheme) -> None:
        if self._choice == "system":
            self._apply(dark=scheme == Qt.ColorScheme.Dark)

    def _apply(self, *, dark: bool) -> None:
        self.colors = DARK if dark else LIGHT
        self._application.setPalette(_palette(self.colors))
        self._application.setStyleSheet(Template(STYLESHEET).substitute(asdict(self.colors)))
        self.changed.emit()


def _font() -> QFont:
    """The application's font: the system's with a Korean fallback, at least 10.5 points except on macOS."""
    font = QFontDatabase.systemFont(QFontDatabase.SystemFont.GeneralFont)
    font.setFamilies(font_families(font.family(), frozenset(QFontDatabase.families())))
    font.setStyleStrategy(QFont.StyleStrategy.PreferAntialias)
    if sys.platform != "darwin" and 0 < font.pointSizeF() < 10.5:  # Smaller Hangul blurs; macOS has other points.
        font.setPointSizeF(10.5)
    return font


def _palette(colors: Colors) -> QPalette:
    """The palette for colours that the stylesheet cannot set: selections, placeholders, tooltips, links."""
    palette = QPalette()
    role = QPalette.ColorRole
    for each, color in (
        (role.Window, colors.ground),
        (role.Base, colors.surface),
        (role.AlternateBase, colors.hover),
        (role.Button, colors.surface),
        (role.WindowText, colors.text),
        (role.Text, colors.text),
        (role.ButtonText, colors.text),
        (role.PlaceholderText, colors.dim),
        (role.ToolTipBase, colors.surface),
        (role.ToolTipText, colors.text),
        (role.Highlight, colors.accent),
        (role.HighlightedText, colors.on_accent),
        (role.Link, colors.accent),
        (role.Accent, colors.accent),
    ):
        palette.setColor(each, QColor(color))
    disabled = QPalette.ColorGroup.Disabled
    for each in (role.WindowText, role.Text, role.ButtonText):
        palette.setColor(disabled, each, QColor(colors.dim))
    return palette
