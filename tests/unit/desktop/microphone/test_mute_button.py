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
    on = (mute.drawing, mute.text(), mute.property("muted"), mute.toolTip())
    mute.click()
    mute.show_microphone(muted=True, reason="")
    off = (mute.drawing, mute.text(), mute.property("muted"), mute.toolTip())
    mute.click()

    assert asked == [True, False]
    assert on == ("microphone", "Microphone on", False, "Turn the microphone off (Ctrl+Shift+M)")
    assert off == ("microphone-off", "Microphone off", True, "Turn the microphone on (Ctrl+Shift+M)")


def test_that_it_is_off_is_said_even_where_there_is_little_room(mute: MuteButton) -> None:
    mute.give_room(roomy=False)
    on = mute.text()
    mute.show_microphone(muted=True, reason="")
    assert (on, mute.text()) == ("", "Microphone off")


def test_without_a_microphone_it_says_why(mute: MuteButton) -> None:
    mute.show_microphone(muted=False, reason="There is none.")
    assert mute.drawing == "microphone-off"
    assert mute.text() == ""
    assert mute.accessibleName() == "The microphone cannot be used: There is none."


def test_being_muted_is_also_said_in_the_colour_of_what_hinders(window: MainWindow) -> None:
    muted = VoiceAvailable(microphone="m", microphone_reason="", speaker="s", speaker_reason="", muted=True)
    window.show_update(muted)
    window.strip.enter(Snapshot())
    assert window.strip.detail.text() == "The microphone is off"
    assert window.strip.detail.property("problem")
    assert window.strip.mute.property("muted")
