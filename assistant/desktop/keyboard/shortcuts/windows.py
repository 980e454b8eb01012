"""Shortcuts on Windows, by RegisterHotKey (V-21).

Documentation: https://learn.microsoft.com/windows/win32/api/winuser/nf-winuser-registerhotkey. Windows reports presses
only, so the key is asked until it is up.
"""

import ctypes
import threading
import time
from collections.abc import Mapping
from typing import Protocol

from typing_extensions import override

from assistant.core.formats.key_combination import FUNCTION_KEYS, Combination
from assistant.desktop.keyboard.shortcuts.way import OnChange, OnTrouble, Presses, Shortcut, ShortcutTrouble, Way

_MODIFIERS = {"alt": 1, "ctrl": 2, "shift": 4, "super": 8}
_NO_REPEAT = 0x4000
_WM_QUIT, _WM_HOTKEY = 0x0012, 0x0312
_VK_SPACE, _VK_F1 = 0x20, 0x70
_LOOK_S = 0.02
"""Time between two looks at a held key, in seconds."""


class WindowsHotKeys(Protocol):
    """The functions of ``user32`` that shortcuts need. All are called on one thread, except ``quit``."""

    def register(self, number: int, modifiers: int, code: int) -> bool:
        """Register a shortcut under a number; false if another program has it."""

    def unregister(self, number: int) -> None:
        """Give a shortcut back."""

    def next(self) -> int | None:
        """Wait for the number of the next pressed shortcut; ``None`` after ``quit``."""

    def is_down(self, code: int) -> bool:
        """Whether a key is down."""

    def quit(self, thread: int) -> None:
        """Let ``next`` return ``None`` on a thread, which is named by its native id."""


class WindowsKeys(Way):
    """Registers shortcuts on a thread of its own, which Windows sends them to.

    Args:
        hot_keys: functions of the system.
    """

    def __init__(self, hot_keys: WindowsHotKeys | None = None) -> None:
        self._hot_keys = hot_keys or _User32()
        self._thread: threading.Thread | None = None
        self._registered = threading.Event()

    @override
    def start(self, shortcuts: Mapping[str, Shortcut], on_change: OnChange, on_trouble: OnTrouble) -> None:
        self._thread = threading.Thread(
            target=self._follow, args=(shortcuts, on_change, on_trouble), name="global shortcuts", daemon=True
        )
        self._thread.start()

    @override
    def stop(self) -> None:
        if self._thread is not None and self._thread.native_id is not None:
            self._registered.wait()  # before, the thread has no queue that the message could go to
            self._hot_keys.quit(self._thread.native_id)
            self._thread.join()
            self._thread = None

    def _follow(self, shortcuts: Mapping[str, Shortcut], on_change: OnChange, on_trouble: OnTrouble) -> None:
        presses = Presses(on_change)
        found = dict[int, tuple[str, int]]()
        for number, (name, each) in enumerate(shortcuts.items(), start=1):
            code = _code(each.keys)
            if self._hot_keys.register(number, _modifiers(each.keys), code):
                found[number] = (name, code)
            else:
                on_trouble(ShortcutTrouble.TAKEN, each.keys)
        self._registered.set()
        while (pressed := self._hot_keys.next()) is not None:
            if pressed in found:
                name, code = found[pressed]
                presses.set(name, down=True)
                while self._hot_keys.is_down(code):
                    time.sleep(_LOOK_S)
                presses.set(name, down=False)
        for number in found:
            self._hot_keys.unregister(number)


def _modifiers(keys: Combination) -> int:
    return sum((_MODIFIERS[each] for each in keys.modifiers), _NO_REPEAT)


def _code(keys: Combination) -> int:
    """The virtual key code."""
    if keys.key in FUNCTION_KEYS:
        return _VK_F1 + FUNCTION_KEYS.index(keys.key)
    return _VK_SPACE if keys.key == "space" else ord(keys.key.upper())


class _Message(ctypes.Structure):
    """``MSG``."""

    _fields_ = (
        ("window", ctypes.c_void_p),
        ("message", ctypes.c_uint),
        ("first", ctypes.c_size_t),
        ("second", ctypes.c_ssize_t),
        ("time", ctypes.c_uint32),
        ("x", ctypes.c_int32),
        ("y", ctypes.c_int32),
        ("private", ctypes.c_uint32),
    )


class _User32(WindowsHotKeys):
    """``user32``. On 64-bit Windows its functions are called as those of C."""

    def __init__(self) -> None:
        self._user32 = ctypes.CDLL("user32")
        self._user32.RegisterHotKey.argtypes = (ctypes.c_void_p, ctypes.c_int, ctypes.c_uint, ctypes.c_uint)
        self._user32.UnregisterHotKey.argtypes = (ctypes.c_void_p, ctypes.c_int)
        self._user32.GetMessageW.argtypes = (ctypes.c_void_p, ctypes.c_void_p, ctypes.c_uint, ctypes.c_uint)
        self._user32.GetAsyncKeyState.restype = ctypes.c_short
        self._user32.PostThreadMessageW.argtypes = (
            ctypes.c_uint32,
            ctypes.c_uint,
            ctypes.c_size_t,
            ctypes.c_ssize_t,
        )

    @override
    def register(self, number: int, modifiers: int, code: int) -> bool:
        return bool(self._user32.RegisterHotKey(None, number, modifiers, code))

    @override
    def unregister(self, number: int) -> None:
        self._user32.UnregisterHotKey(None, number)

    @override
    def next(self) -> int | None:
        message = _Message()
        while self._user32.GetMessageW(ctypes.byref(message), None, 0, 0) > 0:
            if message.message == _WM_HOTKEY:
                return int(message.first)
        return None

    @override
    def is_down(self, code: int) -> bool:
        return bool(self._user32.GetAsyncKeyState(code) < 0)

    @override
    def quit(self, thread: int) -> None:
        self._user32.PostThreadMessageW(thread, _WM_QUIT, 0, 0)
