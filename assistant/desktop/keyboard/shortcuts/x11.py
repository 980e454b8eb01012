"""Shortcuts on an X server, by grabbed keys (V-21).

Specification: https://www.x.org/releases/current/doc/xproto/x11protocol.html, GrabKey. Why python-xlib:
docs/decisions/global-shortcuts.md.
"""

import logging
import os
import select
import threading
from collections.abc import Mapping
from contextlib import closing
from functools import reduce
from itertools import combinations
from operator import or_
from typing import TYPE_CHECKING

from typing_extensions import override

from assistant.core.formats.key_combination import FUNCTION_KEYS, Combination
from assistant.desktop.keyboard.shortcuts.way import OnChange, OnTrouble, Presses, Shortcut, ShortcutTrouble, Way

if TYPE_CHECKING:
    from Xlib.display import Display
    from Xlib.protocol.rq import Event
    from Xlib.xobject.drawable import Window

log = logging.getLogger(__name__)

_MODIFIER_KEYS = {"ctrl": "Control_L", "alt": "Alt_L", "shift": "Shift_L", "super": "Super_L"}
_LOCK_KEYS = ("Num_Lock", "Scroll_Lock")
_RETRY_S = 10.0
"""Time between two attempts to grab keys that another program has."""
_CAPS_LOCK = 1 << 1
"""``LockMask``: this bit of a state has one meaning on all servers."""


class X11Keys(Way):
    """Grabs keys on one X server.

    Args:
        display: name of the server, such as ``:0``.
        retry_s: time between two attempts to grab keys that another program has.
    """

    def __init__(self, display: str, *, retry_s: float = _RETRY_S) -> None:
        self._display, self._retry_s = display, retry_s
        self._end = -1
        """Writing end of a pipe whose closing ends the thread."""
        self._thread: threading.Thread | None = None

    @override
    def start(self, shortcuts: Mapping[str, Shortcut], on_change: OnChange, on_trouble: OnTrouble) -> None:
        ended, self._end = os.pipe()
        self._thread = threading.Thread(
            target=self._follow, args=(ended, shortcuts, on_change, on_trouble), name="global shortcuts", daemon=True
        )
        self._thread.start()

    @override
    def stop(self) -> None:
        if self._thread is not None:
            os.close(self._end)
            self._thread.join()
            self._thread = None

    def _follow(
        self, ended: int, shortcuts: Mapping[str, Shortcut], on_change: OnChange, on_trouble: OnTrouble
    ) -> None:
        from Xlib.display import Display
        from Xlib.error import ConnectionClosedError, DisplayError, XError

        presses = Presses(on_change)
        try:
            with closing(Display(self._display)) as display:
                _Grabs(display, shortcuts, presses, on_trouble).follow(ended, self._retry_s)
            presses.release_all()
        except (DisplayError, ConnectionClosedError, XError, OSError) as error:
            log.warning("no global shortcuts on %s: %s", self._display, str(error))
            presses.release_all()
            on_trouble(ShortcutTrouble.UNAVAILABLE, None)
        finally:
            os.close(ended)


