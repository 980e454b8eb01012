"""Typing through the portal of a Wayland desktop: a real session bus with a portal of the test (D-08)."""

import pytest
from pytestqt.qtbot import QtBot

from assistant.desktop.dictation.ways.portal import PortalTyping
from assistant.desktop.dictation.ways.way import TypingError
from tests.fakes.front.typing_portal import TypingPortal


def test_letters_are_typed_and_hangul_is_pasted(qtbot: QtBot, bus: str) -> None:
    with TypingPortal(bus) as portal:
        way = PortalTyping(bus)
        way.start()
        qtbot.waitUntil(way.is_free)
        for erased, text in ((0, "Hello, World!"), (1, "?\n"), (0, "안녕하세요."), (1, "! ok")):
            way.erase(erased)
            way.write(text)
        qtbot.waitUntil(way.is_free)
        way.close()
    assert portal.text == "Hello, World?\n안녕하세요! ok"


def test_who_refuses_it_gets_no_text(qtbot: QtBot, bus: str) -> None:
    with TypingPortal(bus, refuses=True) as portal:
        way = PortalTyping(bus)
        way.start()
        qtbot.waitUntil(lambda: way.failed)
        with pytest.raises(TypingError):
            way.is_free()
    assert portal.text == ""
