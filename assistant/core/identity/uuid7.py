"""UUIDs that begin with the time (version 7 of RFC 9562).

Python has them from 3.14 on. The layout is that of section 5.7: 48 bits of Unix milliseconds, the version, 12 bits, the
variant, 62 random bits. The 12 bits are the counter of section 6.2, method 1.
"""

from collections.abc import Callable
from uuid import UUID

_COUNTER_BITS = 12
_RANDOM_BITS = 62
_VERSION = 0x7
_VARIANT = 0b10


class Uuid7Source:
    """Makes UUIDs, each greater than the one before, also when the clock stands still or is set back.

    Not safe for several threads at once.

    Args:
        milliseconds: tells the Unix time in milliseconds.
        random_bits: gives a random number of so many bits.
    """

    def __init__(self, milliseconds: Callable[[], int], random_bits: Callable[[int], int]) -> None:
        self._milliseconds = milliseconds
        self._random_bits = random_bits
        self._last_ms = -1
        self._counter = 0

    def next(self) -> UUID:
        """The next UUID."""
        now_ms = self._milliseconds()
        if now_ms > self._last_ms:
            # The highest bit begins as 0, so that at least 2,048 UUIDs fit into a millisecond.
            self._last_ms, self._counter = now_ms, self._random_bits(_COUNTER_BITS - 1)
        else:
            self._counter += 1
            if self._counter >> _COUNTER_BITS:
                self._last_ms, self._counter = self._last_ms + 1, 0
        value = self._last_ms << 80 | _VERSION << 76 | self._counter << 64
        return UUID(int=value | _VARIANT << _RANDOM_BITS | self._random_bits(_RANDOM_BITS))
