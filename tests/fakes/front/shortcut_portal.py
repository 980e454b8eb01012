"""A desktop portal on a session bus that gives shortcuts, and presses them on demand."""

from queue import SimpleQueue
from typing import Any

from jeepney import DBusAddress, HeaderFields, Message, new_error, new_method_return, new_signal

from tests.fakes.front.bus_service import BusService

_NAME = "org.freedesktop.portal.Desktop"
_PATH = "/org/freedesktop/portal/desktop"
_PLACE = DBusAddress(_PATH, bus_name=_NAME, interface="org.freedesktop.portal.GlobalShortcuts")
SESSION = f"{_PATH}/session/one"


class ShortcutPortal(BusService):
    """Serves in a thread while the ``with`` block runs.

    Args:
        address: address of the bus.
        refuses: whether the user refuses the shortcuts.

    Attributes:
        bound: the descriptions and preferred keys of bound shortcuts, by their names.
    """

    def __init__(self, address: str, *, refuses: bool = False) -> None:
        self.bound: SimpleQueue[dict[str, tuple[str, str]]] = SimpleQueue()
        self._refuses = refuses
        super().__init__(address, _PLACE)

    def use(self, name: str, *, down: bool, session: str = SESSION) -> None:
        """Press or release the keys of a shortcut."""
        member = "Activated" if down else "Deactivated"
        self._bus.send_message(new_signal(_PLACE, member, "osta{sv}", (session, name, 0, {})))

    def answer(self, member: str, message: Message) -> None:
        """Bind the shortcuts of a session."""
        match member:
            case "CreateSession":
                self._respond(message, message.body[0], 0, {"session_handle": ("s", SESSION)})
            case "BindShortcuts":
                _, shortcuts, _, options = message.body
                self._respond(message, options, int(self._refuses), {})
                self.bound.put(
                    {name: (more["description"][1], more["preferred_trigger"][1]) for name, more in shortcuts}
                )
            case _:
                self._bus.send_message(new_error(message, "org.freedesktop.DBus.Error.UnknownMethod"))

    def _respond(self, message: Message, options: dict[str, Any], status: int, results: dict[str, Any]) -> None:
        sender = message.header.fields[HeaderFields.sender].removeprefix(":").replace(".", "_")
        path = f"{_PATH}/request/{sender}/{options['handle_token'][1]}"
        self._bus.send_message(new_method_return(message, "o", (path,)))
        place = DBusAddress(path, bus_name=_NAME, interface="org.freedesktop.portal.Request")
        self._bus.send_message(new_signal(place, "Response", "ua{sv}", (status, results)))
