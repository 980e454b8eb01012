"""Shortcuts on macOS, by Carbon's RegisterEventHotKey (V-21).

It needs no permission, because it reports these keys only. Declarations: ``CarbonEvents.h`` and ``Events.h`` of Apple's
HIToolbox.
"""

import ctypes
import logging
from collections.abc import Callable, Mapping
from typing import Any, Protocol

from typing_extensions import override

from assistant.core.formats.key_combination import FUNCTION_KEYS, Combination
from assistant.desktop.keyboard.shortcuts.way import OnChange, OnTrouble, Presses, Shortcut, ShortcutTrouble, Way

log = logging.getLogger(__name__)

_LIBRARY = "/System/Library/Frameworks/Carbon.framework/Carbon"
_MODIFIERS = {"super": 1 << 8, "shift": 1 << 9, "alt": 1 << 11, "ctrl": 1 << 12}
_SPACE = 49
_DIGITS = (29, 18, 19, 20, 21, 23, 22, 26, 28, 25)
_LETTERS = (0, 11, 8, 2, 14, 3, 5, 4, 34, 38, 40, 37, 46, 45, 31, 35, 12, 15, 1, 17, 32, 9, 13, 7, 16, 6)
_FUNCTION = (122, 120, 99, 118, 96, 97, 98, 100, 101, 109, 103, 111)
"""Key codes (``kVK_ANSI_A`` …): places on the keyboard, whatever its layout."""


class MacHotKeys(Protocol):
    """The functions of Carbon that shortcuts need. All are called in Qt's thread, whose event loop takes the keys."""

    def listen(self, on_key: Callable[[int, bool], None]) -> None:
        """Report the number of a shortcut, and whether it is pressed."""

    def register(self, number: int, modifiers: int, code: int) -> bool:
        """Register a shortcut under a number; false if another program has it."""

    def unregister_all(self) -> None:
        """Give all shortcuts back, and report nothing more."""


class MacKeys(Way):
    """Registers shortcuts with the application's event loop.

    Args:
        make: loads the functions of the system.
    """

    def __init__(self, make: Callable[[], MacHotKeys] | None = None) -> None:
        self._make = make or _Carbon
        self._hot_keys: MacHotKeys | None = None
        self._presses: Presses | None = None

    @override
    def start(self, shortcuts: Mapping[str, Shortcut], on_change: OnChange, on_trouble: OnTrouble) -> None:
        presses = self._presses = Presses(on_change)
        names = dict(enumerate(shortcuts, start=1))
        try:
            self._hot_keys = self._make()
            self._hot_keys.listen(lambda number, down: presses.set(names[number], down=down))
        except OSError as error:
            log.warning("no global shortcuts: %s", error)
            on_trouble(ShortcutTrouble.UNAVAILABLE, None)
            return
        for number, name in names.items():
            keys = shortcuts[name].keys
            if not self._hot_keys.register(number, sum(_MODIFIERS[each] for each in keys.modifiers), _code(keys)):
                on_trouble(ShortcutTrouble.TAKEN, keys)

    @override
    def stop(self) -> None:
        if self._hot_keys is not None:
            self._hot_keys.unregister_all()
        if self._presses is not None:
            self._presses.release_all()


def _code(keys: Combination) -> int:
    if keys.key in FUNCTION_KEYS:
        return _FUNCTION[FUNCTION_KEYS.index(keys.key)]
    if keys.key == "space":
        return _SPACE
    return _DIGITS[int(keys.key)] if keys.key.isdecimal() else _LETTERS[ord(keys.key) - ord("a")]


def _four(letters: bytes) -> int:
    """A code that Apple writes as four letters."""
    return int.from_bytes(letters, "big")


_KEYBOARD, _DIRECT_OBJECT, _HOT_KEY_ID = _four(b"keyb"), _four(b"----"), _four(b"hkid")
_PRESSED, _RELEASED = 5, 6


class _HotKeyId(ctypes.Structure):
    """``EventHotKeyID``."""

    _fields_ = (("signature", ctypes.c_uint32), ("number", ctypes.c_uint32))


class _EventType(ctypes.Structure):
    """``EventTypeSpec``."""

    _fields_ = (("group", ctypes.c_uint32), ("kind", ctypes.c_uint32))


_Handler = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)


class _Carbon(MacHotKeys):
    """Apple's library.

    Raises:
        OSError: it cannot be loaded, or takes no handler.
    """

    def __init__(self) -> None:
        self._carbon = carbon = ctypes.CDLL(_LIBRARY)
        pointer, number, size = ctypes.c_void_p, ctypes.c_uint32, ctypes.c_ulong
        carbon.GetApplicationEventTarget.restype = pointer
        carbon.InstallEventHandler.argtypes = (pointer, _Handler, size, pointer, pointer, pointer)
        carbon.RemoveEventHandler.argtypes = (pointer,)
        carbon.RegisterEventHotKey.argtypes = (number, number, _HotKeyId, pointer, number, pointer)
        carbon.UnregisterEventHotKey.argtypes = (pointer,)
        carbon.GetEventKind.argtypes, carbon.GetEventKind.restype = (pointer,), number
        carbon.GetEventParameter.argtypes = (pointer, number, number, pointer, size, pointer, pointer)
        self._target = carbon.GetApplicationEventTarget()
        self._keys = list[ctypes.c_void_p]()
        self._installed = ctypes.c_void_p()
        self._handler: Any = None

    @override
    def listen(self, on_key: Callable[[int, bool], None]) -> None:
        def handle(_call: int, event: int, _data: int) -> int:
            which = _HotKeyId()
            status: int = self._carbon.GetEventParameter(
                event, _DIRECT_OBJECT, _HOT_KEY_ID, None, ctypes.sizeof(which), None, ctypes.byref(which)
            )
            if not status:
                on_key(which.number, self._carbon.GetEventKind(event) == _PRESSED)
            return status

        self._handler = _Handler(handle)  # kept, because Carbon calls it
        kinds = (_EventType * 2)(_EventType(_KEYBOARD, _PRESSED), _EventType(_KEYBOARD, _RELEASED))
        status = self._carbon.InstallEventHandler(
            self._target, self._handler, len(kinds), kinds, None, ctypes.byref(self._installed)
        )
        if status:
            raise OSError(f"InstallEventHandler: {status}")

    @override
    def register(self, number: int, modifiers: int, code: int) -> bool:
        key = ctypes.c_void_p()
        which = _HotKeyId(_four(b"Sori"), number)
        status = self._carbon.RegisterEventHotKey(code, modifiers, which, self._target, 0, ctypes.byref(key))
        if not status:
            self._keys.append(key)
        return not status

    @override
    def unregister_all(self) -> None:
        for key in self._keys:
            self._carbon.UnregisterEventHotKey(key)
        self._keys.clear()
        self._carbon.RemoveEventHandler(self._installed)
