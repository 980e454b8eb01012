"""Shortcuts that work in all windows, through the portal of a Linux desktop (V-21).

Specification: https://flatpak.github.io/xdg-desktop-portal, interface ``org.freedesktop.portal.GlobalShortcuts``. The
desktop asks the user for the keys, and keeps them.
"""

import socket
import threading
from collections import deque
from collections.abc import Mapping
from contextlib import closing, suppress
from typing import TYPE_CHECKING

from typing_extensions import override

from assistant.core.formats.key_combination import FUNCTION_KEYS, Combination
from assistant.desktop.keyboard.portal_calls import ANSWER_S, APPLICATION, PATH, PortalError, asked, introduce
from assistant.desktop.keyboard.shortcuts.way import OnChange, OnTrouble, Presses, Shortcut, ShortcutTrouble, Way

if TYPE_CHECKING:
    from jeepney.io.blocking import DBusConnection

_SHORTCUTS = "org.freedesktop.portal.GlobalShortcuts"


class PortalKeys(Way):
    """Asks the portal on one session bus.

    Args:
        address: address of the bus; empty if there is none.
    """

    def __init__(self, address: str) -> None:
        self._address = address
        self._socket: socket.socket | None = None

    @override
    def start(self, shortcuts: Mapping[str, Shortcut], on_change: OnChange, on_trouble: OnTrouble) -> None:
        threading.Thread(
            target=self._follow, args=(shortcuts, on_change, on_trouble), name="global shortcuts", daemon=True
        ).start()

    @override
    def stop(self) -> None:
        if self._socket is not None:
            with suppress(OSError):  # the bus has ended
                self._socket.shutdown(socket.SHUT_RDWR)

    def _follow(self, shortcuts: Mapping[str, Shortcut], on_change: OnChange, on_trouble: OnTrouble) -> None:
        presses = Presses(on_change)
        try:
            self._follow_bus(shortcuts, presses)
        except PortalError as error:
            on_trouble(ShortcutTrouble.REFUSED if error.refused else ShortcutTrouble.UNAVAILABLE, None)
        finally:
            presses.release_all()

    def _follow_bus(self, shortcuts: Mapping[str, Shortcut], presses: Presses) -> None:
        """Bind the shortcuts and report their use until the bus ends.

        Raises:
            PortalError: the shortcuts cannot be bound.
        """
        # Imported here because other systems do not have this library.
        from jeepney import HeaderFields, MatchRule
        from jeepney.bus_messages import message_bus
        from jeepney.io.blocking import Proxy, open_dbus_connection
        from jeepney.wrappers import DBusErrorResponse

        try:
            bus = open_dbus_connection(self._address)
        except (OSError, ValueError) as error:
            raise PortalError(str(error)) from error
        self._socket = bus.sock
        rule = MatchRule(type="signal", interface=_SHORTCUTS, path=PATH)
        with closing(bus), bus.filter(rule, queue=deque()) as signals:
            try:
                Proxy(message_bus, bus, timeout=ANSWER_S).AddMatch(rule)
                session = _bound(bus, shortcuts)
            except (OSError, DBusErrorResponse) as error:
                raise PortalError(str(error)) from error
            with suppress(OSError):  # the bus has ended
                while True:
                    signal = bus.recv_until_filtered(signals, timeout=None)
                    member = signal.header.fields[HeaderFields.member]
                    if member in ("Activated", "Deactivated") and signal.body[0] == session:
                        presses.set(signal.body[1], down=member == "Activated")


def _trigger(keys: Combination) -> str:
    """The combination as the portal writes it: ``CTRL+ALT+space``."""
    modifiers = ["LOGO" if each == "super" else each.upper() for each in keys.modifiers]
    return "+".join([*modifiers, keys.key.upper() if keys.key in FUNCTION_KEYS else keys.key])


def _bound(bus: "DBusConnection", shortcuts: Mapping[str, Shortcut]) -> str:
    """Bind the shortcuts; return the path of their session."""
    introduce(bus)
    created = asked(
        bus,
        _SHORTCUTS,
        "CreateSession",
        "a{sv}",
        lambda token: ({"handle_token": ("s", token), "session_handle_token": ("s", APPLICATION)},),
    )
    session = str(created["session_handle"][1])
    wanted = [
        (name, {"description": ("s", each.words), "preferred_trigger": ("s", _trigger(each.keys))})
        for name, each in shortcuts.items()
    ]
    asked(
        bus,
        _SHORTCUTS,
        "BindShortcuts",
        "oa(sa{sv})sa{sv}",
        lambda token: (session, wanted, "", {"handle_token": ("s", token)}),
    )
    return session
