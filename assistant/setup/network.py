"""Whether this computer has a way to other computers. Standard library only."""

import socket

_ELSEWHERE = ((socket.AF_INET, "192.0.2.1"), (socket.AF_INET6, "2001:db8::1"))
"""Addresses of documentation (RFC 5737, RFC 3849), which no computer has."""
_PORT = 9

_RETRY_S = 15.0
"""Seconds until a failed download is tried again for the first time."""
_RETRY_LONGEST_S = 300.0
"""Longest pause between two attempts."""
LOOK_S = 3.0
"""Seconds between two looks for a way to other computers."""


def has_route() -> bool:
    """Whether the system knows a way to other computers; it says nothing about whether they answer.

    Nothing is sent: to connect a datagram socket only asks the system for the way.
    """
    return any(_leads(family, address) for family, address in _ELSEWHERE)


class RetryPause:
    """The pause before another attempt. Ask ``is_over`` every ``LOOK_S`` seconds.

    Args:
        failures: number of attempts that failed, in a row. Each makes the pause twice as long.
        route: whether there is a way to other computers. Without one only a proxy on this computer could help, so it is
            tried seldom.

    Attributes:
        is_back: whether the way has come back, so that failures count anew.
    """

    def __init__(self, failures: int, *, route: bool) -> None:
        grown_s = min(_RETRY_S * 2.0 ** min(failures - 1, 10), _RETRY_LONGEST_S)
        self._left_s = grown_s if route else _RETRY_LONGEST_S
        self._had = route
        self.is_back = False

    def is_over(self, *, route: bool) -> bool:
        """Whether the next attempt is due, ``LOOK_S`` after the last question."""
        self._left_s -= LOOK_S
        self.is_back = route and not self._had
        self._had = route
        return self.is_back or self._left_s <= 0


def _leads(family: socket.AddressFamily, address: str) -> bool:
    try:
        with socket.socket(family, socket.SOCK_DGRAM) as probe:
            probe.connect((address, _PORT))
    except OSError:
        return False
    return True
