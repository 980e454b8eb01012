import re
import sys

from PySide6.QtCore import QObject, QPoint, Signal
from pytestqt.qtbot import QtBot

from assistant.desktop.kit.menu import Menu
from assistant.host.places import RESOURCES


class Emitter(QObject):
    counted = Signal(int)


def test_emitting_a_signal_leaves_the_reference_count_of_true_alone(qtbot: QtBot) -> None:
    # PySide6 6.12.0 loses one at every emit, which ends a process on Python 3.11 after a few thousand.
    emitter = Emitter()
    before = sys.getrefcount(True)

    for number in range(100):
        emitter.counted.emit(number)

    assert abs(sys.getrefcount(True) - before) < 50


def test_every_menu_of_the_window_has_the_same_corners() -> None:
    made = [
        path.name
        for path in (RESOURCES.parent / "desktop").rglob("*.py")
        if re.search(r"\bQMenu\(", path.read_text(encoding="utf-8")) and path.name != "menu.py"
    ]
    assert made == []


def test_the_corners_of_a_menu_are_cut_where_they_cannot_be_transparent(qtbot: QtBot) -> None:
    menu = Menu()
    qtbot.addWidget(menu)
    menu.addAction("Copy")
    menu.popup(QPoint(10, 10))
    assert not menu.mask().contains(QPoint(0, 0))
    assert menu.mask().contains(menu.rect().center())
    menu.close()
