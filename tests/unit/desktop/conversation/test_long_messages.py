import pytest
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QPushButton
from pytestqt.qtbot import QtBot

from assistant.core.texts import Texts
from assistant.desktop.conversation.message_rows import UserRow
from assistant.desktop.kit.icons import Icons
from assistant.desktop.kit.message_text import MessageText
from assistant.desktop.kit.theme import Theme


def shown(row: UserRow) -> str:
    words = row.findChild(MessageText)
    assert words is not None
    return words.toPlainText()


@pytest.mark.parametrize(
    ("text", "folds"),
    [
        ("Hello", False),
        ("안녕하세요 " * 20, False),
        ("line\n" * 8, False),
        ("가" * 800, False),
        ("word " * 170, False),
        ("line\n" * 40, True),
        ("word " * 2000, True),
        ("가나다 " * 1000, True),
        ("x" * 60_000, True),
        ("def f():\n    return 1\n\n" * 30, True),
        ("[2026-11-26] ERROR something broke\n" * 200, True),
    ],
)
def test_a_long_message_folds_to_its_beginning_and_is_copied_as_a_whole(
    qtbot: QtBot, texts: Texts, icons: Icons, theme: Theme, text: str, folds: bool
) -> None:
    row = UserRow(texts, icons, theme, text)
    qtbot.addWidget(row)
    row.fit(700)
    row.show()
    button = next(each for each in row.findChildren(QPushButton) if each.isCheckable())
    assert button.isVisible() is folds
    assert len(shown(row)) < 950
    assert text.startswith(shown(row).removesuffix(" …"))
    row.copy()
    assert QGuiApplication.clipboard().text() == text
    if folds:
        words = row.findChild(MessageText)
        assert words is not None
        low = words.height()
        button.click()
        assert shown(row) == text
        assert words.height() > low
        button.click()
        assert words.height() == low
