"""Shortcuts of Windows, with the functions of ``user32`` replaced (V-21)."""

from queue import SimpleQueue
from threading import get_native_id

from typing_extensions import override

from assistant.desktop.keyboard.shortcuts.way import ShortcutTrouble
from assistant.desktop.keyboard.shortcuts.windows import WindowsHotKeys, WindowsKeys
from tests.unit.desktop.keyboard.shortcuts.recorder import LIMIT_S, Recorder, shortcut

CTRL_ALT_NO_REPEAT = 0x4003


class Windows(WindowsHotKeys):
    """Registers each combination once, and sends messages to the thread that registered it."""

    def __init__(self, *taken: tuple[int, int]) -> None:
        self.registered = dict.fromkeys(taken, 0)
        self.asked, self.looks = SimpleQueue[int](), SimpleQueue[bool]()
        self._messages = SimpleQueue[int | None]()
        self._thread = 0

    def press(self, modifiers: int, code: int, looks: int) -> None:
        """Press a registered combination, which is down for a number of looks."""
        for look in range(looks + 1):
            self.looks.put(look < looks)
        self._messages.put(self.registered[modifiers, code])

    @override
    def register(self, number: int, modifiers: int, code: int) -> bool:
        self._thread = get_native_id()
        free = self.registered.setdefault((modifiers, code), number) == number
        self.asked.put(number)
        return free

    @override
    def unregister(self, number: int) -> None:
        assert get_native_id() == self._thread
        self.registered = {keys: each for keys, each in self.registered.items() if each != number}

    @override
    def next(self) -> int | None:
        assert get_native_id() == self._thread
        return self._messages.get()

    @override
    def is_down(self, code: int) -> bool:
        return self.looks.get()

    @override
    def quit(self, thread: int) -> None:
        assert thread == self._thread
        self._messages.put(None)


def test_a_shortcut_is_down_until_its_key_is_up() -> None:
    system, told = Windows(), Recorder()
    way = WindowsKeys(system)
    way.start({"talk": shortcut("ctrl+alt+space"), "f": shortcut("super+shift+f9")}, told.changed, told.troubled)
    assert [system.asked.get(timeout=LIMIT_S) for _ in range(2)] == [1, 2]
    system.press(CTRL_ALT_NO_REPEAT, 0x20, looks=3)
    assert (told.next(), told.next()) == (("talk", True), ("talk", False))
    assert system.looks.empty()
    system.press(0x400C, 0x78, looks=0)
    assert (told.next(), told.next()) == (("f", True), ("f", False))
    way.stop()
    assert system.registered == {}


def test_keys_of_another_program_are_named_and_the_others_work() -> None:
    system, told = Windows((CTRL_ALT_NO_REPEAT, ord("J"))), Recorder()
    way = WindowsKeys(system)
    way.start({"toggle": shortcut("ctrl+alt+j"), "talk": shortcut("ctrl+alt+1")}, told.changed, told.troubled)
    assert told.next() == (ShortcutTrouble.TAKEN, "Ctrl+Alt+J")
    assert [system.asked.get(timeout=LIMIT_S) for _ in range(2)] == [1, 2]
    system.press(CTRL_ALT_NO_REPEAT, ord("1"), looks=1)
    assert (told.next(), told.next()) == (("talk", True), ("talk", False))
    way.stop()
    assert system.registered == {(CTRL_ALT_NO_REPEAT, ord("J")): 0}
