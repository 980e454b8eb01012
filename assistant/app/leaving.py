"""Ends the process quickly once all data is saved."""

import contextlib
import gc
import logging
import os
import sys
import threading


def leave(status: int) -> int:
    """Make the end of the process quick. Call it after everything is closed and saved.

    The interpreter destroys its objects one by one, which takes half a second with an SDK's thousands of classes, and
    it waits for threads. Neither is useful to the user. It does not wait for daemon threads: a library in which one
    still runs, such as espeak-ng, is destroyed meanwhile and crashes the process.

    Returns:
        ``status``, for the exit. If abandoned threads are still running, the process ends here.
    """
    if any(thread is not threading.main_thread() for thread in threading.enumerate()):
        logging.shutdown()
        for stream in (sys.stdout, sys.stderr):
            # A closed stream is None. A stream that cannot be written is ignored.
            with contextlib.suppress(AttributeError, OSError, ValueError):
                stream.flush()
        os._exit(status)
    gc.freeze()
    return status
