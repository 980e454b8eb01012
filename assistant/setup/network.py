"""Whether this computer has a way to other computers. Standard library only."""

import socket

_ELSEWHERE = ((socket.AF_INET, "192.0.2.1"), (socket.AF_INET6, "2001:db8::1"))
"""Addresses of documentation (RFC 5737, RFC 3849), which no computer has."""
_PORT = 9

RETRY_S = 15.0
"""Seconds until a failed download is tried again for the first time."""
RETRY_LONGEST_S = 300.0
"""Longest pause between two attempts."""
LOOK_S = 3.0
"""Seconds between two looks for a way to other computers."""


def has_route() -> bool:
    """Whether the system knows a way to other computers; it says nothing about whether they answer.

    Nothing is sent: to connect a datagram socket only asks the system for the way.
    """
    return any(_leads(family, address) for family, address in _ELSEWHERE)


def pause_s(failures: int, *, route: bool) -> float:
    """Seconds until the next attempt after this number of failures in a row.

    Without a way to other computers only a proxy on this one could help, so it is tried seldom.
    """
    if not route:
        return RETRY_LONGEST_S
    return min(RETRY_S * 2.0 ** min(failures - 1, 10), RETRY_LONGEST_S)


def _leads(family: socket.AddressFamily, address: str) -> bool:
    try:
        with socket.socket(family, socket.SOCK_DGRAM) as probe:
            probe.connect((address, _PORT))
    except OSError:
        return False
    return True
