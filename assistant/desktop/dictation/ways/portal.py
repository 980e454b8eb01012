"""Types on a Linux desktop with Wayland, through its portal (D-08).

Specification: https://flatpak.github.io/xdg-desktop-portal, interfaces ``RemoteDesktop`` and ``Clipboard``. The desktop
asks the user once while Sori runs. Keys of letters that the keyboard does not have reach no program, so all but ASCII
is pasted; the portal lets a program without the keyboard offer a text.
"""

import logging
import threading
import time
from collections import deque
from contextlib import closing
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any, Final

from typing_extensions import override

from assistant.desktop.dictation.ways.way import TypingError, TypingWay
from assistant.desktop.keyboard.portal_calls import (
    ANSWER_S,
    APPLICATION,
    BUS_NAME,
    PATH,
    PortalError,
    asked,
    introduce,
)

if TYPE_CHECKING:
    from jeepney import Message
    from jeepney.io.blocking import DBusConnection

log = logging.getLogger(__name__)

_DESKTOP = "org.freedesktop.portal.RemoteDesktop"
_CLIPBOARD = "org.freedesktop.portal.Clipboard"
_KEYBOARD = 1
_BACKSPACE, _RETURN, _TAB, _CONTROL = 0xFF08, 0xFF0D, 0xFF09, 0xFFE3
"""Keysyms of ``keysymdef.h``; those of ASCII are their codes."""
_KEYS: Final = {"\n": _RETURN, "\t": _TAB}
_FORMS: Final = ("text/plain;charset=utf-8", "text/plain")
_READ_S, _LONGEST_S = 0.3, 2.0
"""Time after the last reading, and longest wait for one."""


class PortalTyping(TypingWay):
    """Asks the portal on one session bus. A thread of its own waits for it.

    Args:
        address: address of the bus.
    """

    def __init__(self, address: str) -> None:
        self._address = address
        self._jobs: SimpleQueue[tuple[int, str] | None] = SimpleQueue()
        self._ready, self._failed = threading.Event(), threading.Event()
        self._open = 0
        """Jobs that are not done yet."""

    @override
    def start(self) -> None:
        threading.Thread(target=self._serve, name="typing by the portal", daemon=True).start()

    @override
    def is_free(self) -> bool:
        if self.failed:
            raise TypingError("the portal does not let programs type")
        return self._ready.is_set() and not self._open

    @property
    def failed(self) -> bool:
        """Whether the portal does not let Sori type."""
        return self._failed.is_set()

    @override
    def can_write(self, text: str) -> bool:
        return True

    @override
    def erase(self, count: int) -> None:
        if count:
            self._open += 1
            self._jobs.put((count, ""))

    @override
    def write(self, text: str) -> None:
        self._open += 1
        self._jobs.put((0, text))

    @override
    def paste(self) -> None:
        raise TypingError("the portal pastes by itself")

    @override
    def close(self) -> None:
        self._jobs.put(None)

    def _serve(self) -> None:
        from jeepney.io.blocking import open_dbus_connection
        from jeepney.wrappers import DBusErrorResponse

        try:
            with closing(open_dbus_connection(self._address, enable_fds=True)) as bus:
                typing = _Session(bus)
                self._ready.set()
                while (job := self._jobs.get()) is not None:
                    typing.strike(*[_BACKSPACE] * job[0])
                    typing.write(job[1])
                    self._open -= 1
        except (OSError, ValueError, PortalError, DBusErrorResponse) as error:
            log.warning("the portal does not type: %s", error)
            self._failed.set()


class _Session:
    """A session of the portal in which the user lets Sori type.

    Raises:
        PortalError: the user or the desktop refuses it.
    """

    def __init__(self, bus: "DBusConnection") -> None:
        self._bus = bus
        introduce(bus)
        created = asked(
            bus,
            _DESKTOP,
            "CreateSession",
            "a{sv}",
            lambda token: ({"handle_token": ("s", token), "session_handle_token": ("s", f"{APPLICATION}_typing")},),
        )
        self._handle = str(created["session_handle"][1])
        asked(
            bus,
            _DESKTOP,
            "SelectDevices",
            "oa{sv}",
            lambda token: (self._handle, {"handle_token": ("s", token), "types": ("u", _KEYBOARD)}),
        )
        self._call(_CLIPBOARD, "RequestClipboard", "oa{sv}", (self._handle, {}))
        started = asked(
            bus,
            _DESKTOP,
            "Start",
            "osa{sv}",
            lambda token: (self._handle, "", {"handle_token": ("s", token)}),
        )
        self._pastes = bool(started.get("clipboard_enabled", ("b", False))[1])

    def strike(self, *keysyms: int) -> None:
        """Press and release keys one after another."""
        for keysym in keysyms:
            self._key(keysym, down=True)
            self._key(keysym, down=False)

    def write(self, text: str) -> None:
        """Write a text at the cursor.

        Raises:
            PortalError: it has letters that cannot be typed, and nothing can be pasted.
        """
        if all(" " <= letter <= "~" or letter in _KEYS for letter in text):
            self.strike(*(_KEYS.get(letter, ord(letter)) for letter in text))
        elif self._pastes:
            self._paste(text)
        else:
            raise PortalError("the portal gives no clipboard")

    def _key(self, keysym: int, *, down: bool) -> None:
        self._call(_DESKTOP, "NotifyKeyboardKeysym", "oa{sv}iu", (self._handle, {}, keysym, int(down)))

    def _paste(self, text: str) -> None:
        """Offer the text, press Ctrl+V, and give it to whoever asks, until nobody has asked for a moment."""
        from jeepney import MatchRule
        from jeepney.bus_messages import message_bus
        from jeepney.io.blocking import Proxy

        rule = MatchRule(type="signal", interface=_CLIPBOARD, member="SelectionTransfer", path=PATH)
        with self._bus.filter(rule, queue=deque()) as signals:
            Proxy(message_bus, self._bus, timeout=ANSWER_S).AddMatch(rule)
            options = {"mime_types": ("as", list(_FORMS))}
            self._call(_CLIPBOARD, "SetSelection", "oa{sv}", (self._handle, options))
            self._key(_CONTROL, down=True)
            self.strike(ord("v"))
            self._key(_CONTROL, down=False)
            until = time.monotonic() + _LONGEST_S
            while (left := until - time.monotonic()) > 0:
                try:
                    signal = self._bus.recv_until_filtered(signals, timeout=left)
                except TimeoutError:
                    break
                if signal.body[0] == self._handle:
                    self._give(signal, text)
                    until = time.monotonic() + _READ_S

    def _give(self, wanted: "Message", text: str) -> None:
        serial = wanted.body[2]
        (end,) = self._call(_CLIPBOARD, "SelectionWrite", "ou", (self._handle, serial))
        with end.to_file("wb") as pipe:
            pipe.write(text.encode())
        self._call(_CLIPBOARD, "SelectionWriteDone", "oub", (self._handle, serial, True))

    def _call(self, interface: str, member: str, signature: str, body: tuple[Any, ...]) -> tuple[Any, ...]:
        from jeepney import DBusAddress, new_method_call
        from jeepney.wrappers import unwrap_msg

        place = DBusAddress(PATH, bus_name=BUS_NAME, interface=interface)
        call = new_method_call(place, member, signature, body)
        found: tuple[Any, ...] = unwrap_msg(self._bus.send_and_get_reply(call, timeout=ANSWER_S))
        return found
