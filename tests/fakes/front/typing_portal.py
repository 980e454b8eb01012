"""A desktop portal on a session bus that lets a program type: keeps the keys, and reads what is pasted."""

import os
from typing import Any

from jeepney import DBusAddress, HeaderFields, Message, new_error, new_method_return, new_signal
from jeepney.io.blocking import open_dbus_connection

from tests.fakes.front.bus_service import BusService

_NAME = "org.freedesktop.portal.Desktop"
_PATH = "/org/freedesktop/portal/desktop"
_PLACE = DBusAddress(_PATH, bus_name=_NAME, interface="org.freedesktop.portal.RemoteDesktop")
_CLIPBOARD = DBusAddress(_PATH, bus_name=_NAME, interface="org.freedesktop.portal.Clipboard")
_SESSION = f"{_PATH}/session/typing"
_CONTROL, _BACKSPACE, _RETURN = 0xFFE3, 0xFF08, 0xFF0D


class TypingPortal(BusService):
    """Serves in a thread while the ``with`` block runs.

    Args:
        address: address of the bus.
        refuses: whether the user refuses.

    Attributes:
        text: what stands in the text field of the program that has the keyboard.
    """

    def __init__(self, address: str, *, refuses: bool = False) -> None:
        super().__init__(address, _PLACE)
        self._bus.close()
        self._bus = open_dbus_connection(address, enable_fds=True)
        self.text = ""
        self._refuses = refuses
        self._controls, self._clipboard, self._reading = False, False, -1

    def answer(self, member: str, message: Message) -> None:
        """Let a program type."""
        match member:
            case "CreateSession":
                self._respond(message, message.body[0], 0, {"session_handle": ("s", _SESSION)})
            case "SelectDevices":
                self._respond(message, message.body[1], 0, {})
            case "Start":
                self._respond(message, message.body[2], int(self._refuses), {"clipboard_enabled": ("b", True)})
            case "NotifyKeyboardKeysym":
                self._bus.send_message(new_method_return(message))
                self._press(message.body[2], down=bool(message.body[3]))
            case "RequestClipboard" | "SetSelection":
                self._clipboard = member == "SetSelection"
                self._bus.send_message(new_method_return(message))
            case "SelectionWrite":
                self._reading, end = os.pipe()
                self._bus.send_message(new_method_return(message, "h", (end,)))
                os.close(end)
            case "SelectionWriteDone":
                with os.fdopen(self._reading, "rb") as pasted:
                    self.text += pasted.read().decode()
                self._bus.send_message(new_method_return(message))
            case _:
                self._bus.send_message(new_error(message, "org.freedesktop.DBus.Error.UnknownMethod"))

    def _press(self, keysym: int, *, down: bool) -> None:
        if keysym == _CONTROL:
            self._controls = down
        elif down and self._controls and keysym == ord("v") and self._clipboard:
            body = (_SESSION, "text/plain;charset=utf-8", 7)
            self._bus.send_message(new_signal(_CLIPBOARD, "SelectionTransfer", "osu", body))
        elif down and keysym == _BACKSPACE:
            self.text = self.text[:-1]
        elif down and not self._controls:
            self.text += "\n" if keysym == _RETURN else chr(keysym)

    def _respond(self, message: Message, options: dict[str, Any], status: int, results: dict[str, Any]) -> None:
        sender = message.header.fields[HeaderFields.sender].removeprefix(":").replace(".", "_")
        path = f"{_PATH}/request/{sender}/{options['handle_token'][1]}"
        self._bus.send_message(new_method_return(message, "o", (path,)))
        place = DBusAddress(path, bus_name=_NAME, interface="org.freedesktop.portal.Request")
        self._bus.send_message(new_signal(place, "Response", "ua{sv}", (status, results)))
