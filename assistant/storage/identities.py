"""Identities that no other row has, on this device or any other."""

import secrets
import threading
import time

from assistant.core.identity.uuid7 import Uuid7Source

_SOURCE = Uuid7Source(lambda: time.time_ns() // 1_000_000, secrets.randbits)
_ONE_AT_A_TIME = threading.Lock()


def new_id() -> str:
    """A UUIDv7 as 32 hexadecimal digits; each is greater than those that this process has made before."""
    with _ONE_AT_A_TIME:
        return _SOURCE.next().hex
