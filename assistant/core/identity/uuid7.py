"""UUIDs that begin with the time (version 7 of RFC 9562).

Python provides them from version 3.14 on. The layout follows section 5.7: 48 bits of Unix milliseconds, the version, 12
bits, the variant, 62 random bits. The 12 bits are the counter of section 6.2, method 1.
"""

from collections.abc import Callable
from contextlib import suppress
from uuid import UUID

_COUNTER_BITS = 12
_RANDOM_BITS = 62
_VERSION = 0x7
_VARIANT = 0b10


class Uuid7Source:
    """Makes UUIDs, each greater than the one before, even when the clock stands still or is set back.

    Not safe for concurrent use by several threads.

    Args:
        milliseconds: returns the Unix time in milliseconds.
        random_bits: returns a random number with the given number of bits.
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
            # The counter's highest bit starts as 0, which leaves room for at least 2,048 UUIDs in a millisecond.
            self._last_ms, self._counter = now_ms, self._random_bits(_COUNTER_BITS - 1)
        else:
            self._counter += 1
            if self._counter >> _COUNTER_BITS:
                self._last_ms, self._counter = self._last_ms + 1, 0
        value = self._last_ms << 80 | _VERSION << 76 | self._counter << 64
        return UUID(int=value | _VARIANT << _RANDOM_BITS | self._random_bits(_RANDOM_BITS))


def is_uuid7(text: str) -> bool:
    """Whether a text is a UUID of version 7: 32 hexadecimal digits, with hyphens at their places or without."""
    with suppress(ValueError):
        read = UUID(text)
        return read.version == _VERSION and text.lower() in {read.hex, str(read)}
    return False
