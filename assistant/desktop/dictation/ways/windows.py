"""Types on Windows, by ``SendInput`` (D-08).

Declarations: ``winuser.h``. Each UTF-16 unit is sent as ``KEYEVENTF_UNICODE``, so no layout of the keyboard and no
input method changes it. Programs with more rights take nothing (UIPI); the function then reports fewer events.
"""

import ctypes
from collections.abc import Callable, Sequence
from typing import Any, Final, Protocol

from typing_extensions import override

from assistant.desktop.dictation.ways.way import TypingError, TypingWay

_KEYBOARD, _KEY_UP, _UNICODE = 1, 2, 4
_VK_BACK, _VK_TAB, _VK_RETURN, _VK_SHIFT, _VK_CONTROL, _VK_V = 0x08, 0x09, 0x0D, 0x10, 0x11, 0x56
_VK_ALT, _VK_WIN, _VK_WIN_RIGHT = 0x12, 0x5B, 0x5C
_KEYS: Final = {"\n": _VK_RETURN, "\t": _VK_TAB}

Stroke = tuple[int, int, int]
"""Virtual key, UTF-16 unit and flags of one event."""


class WindowsInput(Protocol):
    """The functions of ``user32`` that typing needs."""

    def send(self, strokes: Sequence[Stroke]) -> int:
        """Send events; returns how many were taken."""

    def is_down(self, key: int) -> bool:
        """Whether a key is held."""


class WindowsTyping(TypingWay):
    """Types into the window in the foreground.

    Args:
        make: loads the functions of the system.
    """

    def __init__(self, make: Callable[[], WindowsInput] | None = None) -> None:
        self._make = make or _User32
        self._input: WindowsInput | None = None

    @override
    def start(self) -> None:
        try:
            self._input = self._make()
        except OSError as error:
            raise TypingError(str(error)) from error

    @override
    def is_free(self) -> bool:
        held = (_VK_SHIFT, _VK_CONTROL, _VK_ALT, _VK_WIN, _VK_WIN_RIGHT)
        return not any(self._loaded.is_down(each) for each in held)

    @override
    def can_write(self, text: str) -> bool:
        return True

    @override
    def erase(self, count: int) -> None:
        self._send([*_pressed(_VK_BACK)] * count)

    @override
    def write(self, text: str) -> None:
        self._send([stroke for each in text for stroke in _written(each)])

    @override
    def paste(self) -> None:
        self._send([(_VK_CONTROL, 0, 0), *_pressed(_VK_V), (_VK_CONTROL, 0, _KEY_UP)])

    @override
    def close(self) -> None:
        self._input = None

    @property
    def _loaded(self) -> WindowsInput:
        if self._input is None:
            raise TypingError("not started")
        return self._input

    def _send(self, strokes: Sequence[Stroke]) -> None:
        if strokes and self._loaded.send(strokes) < len(strokes):
            raise TypingError("the program in the foreground takes no keys from others")


def _pressed(key: int) -> tuple[Stroke, Stroke]:
    return (key, 0, 0), (key, 0, _KEY_UP)


def _written(letter: str) -> Sequence[Stroke]:
    if letter in _KEYS:
        return _pressed(_KEYS[letter])
    data = letter.encode("utf-16-le")
    units = [int.from_bytes(data[at : at + 2], "little") for at in range(0, len(data), 2)]
    return [(0, unit, flags) for unit in units for flags in (_UNICODE, _UNICODE | _KEY_UP)]


class _KeyboardInput(ctypes.Structure):
    """``KEYBDINPUT``, as large as the largest member of the union in ``INPUT``."""

    _fields_ = (
        ("key", ctypes.c_uint16),
        ("unit", ctypes.c_uint16),
        ("flags", ctypes.c_uint32),
        ("time", ctypes.c_uint32),
        ("extra", ctypes.c_size_t),
        ("padding", ctypes.c_uint8 * 8),
    )


class _Input(ctypes.Structure):
    """``INPUT``."""

    _fields_ = (("kind", ctypes.c_uint32), ("keyboard", _KeyboardInput))


class _User32(WindowsInput):
    """The system's library."""

    def __init__(self) -> None:
        self._user32: Any = ctypes.CDLL("user32")
        self._user32.SendInput.argtypes = (ctypes.c_uint, ctypes.c_void_p, ctypes.c_int)
        self._user32.GetAsyncKeyState.restype = ctypes.c_short

    @override
    def send(self, strokes: Sequence[Stroke]) -> int:
        events = (_Input * len(strokes))(
            *(_Input(_KEYBOARD, _KeyboardInput(key, unit, flags, 0, 0)) for key, unit, flags in strokes)
        )
        return int(self._user32.SendInput(len(strokes), events, ctypes.sizeof(_Input)))

    @override
    def is_down(self, key: int) -> bool:
        return bool(self._user32.GetAsyncKeyState(key) < 0)
