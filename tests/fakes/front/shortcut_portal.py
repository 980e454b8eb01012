"""A desktop portal on a session bus that gives shortcuts, and presses them on demand."""

from contextlib import closing
from queue import SimpleQueue
from threading import Thread
from typing import Any, Self

from jeepney import (
    DBusAddress,
    HeaderFields,
    Message,
    MessageType,
    new_error,
    new_method_call,
    new_method_return,
    new_signal,
)
from jeepney.bus_messages import message_bus
from jeepney.io.blocking import Proxy, open_dbus_connection

_NAME = "org.freedesktop.portal.Desktop"
_PATH = "/org/freedesktop/portal/desktop"
_PLACE = DBusAddress(_PATH, bus_name=_NAME, interface="org.freedesktop.portal.GlobalShortcuts")
SESSION = f"{_PATH}/session/one"


class ShortcutPortal:
    """Serves in a thread while the ``with`` block runs.

    Args:
        address: address of the bus.
        refuses: whether the user refuses the shortcuts.

    Attributes:
        bound: the names and descriptions of bound shortcuts.
    """

    def __init__(self, address: str, *, refuses: bool = False) -> None:
        self.bound: SimpleQueue[dict[str, str]] = SimpleQueue()
        self._address, self._refuses = address, refuses
        self._bus = open_dbus_connection(address)
        self._thread = Thread(target=self._serve, name="shortcut portal")

    def __enter__(self) -> Self:
        Proxy(message_bus, self._bus).RequestName(_NAME)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        with closing(open_dbus_connection(self._address)) as other:
            other.send_message(new_method_call(_PLACE, "Stop"))
            self._thread.join()
        self._bus.close()

    def use(self, name: str, *, down: bool, session: str = SESSION) -> None:
        """Press or release the keys of a shortcut."""
        member = "Activated" if down else "Deactivated"
        self._bus.send_message(new_signal(_PLACE, member, "osta{sv}", (session, name, 0, {})))

    def _serve(self) -> None:
        while True:
            message = self._bus.receive()
            if message.header.message_type is not MessageType.method_call:
                continue
            match message.header.fields.get(HeaderFields.member):
                case "Stop":
                    return
                case "CreateSession":
                    self._respond(message, message.body[0], 0, {"session_handle": ("s", SESSION)})
                case "BindShortcuts":
                    _, shortcuts, _, options = message.body
                    self._respond(message, options, int(self._refuses), {})
                    self.bound.put({name: more["description"][1] for name, more in shortcuts})
                case _:
                    self._bus.send_message(new_error(message, "org.freedesktop.DBus.Error.UnknownMethod"))

    def _respond(self, message: Message, options: dict[str, Any], status: int, results: dict[str, Any]) -> None:
        sender = message.header.fields[HeaderFields.sender].removeprefix(":").replace(".", "_")
        path = f"{_PATH}/request/{sender}/{options['handle_token'][1]}"
        self._bus.send_message(new_method_return(message, "o", (path,)))
        place = DBusAddress(path, bus_name=_NAME, interface="org.freedesktop.portal.Request")
        self._bus.send_message(new_signal(place, "Response", "ua{sv}", (status, results)))
