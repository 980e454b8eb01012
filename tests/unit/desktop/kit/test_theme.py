from dataclasses import fields

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QApplication, QFrame, QLineEdit
from pytestqt.qtbot import QtBot

from assistant.desktop.kit.theme import DARK, KOREAN_FAMILIES, LIGHT, Colors, Theme, ThemeChoice, font_families

READ_ON = (
    ("text", "ground"),
    ("text", "surface"),
    ("text", "hover"),
    ("text", "info_ground"),
    ("dim", "ground"),
    ("dim", "surface"),
    ("dim", "hover"),
    ("accent", "ground"),
    ("accent", "surface"),
    ("accent", "hover"),
    ("on_accent", "accent"),
    ("on_bubble", "bubble"),
    ("bubble_dim", "bubble"),
    ("thinking", "ground"),
    ("speaking", "ground"),
    ("warning", "ground"),
    ("warning", "warning_ground"),
    ("error", "ground"),
    ("error", "surface"),
    ("warning", "surface"),
    ("warning", "hover"),
    ("error", "hover"),
    ("thinking", "surface"),
    ("speaking", "surface"),
)


def contrast(first: str, second: str) -> float:
    """Contrast ratio of two ``#RRGGBB`` colours, from 1 to 21, as defined by WCAG 2.2."""
    lighter, darker = sorted((_luminance(first), _luminance(second)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def _luminance(color: str) -> float:
    """Relative luminance as defined by WCAG 2.2."""

    def linear(channel: int) -> float:
        value = channel / 255
        return value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4

    red, green, blue = (linear(int(color[at : at + 2], 16)) for at in (1, 3, 5))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def test_contrast_is_that_of_the_guideline() -> None:
    assert contrast("#000000", "#FFFFFF") == pytest.approx(21)
    assert contrast("#777777", "#FFFFFF") == pytest.approx(4.48, abs=0.01)


@pytest.mark.parametrize("colors", [LIGHT, DARK], ids=["light", "dark"])
@pytest.mark.parametrize(("front", "back"), READ_ON)
def test_text_reaches_a_contrast_of_four_and_a_half(colors: Colors, front: str, back: str) -> None:
    assert contrast(getattr(colors, front), getattr(colors, back)) >= 4.5


@pytest.mark.parametrize("colors", [LIGHT, DARK], ids=["light", "dark"])
@pytest.mark.parametrize("front", ["edge", "accent", "dim"])
@pytest.mark.parametrize("back", ["ground", "surface"])
def test_the_edges_of_fields_and_controls_reach_a_contrast_of_three(colors: Colors, front: str, back: str) -> None:
    assert contrast(getattr(colors, front), getattr(colors, back)) >= 3


@pytest.mark.parametrize("choice", ["light", "dark"])
@pytest.mark.parametrize("name", ["search", "key", "reply", "composer"])
def test_a_field_without_the_focus_is_drawn_with_an_edge_that_is_seen(
    qtbot: QtBot, theme: Theme, choice: ThemeChoice, name: str
) -> None:
    theme.choose(choice)
    field = QFrame() if name == "composer" else QLineEdit()
    field.setObjectName(name)
    field.resize(200, 40)
    qtbot.addWidget(field)
    image = field.grab().toImage()
    edge = [QColor(image.pixel(x, 20)).name() for x in range(4)]
    assert max(contrast(color, theme.colors.ground) for color in edge) >= 3


def test_every_colour_that_is_read_is_held_to_the_contrast() -> None:
    grounds = {
        "ground",
        "surface",
        "hover",
        "border",
        "edge",
        "bubble",
        "warning_ground",
        "info_ground",
    }

    assert {each.name for each in fields(Colors)} - grounds == {front for front, _ in READ_ON}


def test_a_generic_font_gives_way_to_a_korean_one() -> None:
    families = font_families("Sans Serif", frozenset({"DejaVu Sans", "Noto Sans CJK KR"}))

    assert families == ["Noto Sans CJK KR", "Sans Serif"]


def test_the_font_the_user_chose_stays_first_with_korean_behind_it() -> None:
    assert font_families("Cantarell", frozenset(KOREAN_FAMILIES))[:2] == ["Cantarell", KOREAN_FAMILIES[0]]


def test_choosing_dark_and_light_changes_the_colours_and_says_so(qapp: QApplication) -> None:
    theme = Theme(qapp, "light")
    told: list[bool] = []
    theme.changed.connect(lambda: told.append(theme.dark))

    theme.choose("dark")
    theme.choose("light")

    assert told == [True, False]


def test_the_system_theme_follows_the_desktop(qapp: QApplication) -> None:
    theme = Theme(qapp, "system")

    qapp.styleHints().colorSchemeChanged.emit(Qt.ColorScheme.Dark)
    dark = theme.dark
    qapp.styleHints().colorSchemeChanged.emit(Qt.ColorScheme.Light)

    assert dark
    assert not theme.dark


def test_a_chosen_theme_does_not_follow_the_desktop(qapp: QApplication) -> None:
    theme = Theme(qapp, "light")

    qapp.styleHints().colorSchemeChanged.emit(Qt.ColorScheme.Dark)

    assert not theme.dark