class _Grabs:
    """The grabbed keys of one connection.

    Args:
        display: the connection.
        shortcuts: the wanted shortcuts by their names.
        presses: takes presses and releases.
        on_trouble: takes what cannot be grabbed.
    """

    def __init__(
        self, display: "Display", shortcuts: Mapping[str, Shortcut], presses: Presses, on_trouble: OnTrouble
    ) -> None:
        self._display, self._shortcuts = display, shortcuts
        self._presses, self._on_trouble = presses, on_trouble
        self._root: Window = display.screen().root
        self._grabbed: dict[tuple[int, int], str] = {}
        """Names of the shortcuts by key code and modifiers."""
        self._wanted: dict[str, tuple[int, int] | None] = {}
        self._locks, self._modifiers = 0, 0

    def follow(self, ended: int, retry_s: float) -> None:
        """Grab the keys and report their use, until the file ``ended`` is closed at its other end."""
        self._renew()
        while True:
            while self._display.pending_events():
                self._take(self._display.next_event())
            taken = {name: found for name, found in self._wanted.items() if found and found not in self._grabbed}
            ready, _, _ = select.select([self._display.fileno(), ended], [], [], retry_s if taken else None)
            if ended in ready:
                return
            # Also after an event: keys that are struck all the time must not put the attempt off.
            self._grabbed |= {found: name for name, found in taken.items() if self._grab(found) is None}

    def _take(self, event: "Event") -> None:
        from Xlib import X

        if event.type == X.MappingNotify:
            if event.request != X.MappingPointer:
                self._display.refresh_keyboard_mapping(event)
                self._renew()
        elif event.type in (X.KeyPress, X.KeyRelease):
            self._take_key(event.detail, event.state, down=event.type == X.KeyPress)

    def _take_key(self, code: int, state: int, *, down: bool) -> None:
        if down:
            if name := self._grabbed.get((code, state & self._modifiers)):
                self._presses.set(name, down=True)
        elif not self._is_down(code):
            # Modifiers may have been released first, so the key alone tells.
            for (grabbed, _), name in list(self._grabbed.items()):
                if grabbed == code:
                    self._presses.set(name, down=False)

    def _is_down(self, code: int) -> bool:
        """Whether a key is down: a held key repeats as releases and presses."""
        return bool(self._display.query_keymap()[code // 8] & 1 << code % 8)

    def _renew(self) -> None:
        """Grab the keys again if the keyboard's layout has moved them."""
        bits = {name: self._bit(key) for name, key in _MODIFIER_KEYS.items()}
        self._modifiers = reduce(or_, bits.values())
        wanted = {name: self._place(each.keys, bits) for name, each in self._shortcuts.items()}
        locks = _CAPS_LOCK | reduce(or_, (self._bit(key) for key in _LOCK_KEYS))
        if (wanted, locks) == (self._wanted, self._locks):
            return
        for place in self._grabbed:
            self._release(place)
        before, self._wanted, self._locks = self._wanted, wanted, locks
        self._grabbed = {}
        for name, found in wanted.items():
            trouble = ShortcutTrouble.NO_KEY if found is None else self._grab(found)
            if found is not None and trouble is None:
                self._grabbed[found] = name
            elif trouble is not None and (name not in before or before[name] != found):
                self._on_trouble(trouble, self._shortcuts[name].keys)

    def _place(self, keys: Combination, bits: Mapping[str, int]) -> tuple[int, int] | None:
        """Key code and modifiers of a combination, by the keyboard's layout of now."""
        code = self._code(keys.key.upper() if keys.key in FUNCTION_KEYS else keys.key)
        modifiers = [bits[each] for each in keys.modifiers]
        return (code, reduce(or_, modifiers, 0)) if code and all(modifiers) else None

    def _grab(self, place: tuple[int, int]) -> ShortcutTrouble | None:
        """Grab a key with every state of the lock keys, which would otherwise hide it."""
        from Xlib import X
        from Xlib.error import BadAccess, CatchError

        code, modifiers = place
        refused = CatchError(BadAccess)
        for locks in self._lock_states():
            self._root.grab_key(
                code,
                modifiers | locks,
                owner_events=False,
                pointer_mode=X.GrabModeAsync,
                keyboard_mode=X.GrabModeAsync,
                onerror=refused,
            )
        self._display.sync()
        if refused.get_error() is None:
            return None
        self._release(place)
        return ShortcutTrouble.TAKEN

    def _release(self, place: tuple[int, int]) -> None:
        code, modifiers = place
        for locks in self._lock_states():
            self._root.ungrab_key(code, modifiers | locks)

    def _lock_states(self) -> list[int]:
        bits = [1 << bit for bit in range(8) if self._locks & 1 << bit]
        return [sum(some) for count in range(len(bits) + 1) for some in combinations(bits, count)]

    def _bit(self, key: str) -> int:
        """The modifier of a key such as ``Num_Lock``; 0 if it is none on this keyboard."""
        code = self._code(key)
        mapping = self._display.get_modifier_mapping()
        return next((1 << index for index, codes in enumerate(mapping) if code and code in codes), 0)

    def _code(self, key: str) -> int:
        from Xlib import XK

        return self._display.keysym_to_keycode(XK.string_to_keysym(key))
