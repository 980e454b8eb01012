"""Grabbed keys on a real X server (V-21)."""

import subprocess
from collections.abc import Iterator
from queue import Empty

import pytest
from Xlib import XK, X

from assistant.desktop.keyboard.shortcuts.way import ShortcutTrouble
from assistant.desktop.keyboard.shortcuts.x11 import X11Keys
from tests.fakes.front.x_keyboard import XKeyboard, x_server
from tests.unit.desktop.keyboard.shortcuts.recorder import Recorder, shortcut

GRABBED, LAST = "f11", "f12"


class Session:
    """Grabbed keys, and what they report."""

    def __init__(self, screen: str) -> None:
        self.keyboard = XKeyboard(screen)
        self.way = X11Keys(screen)
        self._told = Recorder()

    def begin(self, **keys: str) -> None:
        """Grab keys, and two for ``told``: the one that is grabbed last shows that all are."""
        wanted = {name: shortcut(each) for name, each in {**keys, "last": LAST, "grabbed": GRABBED}.items()}
        self.way.start(wanted, self._told.changed, self._told.troubled)

    def told(self) -> list[tuple[str, bool] | tuple[ShortcutTrouble, str]]:
        """What was reported until now, all keys being grabbed: all that came before the report of the last key."""
        found = []
        while True:
            self.keyboard.strike("F11")
            try:
                while (report := self._told.told.get(timeout=0.1))[0] != "grabbed":
                    found.append(report)
            except Empty:  # the keys are not grabbed yet
                continue
            break
        self.keyboard.strike("F12")
        # "grabbed" may be reported several times, because its key was struck again; the last key was struck once.
        while (report := self._told.next())[0] != "last":
            if report[0] != "grabbed":
                found.append(report)
        assert self._told.next() == ("last", False)
        return found

    def next(self) -> tuple[str, bool] | tuple[ShortcutTrouble, str]:
        """Wait for the next report."""
        return self._told.next()

    def end(self) -> None:
        self.way.stop()
        self.keyboard.close()


@pytest.fixture
def screen() -> Iterator[str]:
    with x_server() as (name, _):
        yield name


@pytest.fixture
def session(screen: str) -> Iterator[Session]:
    session = Session(screen)
    yield session
    session.end()


def test_a_shortcut_is_pressed_and_released(session: Session) -> None:
    session.begin(talk="ctrl+alt+space", toggle="ctrl+alt+j")
    assert session.told() == []
    session.keyboard.press("Control_L", "Alt_L", "space")
    assert session.next() == ("talk", True)
    # The modifiers are released first: the shortcut is still held.
    session.keyboard.release("Alt_L", "Control_L", "space")
    session.keyboard.strike("Control_L", "Alt_L", "j")
    assert session.told() == [("talk", False), ("toggle", True), ("toggle", False)]


def test_a_held_key_that_repeats_is_pressed_once(session: Session) -> None:
    session.begin(talk="ctrl+alt+space")
    assert session.told() == []
    session.keyboard.press("Control_L", "Alt_L", "space")
    assert session.next() == ("talk", True)
    for _ in range(3):  # as the server sends for a key that repeats
        session.keyboard.press("space")
    session.keyboard.release("space", "Alt_L", "Control_L")
    assert session.told() == [("talk", False)]


def test_other_keys_go_to_other_programs(session: Session) -> None:
    session.begin(toggle="ctrl+alt+j")
    assert session.told() == []
    session.keyboard.strike("j")
    session.keyboard.strike("Control_L", "j")
    session.keyboard.strike("Control_L", "Alt_L", "Shift_L", "j")
    session.keyboard.strike("Control_L", "Alt_L", "k")
    assert session.told() == []


@pytest.mark.parametrize("locks", [["Caps_Lock"], ["Num_Lock"], ["Num_Lock", "Caps_Lock"]])
def test_lock_keys_change_nothing(session: Session, locks: list[str]) -> None:
    session.begin(toggle="ctrl+alt+j")
    assert session.told() == []
    for lock in locks:
        session.keyboard.strike(lock)
    state = session.keyboard.display.screen().root.query_pointer().mask
    assert state.bit_count() == len(locks)
    session.keyboard.strike("Control_L", "Alt_L", "j")
    assert session.told() == [("toggle", True), ("toggle", False)]


