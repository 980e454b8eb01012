"""How the process ends: at once, when everything is saved."""

import contextlib
import gc
import logging
import os
import sys
import threading
from concurrent.futures import ThreadPoolExecutor


class AbandonedThreads(ThreadPoolExecutor):
    """Threads that nobody waits for at the end: an SDK that is still being imported keeps no terminal waiting."""

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = True) -> None:
        """Take no more work, and let what runs be; ``wait`` is what the event loop asks for and does not get."""
        del wait
        super().shutdown(wait=False, cancel_futures=cancel_futures)


def leave(status: int) -> int:
    """Make the end of the process quick; call when all is closed and saved.

    The interpreter takes its objects apart one by one, which with an SDK's thousands of classes lasts half a second;
    and it waits for threads. Neither does anything for the user.

    Returns:
        ``status``, to exit with; does not return when abandoned threads are still at work.
    """
    if any(not thread.daemon for thread in threading.enumerate() if thread is not threading.main_thread()):
        logging.shutdown()
        for stream in (sys.stdout, sys.stderr):
            # Closed ones are None; what one cannot take any more keeps nobody.
            with contextlib.suppress(AttributeError, OSError, ValueError):
                stream.flush()
        os._exit(status)
    gc.freeze()
    return status
