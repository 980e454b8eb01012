"""How the C library keeps freed memory. Only that of Linux (glibc) can be told."""

import ctypes
import sys
from contextlib import suppress
from typing import Final

_M_ARENA_MAX: Final = -8
"""Name of the option in glibc's ``malloc.h``."""
_ARENAS: Final = 2


def share_arenas(platform: str = sys.platform) -> None:
    """Let all threads share two heaps. Otherwise each keeps its own with its holes: 130 MB in the window's process.

    Only threads that start later are affected.
    """
    if platform == "linux":
        with suppress(AttributeError, OSError):
            ctypes.CDLL(None).mallopt(_M_ARENA_MAX, _ARENAS)


def give_back(platform: str = sys.platform) -> None:
    """Return freed memory to the system, which otherwise stays for later allocations: 100 MB after loading voices."""
    if platform == "linux":
        with suppress(AttributeError, OSError):
            ctypes.CDLL(None).malloc_trim(0)
