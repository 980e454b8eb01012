"""UUIDs of version 7 (RFC 9562, section 5.7), which sort by their creation time."""

import uuid

RANDOM_BYTES = 10
"""Number of random bytes of one UUID; the version and the variant replace six of their bits."""

_MAX_MS = (1 << 48) - 1


def uuid7(now_ms: int, random_bytes: bytes) -> str:
    """A UUID in text form, 36 characters in lower case.

    Args:
        now_ms: milliseconds since 1970-01-01 UTC.
        random_bytes: ``RANDOM_BYTES`` random bytes. UUIDs of the same millisecond have no particular order.

    Raises:
        ValueError: the time does not fit in 48 bits, or there are not ``RANDOM_BYTES`` bytes.
    """
    if not 0 <= now_ms <= _MAX_MS:
        raise ValueError(f"{now_ms} ms is not a time that a UUID can hold")
    if len(random_bytes) != RANDOM_BYTES:
        raise ValueError(f"{len(random_bytes)} random bytes instead of {RANDOM_BYTES}")
    number = int.from_bytes(now_ms.to_bytes(6, "big") + random_bytes, "big")
    number = number & ~(0xF << 76) | 0x7 << 76
    number = number & ~(0x3 << 62) | 0x2 << 62
    return str(uuid.UUID(int=number))
