"""A notification server on a session bus: keeps what it is asked to show, and clicks and closes on demand."""

from dataclasses import dataclass, field
from queue import SimpleQueue
from typing import Any

from jeepney import DBusAddress, Message, new_method_return, new_signal

from tests.fakes.front.bus_service import BusService

_SERVICE = "org.freedesktop.Notifications"
_PLACE = DBusAddress("/org/freedesktop/Notifications", bus_name=_SERVICE, interface=_SERVICE)


@dataclass(frozen=True, slots=True)
class Shown:
    """One notification; ``actions`` are the words of its buttons by the names of their actions."""

    id: int
    app: str
    title: str
    words: str
    actions: dict[str, str] = field(default_factory=dict)


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

    def click(self, notification: int, action: str = "default") -> None:
        """Click on a notification, or on the button of an action."""
        self._emit("ActionInvoked", "us", (notification, action))

    def close(self, notification: int) -> None:
        """Close a notification, as the user or its time does."""
        self._emit("NotificationClosed", "uu", (notification, 2))

    def _emit(self, member: str, signature: str, body: tuple[Any, ...]) -> None:
        self._bus.send_message(new_signal(_PLACE, member, signature, body))

    def answer(self, member: str, message: Message) -> None:
        """Keep a notification."""
        if member == "Notify":
            self._number += 1
            app, _, _, title, words, actions, *_ = message.body
            self._bus.send_message(new_method_return(message, "u", (self._number,)))
            self.shown.put(Shown(self._number, app, title, words, dict(zip(actions[::2], actions[1::2], strict=True))))
