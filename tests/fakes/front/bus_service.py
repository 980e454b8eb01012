"""A service on a session bus that answers calls in a thread."""

from contextlib import closing
from threading import Thread
from typing import Self

from jeepney import DBusAddress, HeaderFields, Message, MessageType, new_method_call
from jeepney.bus_messages import message_bus
from jeepney.io.blocking import Proxy, open_dbus_connection


class BusService:
    """Serves while the ``with`` block runs. A class below answers the calls.

    Args:
        address: address of the bus.
        place: name, path and interface of the service.
    """

    def __init__(self, address: str, place: DBusAddress) -> None:
        self._address, self._place = address, place
        self._bus = open_dbus_connection(address)
        self._thread = Thread(target=self._serve, name=type(self).__name__)

    def __enter__(self) -> Self:
        Proxy(message_bus, self._bus).RequestName(self._place.bus_name)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        with closing(open_dbus_connection(self._address)) as other:
            other.send_message(new_method_call(self._place, "Stop"))
            self._thread.join()
        self._bus.close()

    def answer(self, member: str, message: Message) -> None:
        """Answer a call of a method."""
        raise NotImplementedError

    def _serve(self) -> None:
        while True:
            message = self._bus.receive()
            if message.header.message_type is not MessageType.method_call:
                continue
            member = message.header.fields.get(HeaderFields.member)
            if member == "Stop":
                return
            self.answer(member, message)
