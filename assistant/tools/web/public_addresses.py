"""Which hosts a tool may reach: only public addresses, so that no page leads into the user's own network (X-08)."""

import asyncio
import ipaddress
import socket
from collections.abc import Awaitable, Callable, Sequence

from assistant.tools.tool import ToolError


class PageError(ToolError):
    """A page of the web cannot be opened.

    Args:
        key: key of the reason below ``[file_reason]`` in the translations, such as ``file_reason.page_gone``.
        detail: what that text names as ``{detail}``; empty for nothing.
    """

    def __init__(self, key: str, detail: str = "") -> None:
        super().__init__(key, detail=detail)
        self.reason, self.detail = key.removeprefix("file_reason."), detail


Resolve = Callable[[str, int], Awaitable[Sequence[str]]]
"""Gives the numeric addresses of a host name."""

_NAT64 = ipaddress.ip_network("64:ff9b::/96")
"""IPv6 addresses that stand for an IPv4 address in their last 32 bits (RFC 6052)."""


async def resolve(host: str, port: int) -> Sequence[str]:
    """The numeric addresses of a host, in the order of the system's preference.

    Raises:
        ToolError: the name has no address.
    """
    loop = asyncio.get_running_loop()
    try:
        found = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise PageError("file_reason.page_unreachable", host) from error
    return tuple(dict.fromkeys(str(each[4][0]) for each in found))


def is_public(address: str) -> bool:
    """Whether a numeric address belongs to the public internet.

    Not public are loopback, private, link-local, shared and reserved networks, also if an IPv6 address only wraps them.
    """
    ip = ipaddress.ip_address(address.partition("%")[0])
    if isinstance(ip, ipaddress.IPv6Address):
        wrapped = ip.ipv4_mapped or ip.sixtofour or (ip.teredo[1] if ip.teredo else None)
        if wrapped is None and ip in _NAT64:
            wrapped = ipaddress.IPv4Address(int(ip) & 0xFFFFFFFF)
        if wrapped is not None:
            return is_public(str(wrapped))
    return ip.is_global and not ip.is_multicast


async def checked_address(
    host: str, port: int, *, resolve: Resolve = resolve, allowed: Callable[[str], bool] = is_public
) -> str:
    """The numeric address to connect to. The name is not resolved again, so that it cannot change after the check.

    Raises:
        ToolError: the name has no address, or one of its addresses is not allowed.
    """
    addresses = await resolve(host, port)
    if not addresses or not all(map(allowed, addresses)):
        raise PageError("file_reason.page_not_public", host)
    return addresses[0]
