"""A notification server on a session bus: keeps what it is asked to show, and clicks and closes on demand."""

from dataclasses import dataclass
from queue import SimpleQueue
from typing import Any

from jeepney import DBusAddress, Message, new_method_return, new_signal

from tests.fakes.front.bus_service import BusService

_SERVICE = "org.freedesktop.Notifications"
_PLACE = DBusAddress("/org/freedesktop/Notifications", bus_name=_SERVICE, interface=_SERVICE)


@dataclass(frozen=True, slots=True)
class Shown:
    """One notification."""

    id: int
    app: str
    title: str
    words: str


class NotificationServer(BusService):
    """Serves in a thread while the ``with`` block runs.

    Args:
        address: address of the bus.

    Attributes:
        shown: the notifications, in order.
    """

    def __init__(self, address: str) -> None:
        self.shown: SimpleQueue[Shown] = SimpleQueue()
        self._number = 0
        super().__init__(address, _PLACE)

    def click(self, notification: int) -> None:
        """Click on a notification."""
        self._emit("ActionInvoked", "us", (notification, "default"))

    def close(self, notification: int) -> None:
        """Close a notification, as the user or its time does."""
        self._emit("NotificationClosed", "uu", (notification, 2))

    def _emit(self, member: str, signature: str, body: tuple[Any, ...]) -> None:
        self._bus.send_message(new_signal(_PLACE, member, signature, body))

    def answer(self, member: str, message: Message) -> None:
        """Keep a notification."""
        if member == "Notify":
            self._number += 1
            app, _, _, title, words, *_ = message.body
            self._bus.send_message(new_method_return(message, "u", (self._number,)))
            self.shown.put(Shown(self._number, app, title, words))
