"""A notification of the Linux desktop through the session bus.

Specification: https://specifications.freedesktop.org/notification-spec. QtDBus cannot be used: PySide6 has no way to
pass the unsigned number that ``Notify`` requires.
"""

from collections import deque
from collections.abc import Mapping
from contextlib import closing
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from jeepney import Message
    from jeepney.io.blocking import DBusConnection

_SERVICE = "org.freedesktop.Notifications"
_ANSWER_S = 3.0
"""Longest wait for the answer of the bus or the notification server, in seconds."""
_CLICK_S = 600.0
"""Seconds without any signal after which no click is expected any more. A timer rings for at most as long."""


class BusError(Exception):
    """The bus cannot be reached, or no notification server showed the notification."""


CLICK: Final = "default"
"""The action of a click on a notification itself."""


def notify(address: str, title: str, words: str, actions: Mapping[str, str] | None = None) -> str:
    """Show a notification and wait until it is gone; returns the action that the user chose, empty for none.

    Args:
        address: address of the session bus.
        title: the first line.
        words: the text below.
        actions: the words of its buttons by the names of their actions.

    Raises:
        BusError: no notification is shown.
    """
    # Imported here because other systems do not have this library.
    from jeepney import DBusAddress, MatchRule, new_method_call
    from jeepney.bus_messages import message_bus
    from jeepney.io.blocking import Proxy, open_dbus_connection
    from jeepney.wrappers import DBusErrorResponse, unwrap_msg

    place = DBusAddress("/org/freedesktop/Notifications", bus_name=_SERVICE, interface=_SERVICE)
    buttons = [each for action in {CLICK: title, **(actions or {})}.items() for each in action]
    call = new_method_call(place, "Notify", "susssasa{sv}i", ("Sori", 0, "", title, words, buttons, {}, -1))
    rule = MatchRule(type="signal", interface=_SERVICE)
    try:
        bus = open_dbus_connection(address)
    except (OSError, ValueError) as error:
        raise BusError(str(error)) from error
    with closing(bus), bus.filter(rule, queue=deque()) as signals:
        try:
            Proxy(message_bus, bus, timeout=_ANSWER_S).AddMatch(rule)
            (shown,) = unwrap_msg(bus.send_and_get_reply(call, timeout=_ANSWER_S))
        except (OSError, DBusErrorResponse) as error:
            raise BusError(str(error)) from error
        return _chosen(bus, signals, shown)


def _chosen(bus: "DBusConnection", signals: "deque[Message]", shown: int) -> str:
    """The action that the user chooses before a notification is gone."""
    from jeepney import HeaderFields

    try:
        while True:
            signal = bus.recv_until_filtered(signals, timeout=_CLICK_S)
            member = signal.header.fields[HeaderFields.member]
            if member in ("ActionInvoked", "NotificationClosed") and signal.body[0] == shown:
                return str(signal.body[1]) if member == "ActionInvoked" else ""
    except OSError:
        # Nobody clicked for a long time, or the bus has ended.
        return ""
