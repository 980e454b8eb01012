"""A page scrolls to the focus that the user moves, and not when a part of it gives the focus away by itself."""

from collections.abc import Callable

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QPushButton, QScrollArea, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from assistant.desktop.frame.page import scrolling


@pytest.fixture
def tall(qtbot: QtBot) -> tuple[QScrollArea, QPushButton, QPushButton]:
    """An area in which the next part that takes the focus is far below the first."""
    content = QWidget()
    column = QVBoxLayout(content)
    first, far = QPushButton("first"), QPushButton("far")
    column.addWidget(first)
    column.addSpacing(2_000)
    column.addWidget(far)
    area = scrolling(content)
    area.resize(300, 300)
    qtbot.addWidget(area)
    area.show()
    area.activateWindow()
    qtbot.waitUntil(area.isActiveWindow)
    first.setFocus()
    return area, first, far


@pytest.mark.parametrize(
    "give_away",
    [lambda part: part.setEnabled(False), lambda part: part.hide(), lambda part: part.setDisabled(True)],
    ids=["disabled", "hidden", "set disabled"],
)
def test_a_part_that_gives_the_focus_away_moves_no_page(
    tall: tuple[QScrollArea, QPushButton, QPushButton], give_away: Callable[[QWidget], None]
) -> None:
    area, first, far = tall
    give_away(first)
    assert far.hasFocus()
    assert area.verticalScrollBar().value() == 0


def test_the_page_follows_the_tab_key(tall: tuple[QScrollArea, QPushButton, QPushButton]) -> None:
    area, first, far = tall
    QTest.keyClick(first, Qt.Key.Key_Tab)
    assert far.hasFocus()
    assert area.verticalScrollBar().value() > 1_000