def test_keys_of_another_program_are_named_and_the_others_work(session: Session, screen: str) -> None:
    other = XKeyboard(screen)
    code = other.display.keysym_to_keycode(XK.string_to_keysym("j"))
    # The other program grabs the key with Num Lock only: then Sori must not have the rest either.
    modifiers = X.ControlMask | X.Mod1Mask | X.Mod2Mask
    other.display.screen().root.grab_key(code, modifiers, False, X.GrabModeAsync, X.GrabModeAsync)
    other.display.sync()
    session.begin(toggle="ctrl+alt+j", talk="ctrl+alt+space")
    assert session.next() == (ShortcutTrouble.TAKEN, "Ctrl+Alt+J")
    assert session.told() == []
    session.keyboard.strike("Control_L", "Alt_L", "space")
    session.keyboard.strike("Control_L", "Alt_L", "j")
    assert session.told() == [("talk", True), ("talk", False)]
    other.close()


def test_keys_that_another_program_gives_back_work(screen: str) -> None:
    other, session = XKeyboard(screen), Session(screen)
    session.way = X11Keys(screen, retry_s=0.05)
    code = other.display.keysym_to_keycode(XK.string_to_keysym("j"))
    other.display.screen().root.grab_key(code, X.ControlMask, False, X.GrabModeAsync, X.GrabModeAsync)
    other.display.sync()
    session.begin(toggle="ctrl+j")
    assert session.next() == (ShortcutTrouble.TAKEN, "Ctrl+J")
    other.close()
    while not (told := session.told()):
        session.keyboard.strike("Control_L", "j")
    assert told[0] == ("toggle", True)
    session.end()


def test_a_changed_layout_moves_the_keys(session: Session, screen: str) -> None:
    session.begin(toggle="ctrl+alt+j")
    assert session.told() == []
    before = session.keyboard.display.keysym_to_keycode(XK.string_to_keysym("j"))
    subprocess.run(["setxkbmap", "-display", screen, "dvorak"], check=True)
    other = XKeyboard(screen)
    assert other.display.keysym_to_keycode(XK.string_to_keysym("j")) != before
    assert session.told() == []
    session.keyboard.strike("Control_L", "Alt_L", "j")  # of the old layout
    other.strike("Control_L", "Alt_L", "j")
    assert session.told() == [("toggle", True), ("toggle", False)]
    other.close()


def test_a_key_that_the_keyboard_lacks_is_named(session: Session, screen: str) -> None:
    subprocess.run(["setxkbmap", "-display", screen, "ru"], check=True)
    session.begin(toggle="ctrl+alt+j")
    assert session.next() == (ShortcutTrouble.NO_KEY, "Ctrl+Alt+J")
    subprocess.run(["setxkbmap", "-display", screen, "us"], check=True)
    assert session.told() == []
    session.keyboard.strike("Control_L", "Alt_L", "j")
    assert session.told() == [("toggle", True), ("toggle", False)]


def test_keys_are_given_back_at_the_end(session: Session, screen: str) -> None:
    session.begin(talk="ctrl+alt+space")
    assert session.told() == []
    session.keyboard.press("Control_L", "Alt_L", "space")
    assert session.next() == ("talk", True)
    session.way.stop()
    assert session.next() == ("talk", False)
    session.keyboard.release("space", "Alt_L", "Control_L")
    again = Session(screen)
    again.begin(talk="ctrl+alt+space")
    assert again.told() == []
    again.end()


def test_a_server_that_ends_releases_what_is_held() -> None:
    with x_server() as (screen, server):
        session = Session(screen)
        session.begin(talk="ctrl+alt+space")
        assert session.told() == []
        session.keyboard.press("Control_L", "Alt_L", "space")
        assert session.next() == ("talk", True)
        server.kill()
        assert session.next() == ("talk", False)
        assert session.next() == (ShortcutTrouble.UNAVAILABLE, "None")
        session.end()


@pytest.mark.filterwarnings("ignore:Exception ignored in. <socket:pytest.PytestUnraisableExceptionWarning")
def test_a_server_that_is_not_there_is_told() -> None:
    told, way = Recorder(), X11Keys(":4095")
    way.start({"toggle": shortcut("ctrl+alt+j")}, told.changed, told.troubled)
    assert told.next() == (ShortcutTrouble.UNAVAILABLE, "None")
    way.stop()
