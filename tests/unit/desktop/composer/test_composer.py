from collections.abc import Callable

import pytest
from PySide6.QtCore import QEvent, Qt, QTimer
from PySide6.QtGui import QGuiApplication, QInputMethodEvent, QKeyEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from assistant.core.texts import Texts
from assistant.desktop.composer.composer import MAX_LINES, Composer
from assistant.desktop.kit.icons import Icons
from assistant.desktop.kit.theme import Theme


@pytest.fixture
def composer(qtbot: QtBot, texts: Texts, icons: Icons, theme: Theme) -> Composer:
    composer = Composer(texts, icons, theme, voice_keys="Ctrl+T", attach_keys="Ctrl+O", talk_key="F9")
    qtbot.addWidget(composer)
    composer.resize(400, 120)
    composer.show()
    return composer


@pytest.fixture
def sent(composer: Composer) -> list[str]:
    messages: list[str] = []
    composer.submitted.connect(lambda text, _files: messages.append(text))
    return messages


def compose(composer: Composer, preedit: str, commit: str = "") -> None:
    """What an input method does while a syllable is being composed."""
    event = QInputMethodEvent(preedit, [])
    if commit:
        event.setCommitString(commit)
    QApplication.sendEvent(composer.input, event)


def test_enter_sends_and_empties_the_field(composer: Composer, sent: list[str]) -> None:
    QTest.keyClicks(composer.input, "  What time is it? ")
    QTest.keyClick(composer.input, Qt.Key.Key_Return)

    assert sent == ["What time is it?"]
    assert composer.input.toPlainText() == ""


