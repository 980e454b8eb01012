"""The ways to type of systems that do not run here, at their border; and which way a desktop gets (D-08)."""

from collections.abc import Sequence

import pytest

from assistant.desktop.dictation.ways.choice import ways
from assistant.desktop.dictation.ways.macos import MacTyping
from assistant.desktop.dictation.ways.way import TypingError
from assistant.desktop.dictation.ways.windows import Stroke, WindowsTyping


class User32:
    """Takes strokes, at most ``room`` of them."""

    def __init__(self, room: int = 1000) -> None:
        self.strokes: list[Stroke] = []
        self.held: set[int] = set()
        self._room = room

    def send(self, strokes: Sequence[Stroke]) -> int:
        self.strokes += strokes[: self._room]
        return min(self._room, len(strokes))

    def is_down(self, key: int) -> bool:
        return key in self.held


class Quartz:
    """Takes presses and writings."""

    def __init__(self, *, allowed: bool = True) -> None:
        self.done: list[object] = []
        self._allowed = allowed

    def is_allowed(self) -> bool:
        return self._allowed

    def press(self, key: int, flags: int) -> None:
        self.done.append((key, flags))

    def write(self, units: bytes) -> None:
        self.done.append(units.decode("utf-16-le"))


def test_windows_gets_each_utf_16_unit_and_keys_for_lines() -> None:
    user32 = User32()
    way = WindowsTyping(lambda: user32)
    way.start()
    way.erase(1)
    way.write("한\n😀")
    back, hangul, enter = [(8, 0, 0), (8, 0, 2)], [(0, 0xD55C, 4), (0, 0xD55C, 6)], [(13, 0, 0), (13, 0, 2)]
    pair = [(0, unit, flags) for unit in (0xD83D, 0xDE00) for flags in (4, 6)]
    assert user32.strokes == [*back, *hangul, *enter, *pair]


def test_windows_waits_for_held_keys_and_says_that_a_program_takes_nothing() -> None:
    user32 = User32(room=0)
    way = WindowsTyping(lambda: user32)
    way.start()
    user32.held = {0x11}
    assert not way.is_free()
    user32.held = set()
    assert way.is_free()
    with pytest.raises(TypingError):
        way.write("a")


def test_a_mac_gets_text_in_pieces_and_keys_for_lines() -> None:
    quartz = Quartz()
    way = MacTyping(lambda: quartz)
    way.start()
    way.erase(2)
    way.write("가나다라마바사아자차카타파하가나다라마바사\n끝")
    assert quartz.done == [(51, 0), (51, 0), "가나다라마바사아자차카타파하가나다라마바", "사", (36, 0), "끝"]


def test_a_mac_that_does_not_allow_it_is_no_way() -> None:
    with pytest.raises(TypingError):
        MacTyping(lambda: Quartz(allowed=False)).start()


@pytest.mark.parametrize(
    ("platform", "environment", "names"),
    [
        ("win32", {}, ["WindowsTyping"]),
        ("darwin", {}, ["MacTyping"]),
        ("linux", {"DISPLAY": ":0"}, ["X11Typing"]),
        ("linux", {"DISPLAY": ":0", "WAYLAND_DISPLAY": "w", "DBUS_SESSION_BUS_ADDRESS": "b"}, ["PortalTyping"]),
        ("linux", {"DISPLAY": ":0", "WAYLAND_DISPLAY": "w"}, []),
        ("linux", {}, []),
    ],
)
def test_each_desktop_has_its_ways(platform: str, environment: dict[str, str], names: list[str]) -> None:
    assert [type(each).__name__ for each in ways(platform, environment)] == names
