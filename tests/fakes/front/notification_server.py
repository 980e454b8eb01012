"""A notification server on a session bus: keeps what it is asked to show, and clicks and closes on demand."""

from contextlib import closing
from dataclasses import dataclass
from queue import SimpleQueue
from threading import Thread
from typing import Any, Self

from jeepney import DBusAddress, HeaderFields, MessageType, new_method_call, new_method_return, new_signal
from jeepney.bus_messages import message_bus
from jeepney.io.blocking import Proxy, open_dbus_connection

_SERVICE = "org.freedesktop.Notifications"
_PLACE = DBusAddress("/org/freedesktop/Notifications", bus_name=_SERVICE, interface=_SERVICE)


@dataclass(frozen=True, slots=True)
class Shown:
    """One notification."""

    id: int
    app: str
    title: str
    words: str


class NotificationServer:
    """Serves in a thread while the ``with`` block runs.

    Args:
        address: address of the bus.

    Attributes:
        shown: the notifications, in order.
    """

    def __init__(self, address: str) -> None:
        self.shown: SimpleQueue[Shown] = SimpleQueue()
        self._address = address
        self._bus = open_dbus_connection(address)
        self._thread = Thread(target=self._serve, name="notification server")

    def __enter__(self) -> Self:
        Proxy(message_bus, self._bus).RequestName(_SERVICE)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        with closing(open_dbus_connection(self._address)) as other:
            other.send_message(new_method_call(_PLACE, "Stop"))
            self._thread.join()
        self._bus.close()

    def click(self, notification: int) -> None:
        """Click on a notification."""
        self._emit("ActionInvoked", "us", (notification, "default"))

    def close(self, notification: int) -> None:
        """Close a notification, as the user or its time does."""
        self._emit("NotificationClosed", "uu", (notification, 2))

    def _emit(self, member: str, signature: str, body: tuple[Any, ...]) -> None:
        self._bus.send_message(new_signal(_PLACE, member, signature, body))

    def _serve(self) -> None:
        number = 0
        while True:
            message = self._bus.receive()
            member = message.header.fields.get(HeaderFields.member)
            if message.header.message_type is not MessageType.method_call:
                continue
            if member == "Stop":
                return
            if member == "Notify":
                number += 1
                app, _, _, title, words, *_ = message.body
                self._bus.send_message(new_method_return(message, "u", (number,)))
                self.shown.put(Shown(number, app, title, words))