def test_shift_enter_makes_a_new_line(composer: Composer, sent: list[str]) -> None:
    QTest.keyClicks(composer.input, "one")
    QTest.keyClick(composer.input, Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
    QTest.keyClicks(composer.input, "two")

    assert sent == []
    assert composer.input.toPlainText() == "one\ntwo"


def test_nothing_but_blanks_is_not_sent(composer: Composer, sent: list[str]) -> None:
    QTest.keyClicks(composer.input, "   ")
    QTest.keyClick(composer.input, Qt.Key.Key_Return)

    assert sent == []
    assert not composer.send.isEnabled()


def test_a_key_that_is_held_down_sends_once(composer: Composer, sent: list[str]) -> None:
    composer.input.setPlainText("once")
    repeated = QKeyEvent(QEvent.Type.KeyPress, Qt.Key.Key_Return, Qt.KeyboardModifier.NoModifier, "\r", autorep=True)
    QApplication.sendEvent(composer.input, repeated)

    assert sent == []
    assert composer.input.toPlainText() == "once"


def test_enter_while_a_syllable_is_composed_sends_it_whole_and_leaves_nothing_behind(
    composer: Composer, sent: list[str], qtbot: QtBot
) -> None:
    compose(composer, "", commit="지금 몇 시")
    compose(composer, "야")
    QTest.keyClick(composer.input, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: bool(sent))

    assert sent == ["지금 몇 시야"]
    assert composer.input.toPlainText() == ""


def test_a_syllable_that_the_input_method_commits_after_enter_is_sent_too(
    composer: Composer, sent: list[str], qtbot: QtBot
) -> None:
    compose(composer, "야")
    compose(composer, "", commit="야")
    QTest.keyClick(composer.input, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: bool(sent))

    assert sent == ["야"]


def test_the_field_grows_with_its_lines_up_to_a_limit(composer: Composer) -> None:
    heights = []
    for lines in (1, 3, MAX_LINES, MAX_LINES + 5):
        composer.input.setPlainText("\n".join("줄" * 3 for _ in range(lines)))
        heights.append(composer.input.height())

    assert heights[0] < heights[1] < heights[2] == heights[3]


def test_a_long_line_grows_the_field_too(composer: Composer) -> None:
    composer.input.setPlainText("짧은 글")
    short = composer.input.minimumHeight()
    composer.input.setPlainText("긴 글을 쓰면 줄이 바뀌어요 " * 8)

    assert composer.input.minimumHeight() > 2 * short


def test_stop_is_there_while_there_is_something_to_stop(composer: Composer, qtbot: QtBot) -> None:
    before = composer.stop.isVisible()
    composer.show_busy(busy=True)

    with qtbot.waitSignal(composer.stop_wanted):
        composer.stop.click()
    assert not before
    assert not composer.send.isVisible()
    composer.input.setPlainText("wait")
    assert composer.send.isVisible()
    composer.show_busy(busy=False)
    assert not composer.stop.isVisible()


def test_the_voice_button_says_what_it_will_do(composer: Composer, qtbot: QtBot) -> None:
    idle = composer.voice.accessibleName()
    composer.show_voice(talking=True)

    with qtbot.waitSignal(composer.voice_wanted):
        composer.voice.click()
    assert idle == "Start talking (Ctrl+T). Hold to talk only meanwhile (F9)."
    assert composer.voice.accessibleName() == "End talking (Ctrl+T)"
    assert composer.voice.property("filled")


def test_the_microphone_is_for_talking_and_says_so(composer: Composer) -> None:
    idle = (composer.voice.drawing, composer.voice.text())
    composer.show_voice(talking=True)

    assert idle == ("talk", "Talk")
    assert composer.voice.text() == "End talking"


def test_a_microphone_that_cannot_be_used_is_explained(composer: Composer) -> None:
    composer.show_microphone(reason="There is no microphone.")

    assert composer.voice.toolTip() == "The microphone cannot be used: There is no microphone."


def test_an_empty_field_says_what_sori_is_called_by_only_while_that_works(composer: Composer) -> None:
    said = []
    for reason, wake_word in (("", "Hey Jarvis"), ("", ""), ("There is no microphone.", "")):
        composer.show_microphone(reason=reason, wake_word=wake_word)
        said.append(composer.input.placeholderText())
    assert said == ["Type a message, or say “Hey Jarvis”", "Type a message", "Type a message"]


def test_page_keys_scroll_the_conversation(composer: Composer) -> None:
    pages: list[int] = []
    composer.input.page_wanted.connect(pages.append)

    QTest.keyClick(composer.input, Qt.Key.Key_PageUp)
    QTest.keyClick(composer.input, Qt.Key.Key_PageDown)

    assert pages == [-1, 1]


def test_every_button_is_reached_by_tab_and_named(composer: Composer) -> None:
    composer.show_busy(busy=True)
    composer.input.setPlainText("text")
    composer.activateWindow()
    composer.input.setFocus()
    visited = []
    for _ in range(5):
        focused = QApplication.focusWidget()
        assert focused is not None
        visited.append(focused)
        QTest.keyClick(focused, Qt.Key.Key_Tab)

    assert visited == [
        composer.input,
        composer.send,
        composer.stop,
        composer.attach,
        composer.voice,
    ]
    assert all(each.accessibleName() for each in visited)


def test_the_placeholder_gives_way_to_the_first_composed_syllable(composer: Composer) -> None:
    hint = composer.input.placeholderText()
    for preedit in ("ㅇ", "아", "안"):
        compose(composer, preedit)
        assert (composer.input.placeholderText(), composer.input.toPlainText()) == ("", "")
    compose(composer, "")  # the syllable was deleted again
    assert composer.input.placeholderText() == hint != ""
    compose(composer, "ㄱ")
    compose(composer, "", "가")
    assert composer.input.placeholderText() == hint


@pytest.mark.parametrize(
    ("committed", "composing"),
    [("", "네"), ("", "ㅋ"), ("안녕하세", "요"), ("몇 시", "야"), ("Hi ", "there"), ("今日", "は")],
)
def test_a_click_on_send_sends_what_is_still_being_composed(
    composer: Composer, sent: list[str], qtbot: QtBot, committed: str, composing: str
) -> None:
    composer.input.insertPlainText(committed)
    compose(composer, composing)
    assert composer.send.isEnabled()
    QTest.mouseClick(composer.send, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: bool(sent))
    assert sent == [committed + composing]
    assert (composer.input.toPlainText(), composer.input.composing) == ("", "")
    assert not composer.send.isEnabled()


def test_send_rests_again_when_the_composed_syllable_is_deleted(composer: Composer, sent: list[str]) -> None:
    compose(composer, "ㄴ")
    compose(composer, "")
    assert not composer.send.isEnabled()
    QTest.mouseClick(composer.send, Qt.MouseButton.LeftButton)
    assert sent == []


def test_the_cursor_stands_still_while_nothing_is_typed(composer: Composer) -> None:
    hints, timer = QGuiApplication.styleHints(), composer.input.findChild(QTimer)
    assert isinstance(timer, QTimer)
    wanted = hints.cursorFlashTime()
    changes: tuple[Callable[[], None], ...] = (
        lambda: QTest.keyClicks(composer.input, "a"),
        lambda: QTest.keyClick(composer.input, Qt.Key.Key_Left),
        lambda: compose(composer, "하"),
        lambda: compose(composer, "", "하"),
    )
    for change in changes:
        composer.input.setFocus()
        timer.timeout.emit()
        assert hints.cursorFlashTime() == 0
        change()
        assert hints.cursorFlashTime() == wanted
        assert timer.isActive()
    timer.timeout.emit()
    composer.input.clearFocus()
    assert hints.cursorFlashTime() == wanted
    assert not timer.isActive()
