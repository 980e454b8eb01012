"""Shortcuts of macOS, with the functions of Carbon replaced (V-21)."""

from collections.abc import Callable

from typing_extensions import override

from assistant.core.formats.key_combination import KEYS
from assistant.desktop.keyboard.shortcuts.macos import MacHotKeys, MacKeys
from assistant.desktop.keyboard.shortcuts.way import ShortcutTrouble
from tests.unit.desktop.keyboard.shortcuts.recorder import Recorder, shortcut

CONTROL, OPTION, COMMAND = 0x1000, 0x0800, 0x0100
SPACE, J = 49, 38


class Mac(MacHotKeys):
    """Registers each combination once."""

    def __init__(self, *taken: tuple[int, int]) -> None:
        self.registered = dict.fromkeys(taken, 0)
        self._on_key: Callable[[int, bool], None] | None = None

    def use(self, modifiers: int, code: int, *, down: bool) -> None:
        """Press or release a registered combination."""
        assert self._on_key is not None
        self._on_key(self.registered[modifiers, code], down)

    @override
    def listen(self, on_key: Callable[[int, bool], None]) -> None:
        self._on_key = on_key

    @override
    def register(self, number: int, modifiers: int, code: int) -> bool:
        return self.registered.setdefault((modifiers, code), number) == number

    @override
    def unregister_all(self) -> None:
        self.registered.clear()


def test_a_shortcut_is_pressed_and_released() -> None:
    system, told = Mac(), Recorder()
    way = MacKeys(lambda: system)
    wanted = {"talk": shortcut("ctrl+alt+space"), "toggle": shortcut("super+j")}
    way.start(wanted, told.changed, told.troubled)
    system.use(CONTROL | OPTION, SPACE, down=True)
    system.use(CONTROL | OPTION, SPACE, down=True)
    system.use(COMMAND, J, down=True)
    assert [told.next() for _ in range(2)] == [("talk", True), ("toggle", True)]
    system.use(COMMAND, J, down=False)
    way.stop()  # while the key is held
    assert [told.next() for _ in range(2)] == [("toggle", False), ("talk", False)]
    assert system.registered == {}


def test_keys_of_another_program_are_named_and_the_others_work() -> None:
    system, told = Mac((COMMAND, J)), Recorder()
    MacKeys(lambda: system).start({"toggle": shortcut("super+j"), "talk": shortcut("f9")}, told.changed, told.troubled)
    assert told.next() == (ShortcutTrouble.TAKEN, "Super+J")
    system.use(0, 101, down=True)
    assert told.next() == ("talk", True)


def test_each_key_has_a_code_of_its_own() -> None:
    system, told = Mac(), Recorder()
    MacKeys(lambda: system).start({key: shortcut(f"ctrl+{key}") for key in KEYS}, told.changed, told.troubled)
    assert len(system.registered) == len(KEYS)
    assert told.told.empty()


def test_a_system_without_the_library_is_told() -> None:
    told = Recorder()
    way = MacKeys()  # tests run on Linux, and macOS has the library
    way.start({"toggle": shortcut("super+j")}, told.changed, told.troubled)
    way.stop()
    if not told.told.empty():
        assert told.next() == (ShortcutTrouble.UNAVAILABLE, "None")
