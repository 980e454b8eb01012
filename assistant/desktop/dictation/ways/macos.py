"""Types on macOS, by events of Quartz (D-08).

Declarations: ``CGEvent.h`` of Apple's CoreGraphics, and ``AXUIElement.h``. The user has to allow it in System Settings,
Privacy & Security, Accessibility.
"""

import ctypes
from collections.abc import Callable
from typing import Any, Final, Protocol

from typing_extensions import override

from assistant.desktop.dictation.ways.way import TypingError, TypingWay

_LIBRARY = "/System/Library/Frameworks/ApplicationServices.framework/ApplicationServices"
_DELETE, _RETURN, _TAB, _V = 51, 36, 48, 9
"""Key codes (``kVK_Delete`` …) of ``Events.h`` of HIToolbox."""
_KEYS: Final = {"\n": _RETURN, "\t": _TAB}
_COMMAND: Final = 1 << 20
"""``kCGEventFlagMaskCommand``."""
_AT_ONCE: Final = 20
"""UTF-16 units that one event carries at most."""


class MacEvents(Protocol):
    """The functions of Quartz that typing needs."""

    def is_allowed(self) -> bool:
        """Whether the user allows it; if not, macOS asks."""

    def press(self, key: int, flags: int) -> None:
        """Press and release a key with these modifiers alone, whatever keys the user holds."""

    def write(self, units: bytes) -> None:
        """Write UTF-16 units, whatever the keyboard's layout is."""


class MacTyping(TypingWay):
    """Types into the application in front.

    Args:
        make: loads the functions of the system.
    """

    def __init__(self, make: Callable[[], MacEvents] | None = None) -> None:
        self._make = make or _Quartz
        self._events: MacEvents | None = None

    @override
    def start(self) -> None:
        try:
            self._events = self._make()
        except OSError as error:
            raise TypingError(str(error)) from error
        if not self._events.is_allowed():
            raise TypingError("not allowed to control the computer")

    @override
    def is_free(self) -> bool:
        return True

    @override
    def can_write(self, text: str) -> bool:
        return True

    @override
    def erase(self, count: int) -> None:
        for _ in range(count):
            self._loaded.press(_DELETE, 0)

    @override
    def write(self, text: str) -> None:
        waiting = b""
        for letter in text:
            units = letter.encode("utf-16-le")
            if waiting and (letter in _KEYS or len(waiting) + len(units) > 2 * _AT_ONCE):
                self._loaded.write(waiting)
                waiting = b""
            if letter in _KEYS:
                self._loaded.press(_KEYS[letter], 0)
            else:
                waiting += units
        if waiting:
            self._loaded.write(waiting)

    @override
    def paste(self) -> None:
        self._loaded.press(_V, _COMMAND)

    @override
    def close(self) -> None:
        self._events = None

    @property
    def _loaded(self) -> MacEvents:
        if self._events is None:
            raise TypingError("not started")
        return self._events


class _Quartz(MacEvents):
    """Apple's library."""

    def __init__(self) -> None:
        self._quartz: Any = ctypes.CDLL(_LIBRARY)
        pointer = ctypes.c_void_p
        self._quartz.CGEventCreateKeyboardEvent.argtypes = (pointer, ctypes.c_uint16, ctypes.c_bool)
        self._quartz.CGEventCreateKeyboardEvent.restype = pointer
        self._quartz.CGEventSetFlags.argtypes = (pointer, ctypes.c_uint64)
        self._quartz.CGEventKeyboardSetUnicodeString.argtypes = (pointer, ctypes.c_ulong, ctypes.c_char_p)
        self._quartz.CGEventPost.argtypes = (ctypes.c_uint32, pointer)
        self._quartz.CFRelease.argtypes = (pointer,)
        self._quartz.AXIsProcessTrusted.restype = ctypes.c_bool

    @override
    def is_allowed(self) -> bool:
        return bool(self._quartz.AXIsProcessTrusted())

    @override
    def press(self, key: int, flags: int) -> None:
        for down in (True, False):
            self._post(key, down=down, flags=flags, units=b"")

    @override
    def write(self, units: bytes) -> None:
        for down in (True, False):
            self._post(0, down=down, flags=0, units=units)

    def _post(self, key: int, *, down: bool, flags: int, units: bytes) -> None:
        event = self._quartz.CGEventCreateKeyboardEvent(None, key, down)
        try:
            self._quartz.CGEventSetFlags(event, flags)
            if units:
                self._quartz.CGEventKeyboardSetUnicodeString(event, len(units) // 2, units)
            self._quartz.CGEventPost(0, event)
        finally:
            self._quartz.CFRelease(event)
