"""The tray: its icon in each state, agents, the last answer, and what rings (D-01, V-20)."""

from collections.abc import Callable
from itertools import combinations

import pytest
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication, QMenu

from assistant.core import updates as up
from assistant.core.machine.states import InteractionState, Snapshot, TurnId
from assistant.core.packets import AnswerDelta
from assistant.core.records.agents import AgentId, ListedAgent, ListedWorkspace
from assistant.core.service.requests.agents import ListWorkspaces, SwitchAgent
from assistant.core.service.requests.timers import SnoozeTimers
from assistant.core.service.requests.voice import ReadAloud
from assistant.core.texts import Texts
from assistant.desktop.chrome.tray import Tray
from assistant.desktop.kit.icons import Icons
from assistant.desktop.kit.theme import Theme
from assistant.desktop.main_window import MainWindow
from tests.fakes.front.connection import RecordedConnection

VOICE = up.VoiceAvailable(microphone="m", microphone_reason="", speaker="s", speaker_reason="", muted=False)
MUTED = up.VoiceAvailable(microphone="m", microphone_reason="", speaker="s", speaker_reason="", muted=True)


def state(interaction: InteractionState) -> Callable[[Tray], None]:
    return lambda tray: tray.enter(Snapshot(interaction=interaction))


STATES: dict[str, Callable[[Tray], None]] = {
    **{each.value: state(each) for each in InteractionState},
    "muted": lambda tray: tray.show_voice(MUTED),
    "stopped": lambda tray: tray.show_stopped(stopped=True),
    "asking": lambda tray: tray.show_asking(asking=True),
    "ringing": lambda tray: tray.show_ringing(ringing=True),
}


def grey(tray: Tray) -> QImage:
    """The icon as it is seen without its colours, in the size of a tray."""
    return tray.icon.pixmap(24, 24).toImage().convertToFormat(QImage.Format.Format_Grayscale8)


@pytest.mark.parametrize("choice", ["light", "dark"])
def test_each_state_has_an_icon_of_its_own_also_without_colour(
    qapp: QApplication, texts: Texts, icons: Icons, choice: str
) -> None:
    theme = Theme(qapp, "dark" if choice == "dark" else "light")
    drawn = {}
    for name, enter in STATES.items():
        tray = Tray(texts, icons, theme)
        tray.show_voice(VOICE)
        enter(tray)
        drawn[name] = grey(tray)
    alike = [(one, other) for one, other in combinations(drawn, 2) if drawn[one] == drawn[other]]
    assert alike == []


def agents(*names: str) -> tuple[ListedWorkspace, ...]:
    listed = tuple(
        ListedAgent(id=AgentId(name=name), title=name.title(), current=not at) for at, name in enumerate(names)
    )
    return (ListedWorkspace(name="home", title="Home", current=True, agents=listed, folder="/home"),)


def test_another_agent_is_a_click_away(window: MainWindow, connection: RecordedConnection) -> None:
    window.tray.menu.aboutToShow.emit()
    connection.reply(ListWorkspaces, agents("dochi", "jinny"))
    submenu = next(iter(window.tray.menu.findChildren(QMenu)))
    assert [(each.text(), each.isChecked()) for each in submenu.actions()] == [("Dochi", True), ("Jinny", False)]
    submenu.actions()[1].trigger()
    assert connection.sent[-1] == SwitchAgent(agent="jinny", workspace="home")


def test_one_agent_alone_is_no_choice(texts: Texts, icons: Icons, theme: Theme) -> None:
    tray = Tray(texts, icons, theme)
    tray.show_agents(agents("dochi"))
    submenu = next(each for each in tray.menu.actions() if each.menu() is not None)
    assert not submenu.isVisible()


def test_the_last_answer_is_copied_and_read(
    window: MainWindow, connection: RecordedConnection, qapp: QApplication, texts: Texts
) -> None:
    entries = {each.text(): each for each in window.tray.menu.actions()}
    copy, aloud = entries[texts("desktop.tray.copy")], entries[texts("desktop.tray.aloud")]
    window.tray.menu.aboutToShow.emit()
    assert [copy.isEnabled(), aloud.isEnabled()] == [False, False]
    packet = AnswerDelta(turn_index=0, text="It is five.")
    window.show_update(up.PacketEmitted(conversation="a", turn=TurnId("t"), packet=packet))
    window.tray.menu.aboutToShow.emit()
    copy.trigger()
    aloud.trigger()
    assert qapp.clipboard().text() == "It is five."
    assert connection.sent[-1] == ReadAloud(text="It is five.")


def test_what_rings_rings_again_later(window: MainWindow, connection: RecordedConnection, texts: Texts) -> None:
    ringing = up.TimerShown(id="t", title="tea timer", due_at="2026-11-26T08:00:00+00:00", ringing=True)
    window.show_update(up.TimersChanged(timers=(ringing,)))
    window.timers.chips[0].snooze.click()
    next(each for each in window.tray.menu.actions() if each.text() == texts("desktop.timer.snooze")).trigger()
    window.calling.notifications.chosen.emit("snooze")
    assert [each for each in connection.sent if isinstance(each, SnoozeTimers)] == [SnoozeTimers()] * 3
