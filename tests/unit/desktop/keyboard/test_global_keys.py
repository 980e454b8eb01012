"""Global shortcuts on a real session bus with a portal of the test."""

from pytestqt.qtbot import QtBot

from assistant.core.texts import Texts
from assistant.desktop.keyboard.global_keys import TALK, TOGGLE, GlobalKeys
from tests.fakes.front.shortcut_portal import ShortcutPortal

LIMIT_S = 20


def test_the_desktops_shortcuts_toggle_and_hold(qtbot: QtBot, texts: Texts, bus: str) -> None:
    keys, told = GlobalKeys(texts, bus), list[object]()
    keys.toggled.connect(lambda: told.append("toggled"))
    keys.held.connect(told.append)
    with ShortcutPortal(bus) as portal:
        keys.start()
        bound = portal.bound.get(timeout=LIMIT_S)
        portal.use(TALK, down=True, session="/somebody/else")
        for name, down in ((TALK, True), (TALK, False), (TOGGLE, True), (TOGGLE, False), (TOGGLE, True)):
            portal.use(name, down=down)
        qtbot.waitUntil(lambda: len(told) == 4, timeout=LIMIT_S * 1000)
    assert set(bound) == {TALK, TOGGLE}
    assert all(bound.values())
    assert told == [True, False, "toggled", "toggled"]


def test_a_refusal_is_told_in_words(qtbot: QtBot, texts: Texts, bus: str) -> None:
    keys = GlobalKeys(texts, bus)
    with ShortcutPortal(bus, refuses=True), qtbot.waitSignal(keys.failed, timeout=LIMIT_S * 1000) as failed:
        keys.start()
    assert failed.args == [texts("desktop.shortcut.refused")]


def test_a_desktop_without_the_portal_is_told_in_words(qtbot: QtBot, texts: Texts, bus: str) -> None:
    for address in (bus, "unix:path=/nobody/listens", ""):
        keys = GlobalKeys(texts, address)
        with qtbot.waitSignal(keys.failed, timeout=LIMIT_S * 1000) as failed:
            keys.start()
        assert failed.args == [texts("desktop.shortcut.unavailable")]
        assert "sori toggle" in failed.args[0]
