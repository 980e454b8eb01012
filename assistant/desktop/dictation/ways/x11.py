"""Types on an X server, by its XTEST extension (D-08).

Specification: https://www.x.org/releases/current/doc/xextproto/xtest.html. Letters that the keyboard has are typed. All
others would need a key of their own, and programs notice a new key too late or not at all; those are pasted. An input
method that composes Hangul would turn typed Latin letters into syllables, so all is pasted where one may run.
"""

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from typing_extensions import override

from assistant.desktop.dictation.ways.way import TypingError, TypingWay

if TYPE_CHECKING:
    from Xlib.display import Display

_KEYS: Final = {"\n": "Return", "\t": "Tab"}
_SHIFT, _CAPS_LOCK = 1 << 0, 1 << 1
_HELD: Final = _SHIFT | 1 << 2 | 1 << 3 | 1 << 6
"""Shift, Ctrl, Alt and Super in the state of the keyboard."""
_INPUT_METHODS: Final = ("XMODIFIERS", "GTK_IM_MODULE", "QT_IM_MODULE")


class X11Typing(TypingWay):
    """Types on one server.

    Args:
        display: name of the server, such as ``:0``.
        environment: the variables of the process, which name an input method.
    """

    def __init__(self, display: str, environment: Mapping[str, str] = os.environ) -> None:
        self._name = display
        self._composes = any(environment.get(each) for each in _INPUT_METHODS)
        self._display: Display | None = None

    @override
    def start(self) -> None:
        from Xlib.display import Display
        from Xlib.error import DisplayError

        try:
            self._display = display = Display(self._name)
        except (DisplayError, OSError) as error:
            raise TypingError(str(error)) from error
        if not display.query_extension("XTEST"):
            raise TypingError("the server has no XTEST")

    @override
    def is_free(self) -> bool:
        return not self._state & _HELD

    @override
    def can_write(self, text: str) -> bool:
        typed = not self._composes and not self._state & _CAPS_LOCK
        return typed and all(self._key(each) is not None for each in set(text))

    @override
    def erase(self, count: int) -> None:
        for _ in range(count):
            self._strike(self._code("BackSpace"))
        self._connected.sync()

    @override
    def write(self, text: str) -> None:
        for letter in text:
            code, shifted = self._key(letter) or (0, False)
            self._strike(*((self._code("Shift_L"),) if shifted else ()), code)
        self._connected.sync()

    @override
    def paste(self) -> None:
        # Terminals paste the selection with these keys, all other programs the clipboard. Ctrl+V means something else
        # in a terminal.
        self._strike(self._code("Shift_L"), self._code("Insert"))
        self._connected.sync()

    @override
    def close(self) -> None:
        if self._display is not None:
            self._display.close()
            self._display = None

    @property
    def _connected(self) -> "Display":
        if self._display is None:
            raise TypingError("not connected")
        return self._display

    @property
    def _state(self) -> int:
        return int(self._connected.screen().root.query_pointer().mask)

    def _code(self, key: str) -> int:
        from Xlib import XK

        return self._connected.keysym_to_keycode(XK.string_to_keysym(key))

    def _key(self, letter: str) -> tuple[int, bool] | None:
        """The key of a letter, and whether Shift is needed; ``None`` if the keyboard has none."""
        if letter in _KEYS:
            return self._code(_KEYS[letter]), False
        found = self._connected.keysym_to_keycodes(ord(letter)) if " " <= letter <= "~" else ()
        return next(((code, index == 1) for code, index in found if index in (0, 1)), None)

    def _strike(self, *codes: int) -> None:
        from Xlib import X
        from Xlib.error import ConnectionClosedError
        from Xlib.ext import xtest

        try:
            for code in codes:
                xtest.fake_input(self._connected, X.KeyPress, code)
            for code in reversed(codes):
                xtest.fake_input(self._connected, X.KeyRelease, code)
        except ConnectionClosedError as error:
            raise TypingError(str(error)) from error
