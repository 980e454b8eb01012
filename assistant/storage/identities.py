"""Makes ids of rows, unique on all devices."""

import secrets
import threading
import time

from assistant.core.identity.uuid7 import Uuid7Source

_SOURCE = Uuid7Source(lambda: time.time_ns() // 1_000_000, secrets.randbits)
_SOURCE_LOCK = threading.Lock()


def made_at(identity: str) -> float:
    """Unix time in seconds at which an id was made, to the millisecond (RFC 9562, version 7)."""
    return int(identity.replace("-", "")[:12], 16) / 1000


def new_id() -> str:
    """A UUIDv7 as 32 hexadecimal digits, greater than every id that this process has made before."""
    with _SOURCE_LOCK:
        return _SOURCE.next().hex
