"""A thread for all calls to the sound system, which may be slow or never return."""

import asyncio
import concurrent.futures
import queue
import threading
from collections.abc import Callable
from typing import TypeVar

from assistant.core.errors import AudioDeviceError

ANSWER_LIMIT_S = 8.0
"""Longest wait for the sound system. Some Bluetooth devices need several seconds to open."""

_Result = TypeVar("_Result")


class DeviceThread:
    """Runs calls one after the other on one thread, as some sound systems require (COM on Windows).

    The thread is a daemon, so a driver that hangs cannot keep the program from ending.
    """

    def __init__(self) -> None:
        self._calls: queue.SimpleQueue[Callable[[], None] | None] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None

    async def run(self, work: Callable[[], _Result], *, limit_s: float = ANSWER_LIMIT_S) -> _Result:
        """Run ``work`` on the thread; return its result or raise its exception.

        Raises:
            AudioDeviceError: it did not return within ``limit_s``. The call continues and its result is dropped.
        """
        if self._thread is None:
            self._thread = threading.Thread(target=self._serve, name="sound devices", daemon=True)
            self._thread.start()
        future: concurrent.futures.Future[_Result] = concurrent.futures.Future()
        self._calls.put(lambda: _fulfil(future, work))
        try:
            async with asyncio.timeout(limit_s):
                return await asyncio.wrap_future(future)
        except TimeoutError as error:
            raise AudioDeviceError(
                "PortAudio",
                f"no reply within {limit_s:g} s",
                message_key="audio.system_stuck",
                cause=error,
            ) from error

    def stop(self) -> None:
        """End the thread after the queued calls. A later call starts another thread."""
        if self._thread is not None:
            self._calls.put(None)
            self._thread = None

    def _serve(self) -> None:
        while (call := self._calls.get()) is not None:
            call()


def _fulfil(future: concurrent.futures.Future[_Result], work: Callable[[], _Result]) -> None:
    if not future.set_running_or_notify_cancel():
        return
    try:
        future.set_result(work())
    except BaseException as error:  # noqa: BLE001 - passed to the caller that awaits the future
        future.set_exception(error)
