"""After a click the keyboard belongs to the message again, unless something was selected or is being written."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit, QPlainTextEdit, QWidget
from pytestqt.qtbot import QtBot

from assistant.core.machine.states import TurnId
from assistant.core.messages import Message, Role
from assistant.core.updates import MessageAdded
from assistant.desktop.keyboard.focus_return import keeps_focus
from assistant.desktop.main_window import MainWindow


def click(window: MainWindow, widget: QWidget) -> None:
    """A click as the window system reports it, so that the buttons that are held are known."""
    handle = window.windowHandle()
    at = widget.mapTo(window, widget.rect().center())
    QTest.mouseClick(handle, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, at)


@pytest.fixture
def active(window: MainWindow, qtbot: QtBot) -> MainWindow:
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    return window


def test_after_a_click_on_a_button_one_goes_on_writing(active: MainWindow, qtbot: QtBot) -> None:
    pressed: list[bool] = []
    active.strip.mute.clicked.connect(lambda: pressed.append(True))
    click(active, active.strip.mute)
    assert pressed == [True]
    qtbot.waitUntil(lambda: QApplication.focusWidget() is active.composer.input)


def test_after_a_click_on_a_message_one_goes_on_writing(active: MainWindow, qtbot: QtBot) -> None:
    active.show_update(MessageAdded(conversation="a", turn=TurnId("1"), message=Message(role=Role.USER, text="Hello")))
    row = active.conversation.rows[0]
    qtbot.waitUntil(row.isVisible)
    click(active, row)
    qtbot.waitUntil(lambda: QApplication.focusWidget() is active.composer.input)


def test_the_keyboard_leads_wherever_it_wants(active: MainWindow) -> None:
    QTest.keyClick(active.composer.input, Qt.Key.Key_Tab)
    assert QApplication.focusWidget() is not active.composer.input


def test_fields_and_selected_words_keep_the_focus(qtbot: QtBot) -> None:
    words = QPlainTextEdit("some words")
    qtbot.addWidget(words)
    words.setReadOnly(True)
    nothing_selected = keeps_focus(words)
    words.selectAll()
    assert not nothing_selected
    assert keeps_focus(words)
    for field in (QLineEdit(), QPlainTextEdit()):
        qtbot.addWidget(field)
        assert keeps_focus(field)
    plain = QWidget()
    qtbot.addWidget(plain)
    assert not keeps_focus(plain)
