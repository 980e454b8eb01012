"""Calls of the desktop portal that the user or the desktop answers later, by a signal.

Specification: https://flatpak.github.io/xdg-desktop-portal, interface ``org.freedesktop.portal.Request``.
"""

from collections import deque
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from jeepney.io.blocking import DBusConnection

BUS_NAME = "org.freedesktop.portal.Desktop"
PATH = "/org/freedesktop/portal/desktop"
APPLICATION = "sori"
ANSWER_S = 5.0
"""Longest wait for the answer of the bus or the portal, in seconds."""
_REQUEST = "org.freedesktop.portal.Request"
_REGISTRY = "org.freedesktop.host.portal.Registry"
_USER_S = 300.0
"""Longest wait for the user, whom the desktop asks, in seconds."""


class PortalError(Exception):
    """There is no such portal, or it gives nothing.

    Attributes:
        refused: whether the user or the desktop has refused.
    """

    def __init__(self, reason: str, *, refused: bool = False) -> None:
        super().__init__(reason)
        self.refused = refused


def introduce(bus: "DBusConnection") -> None:
    """Tell the portal the name of the program; older portals do not ask for it."""
    from jeepney import DBusAddress, new_method_call
    from jeepney.wrappers import DBusErrorResponse, unwrap_msg

    registry = DBusAddress(PATH, bus_name=BUS_NAME, interface=_REGISTRY)
    with suppress(DBusErrorResponse):
        call = new_method_call(registry, "Register", "sa{sv}", (APPLICATION, {}))
        unwrap_msg(bus.send_and_get_reply(call, timeout=ANSWER_S))


def asked(
    bus: "DBusConnection", interface: str, member: str, signature: str, body: Callable[[str], tuple[Any, ...]]
) -> dict[str, tuple[str, Any]]:
    """Call a method of the portal and wait for its response, which comes as a signal.

    Args:
        bus: the connection.
        interface: the portal.
        member: the method.
        signature: the types of its arguments.
        body: gives the arguments for the token of the request.

    Raises:
        PortalError: it is refused.
    """
    from jeepney import DBusAddress, MatchRule, new_method_call
    from jeepney.bus_messages import message_bus
    from jeepney.io.blocking import Proxy
    from jeepney.wrappers import unwrap_msg

    token = f"{APPLICATION}_{member.lower()}"
    sender = bus.unique_name.removeprefix(":").replace(".", "_")
    rule = MatchRule(type="signal", interface=_REQUEST, member="Response", path=f"{PATH}/request/{sender}/{token}")
    place = DBusAddress(PATH, bus_name=BUS_NAME, interface=interface)
    with bus.filter(rule, queue=deque()) as responses:
        Proxy(message_bus, bus, timeout=ANSWER_S).AddMatch(rule)
        call = new_method_call(place, member, signature, body(token))
        unwrap_msg(bus.send_and_get_reply(call, timeout=ANSWER_S))
        status, results = bus.recv_until_filtered(responses, timeout=_USER_S).body
    if status:
        raise PortalError(f"{member}: response {status}", refused=True)
    found: dict[str, tuple[str, Any]] = results
    return found
