from collections.abc import Callable

import pytest
from pytestqt.qtbot import QtBot

from assistant.core.machine.states import Snapshot
from assistant.core.texts import Texts
from assistant.core.updates import VoiceAvailable
from assistant.desktop.kit.icons import Icons
from assistant.desktop.kit.theme import Theme
from assistant.desktop.main_window import MainWindow
from assistant.desktop.microphone.mute_button import MuteButton


@pytest.fixture
def mute(qtbot: QtBot, texts: Texts, icons: Icons, theme: Theme) -> MuteButton:
    button = MuteButton(texts, icons, theme, "Ctrl+Shift+M")
    qtbot.addWidget(button)
    return button


def test_it_shows_how_it_stands_and_asks_for_the_other(mute: MuteButton) -> None:
    asked: list[bool] = []
    mute.mute_wanted.connect(asked.append)
    assert mute.text() == "Microphone soon", "it is not on before it is open"
    mute.show_microphone(muted=False, reason="", opened=False)
    assert mute.text() == "Microphone soon"
    mute.show_microphone(muted=False, reason="")
    on = (mute.drawing, mute.text(), mute.property("muted"), mute.toolTip())
    mute.click()
    mute.show_microphone(muted=True, reason="")
    off = (mute.drawing, mute.text(), mute.property("muted"), mute.toolTip())
    mute.click()

    assert asked == [True, False]
    assert on == ("microphone", "Microphone on", False, "Turn the microphone off (Ctrl+Shift+M)")
    assert off == ("microphone-off", "Microphone off", True, "Turn the microphone on (Ctrl+Shift+M)")


def test_without_a_microphone_it_says_why(mute: MuteButton) -> None:
    mute.show_microphone(muted=False, reason="There is none.")
    assert mute.drawing == "microphone-off"
    assert mute.text() == "No microphone"
    assert mute.accessibleName() == "The microphone cannot be used: There is none."


@pytest.mark.parametrize("width", [320, 480, 1000, 1600])
@pytest.mark.parametrize("language", ["ko", "en"])
def test_that_the_microphone_is_on_or_off_is_written_in_every_window(
    make_window: Callable[[str], MainWindow], language: str, width: int
) -> None:
    window = make_window(language)
    window.resize(width, 600)
    wide = []
    for muted in (False, True):
        window.show_update(
            VoiceAvailable(microphone="m", microphone_reason="", speaker="s", speaker_reason="", muted=muted)
        )
        window.strip.enter(Snapshot())
        mute = window.strip.mute
        wide.append(mute.width() >= mute.fontMetrics().horizontalAdvance(mute.text()) + mute.iconSize().width())
        assert mute.text()
    assert wide == [True, True]


def test_the_switch_of_the_microphone_and_the_button_to_talk_have_different_signs(window: MainWindow) -> None:
    assert window.strip.mute.drawing != window.composer.voice.drawing
