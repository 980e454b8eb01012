"""Reading aloud in the window: the bar, the selection and the clipboard (D-09)."""

import pytest
from PySide6.QtWidgets import QApplication

from assistant.core.service.requests.settings import SetSetting
from assistant.core.service.requests.voice import ReadAloud, ReadingStep, SteerReading
from assistant.core.updates import ReadingChanged, SettingsChanged
from assistant.desktop.keyboard import global_keys
from assistant.desktop.main_window import MainWindow
from tests.fakes.front.connection import RecordedConnection


def test_the_bar_is_there_while_something_is_read(window: MainWindow) -> None:
    bar = window.reading.bar
    window.show_update(ReadingChanged(sentence=2, sentences=7))
    assert bar.isVisible()
    assert "2/7" in bar.words.text()
    window.show_update(ReadingChanged())
    assert not bar.isVisible()


def test_its_buttons_steer(window: MainWindow, connection: RecordedConnection) -> None:
    bar = window.reading.bar
    window.show_update(ReadingChanged(sentence=2, sentences=7))
    for button in (bar.back, bar.forth, bar.pause, bar.end):
        button.click()
    window.show_update(ReadingChanged(sentence=2, sentences=7, paused=True))
    bar.pause.click()
    steps = [each.step for each in connection.sent if isinstance(each, SteerReading)]
    assert steps == [
        ReadingStep.PREVIOUS,
        ReadingStep.NEXT,
        ReadingStep.PAUSE,
        ReadingStep.STOP,
        ReadingStep.GO_ON,
    ]


def test_the_speed_goes_on_from_that_of_the_settings(window: MainWindow, connection: RecordedConnection) -> None:
    window.show_update(SettingsChanged(names=("voice.speed",), values={"voice.speed": 1.25}))
    window.reading.bar.speed.click()
    assert connection.sent[-1] == SetSetting(name="voice.speed", value=1.5)


@pytest.mark.parametrize(("text", "read"), [("읽어 줄 글", True), ("  ", False), ("", False)])
def test_the_clipboard_is_read_by_a_shortcut(
    window: MainWindow, connection: RecordedConnection, qapp: QApplication, text: str, read: bool
) -> None:
    qapp.clipboard().setText(text)
    window.shortcuts.press(global_keys.READ)
    asked = [each.text for each in connection.sent if isinstance(each, ReadAloud)]
    assert asked == ([text] if read else [])
