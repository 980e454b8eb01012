"""Global shortcuts: a real session bus with a portal of the test, and a real X server (V-21)."""

from collections.abc import Sequence

import pytest
from pytestqt.qtbot import QtBot

from assistant.core.settings import DesktopSettings
from assistant.core.texts import Texts
from assistant.desktop.keyboard.global_keys import TALK, TOGGLE, GlobalKeys
from assistant.desktop.keyboard.shortcuts.portal import PortalKeys
from assistant.desktop.keyboard.shortcuts.way import Way
from assistant.desktop.keyboard.shortcuts.x11 import X11Keys
from tests.fakes.front.shortcut_portal import ShortcutPortal
from tests.fakes.front.x_keyboard import XKeyboard, x_server

LIMIT_S = 20


class Taken:
    """What ``GlobalKeys`` emits."""

    def __init__(
        self, texts: Texts, ways: Sequence[Way], toggle: str = "ctrl+alt+j", talk: str = "ctrl+alt+space"
    ) -> None:
        settings = DesktopSettings(
            global_toggle=toggle, global_talk=talk, global_dictate="", global_quick="", global_read=""
        )
        self.keys, self.told = GlobalKeys(texts, settings, ways), list[object]()
        self.keys.used.connect(self.told.append)
        self.keys.held.connect(lambda name, held: self.told.append((name, held)))
        self.keys.failed.connect(self.told.append)
        self.keys.start()


def test_the_desktops_shortcuts_toggle_and_hold(qtbot: QtBot, texts: Texts, bus: str) -> None:
    with ShortcutPortal(bus) as portal:
        taken = Taken(texts, [PortalKeys(bus)], toggle="super+f9")
        bound = portal.bound.get(timeout=LIMIT_S)
        portal.use(TALK, down=True, session="/somebody/else")
        for name, down in ((TALK, True), (TALK, False), (TOGGLE, True), (TOGGLE, False), (TOGGLE, True)):
            portal.use(name, down=down)
        qtbot.waitUntil(lambda: len(taken.told) == 4, timeout=LIMIT_S * 1000)
        portal.use(TALK, down=True)
        qtbot.waitUntil(lambda: len(taken.told) == 5, timeout=LIMIT_S * 1000)
        taken.keys.stop()  # while the key is held
        qtbot.waitUntil(lambda: len(taken.told) == 6, timeout=LIMIT_S * 1000)
    assert {name: keys for name, (_, keys) in bound.items()} == {TALK: "CTRL+ALT+space", TOGGLE: "LOGO+F9"}
    assert all(words for words, _ in bound.values())
    assert taken.told == [(TALK, True), (TALK, False), TOGGLE, TOGGLE, (TALK, True), (TALK, False)]


def test_a_refusal_is_told_in_words_and_not_evaded(qtbot: QtBot, texts: Texts, bus: str) -> None:
    with x_server() as (screen, _), ShortcutPortal(bus, refuses=True):
        taken = Taken(texts, [PortalKeys(bus), X11Keys(screen)])
        qtbot.waitUntil(lambda: bool(taken.told), timeout=LIMIT_S * 1000)
    assert taken.told == [texts("desktop.shortcut.refused")]


def test_without_the_portal_keys_are_grabbed_on_the_x_server(qtbot: QtBot, texts: Texts, bus: str) -> None:
    with x_server() as (screen, _):
        keyboard = XKeyboard(screen)
        taken = Taken(texts, [PortalKeys(bus), X11Keys(screen)], toggle="f9", talk="")
        while not taken.told:
            keyboard.strike("F9")
            qtbot.wait(50)
        taken.keys.stop()
        keyboard.close()
    assert set(taken.told) == {TOGGLE}


def test_keys_of_another_program_are_told_in_words(qtbot: QtBot, texts: Texts) -> None:
    with x_server() as (screen, _):
        first = Taken(texts, [X11Keys(screen)], toggle="f9")
        keyboard = XKeyboard(screen)
        while not first.told:
            keyboard.strike("F9")
            qtbot.wait(50)
        second = Taken(texts, [X11Keys(screen)], toggle="f9", talk="f10")
        qtbot.waitUntil(lambda: bool(second.told), timeout=LIMIT_S * 1000)
        for each in (first, second):
            each.keys.stop()
        keyboard.close()
    assert second.told == [texts("desktop.shortcut.taken", keys="F9")]
    assert "sori toggle" in str(second.told[0])


@pytest.mark.parametrize("address", [None, "unix:path=/nobody/listens", ""])
def test_a_desktop_without_shortcuts_is_told_in_words(
    qtbot: QtBot, texts: Texts, bus: str, address: str | None
) -> None:
    taken = Taken(texts, [PortalKeys(bus if address is None else address)] if address != "" else [])
    qtbot.waitUntil(lambda: bool(taken.told), timeout=LIMIT_S * 1000)
    assert taken.told == [texts("desktop.shortcut.unavailable")]
    assert "sori toggle" in str(taken.told[0])
