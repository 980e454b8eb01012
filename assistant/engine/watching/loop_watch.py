"""Notices an event loop that carries out nothing any more (V-19)."""

import asyncio
import sys
import threading
import time
import traceback
from collections.abc import Callable
from contextlib import suppress

from assistant.audio.cards.stall import StallWatch

HUNG_S = 30.0
"""Time without a step after which a loop counts as hung. The longest step, the import of an SDK on a slow computer,
takes a few seconds."""
LOOK_S = 1.0
"""Time between two looks. A look counts no more than this, so a computer that slept has no hung loop."""


class LoopWatch:
    """Looks whether a loop still carries out calls.

    Args:
        loop: the loop.
        thread: id of the loop's thread, for the report of where it hangs.
        on_hung: takes the lines of code in which the loop hangs; called once, on the watching thread.
        hung_s: time without a step after which the loop counts as hung.
    """

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        thread: int,
        on_hung: Callable[[str], None],
        *,
        hung_s: float = HUNG_S,
    ) -> None:
        self._loop, self._thread, self._on_hung = loop, thread, on_hung
        self._stall = StallWatch(hung_s, longest_step_s=LOOK_S)
        self._steps = 0
        self._ended = threading.Event()

    def start(self) -> None:
        """Watch on a thread of its own until ``stop``."""
        threading.Thread(target=self._watch, name="engine watch", daemon=True).start()

    def stop(self) -> None:
        """Watch no more."""
        self._ended.set()

    def hangs(self, now_s: float) -> bool:
        """Whether the loop has made no step for too long; asks it for another one.

        Args:
            now_s: the time of a clock that never goes back, in seconds.
        """
        hangs = self._stall.stalled(self._steps, now_s)
        with suppress(RuntimeError):  # the loop is closed
            self._loop.call_soon_threadsafe(self._step)
        return hangs

    def _step(self) -> None:
        self._steps += 1

    def _watch(self) -> None:
        while not self._ended.wait(LOOK_S):
            if self.hangs(time.monotonic()):
                self._on_hung(self._place())
                return

    def _place(self) -> str:
        """The stack of the loop's thread; the source lines show what it waits for."""
        frame = sys._current_frames().get(self._thread)  # noqa: SLF001 - the only way to see another thread's stack
        return "".join(traceback.format_stack(frame)) if frame is not None else ""
