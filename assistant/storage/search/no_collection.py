"""Holds garbage collections off while something short is computed."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def no_collection() -> Iterator[None]:
    """Let no garbage collection begin meanwhile, in any thread.

    A search makes tens of thousands of small objects that do not refer to each other. A collection that begins among
    them finds nothing and takes 2 to 10 ms, the more the longer Sori has run.
    """
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()
