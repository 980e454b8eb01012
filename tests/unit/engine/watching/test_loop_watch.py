"""A real loop that hangs, with made-up times (V-19)."""

import asyncio
import threading
from collections.abc import Iterator
from queue import SimpleQueue

import pytest

from assistant.engine.watching.loop_watch import LoopWatch


class RunningLoop:
    """A loop on a thread of its own, which can be made to hang."""

    def __init__(self) -> None:
        self.loop = asyncio.new_event_loop()
        self._free = threading.Event()
        self._thread = threading.Thread(target=self.loop.run_forever)
        self._thread.start()
        self.thread = self._thread.ident or 0
        self.watch = LoopWatch(self.loop, self.thread, lambda _: None, hung_s=3.0)

    def step(self) -> None:
        """Return when the loop has done what it was asked before."""
        done = threading.Event()
        self.loop.call_soon_threadsafe(done.set)
        assert done.wait(60)

    def hang(self) -> None:
        """Let the loop hang until ``free``."""
        hangs = threading.Event()

        def hang() -> None:
            hangs.set()
            self._free.wait()

        self.loop.call_soon_threadsafe(hang)
        assert hangs.wait(60)

    def close(self) -> None:
        self._free.set()
        self.loop.call_soon_threadsafe(self.loop.stop)
        self._thread.join()
        self.loop.close()


@pytest.fixture
def running() -> Iterator[RunningLoop]:
    running = RunningLoop()
    yield running
    running.close()


def test_a_loop_without_a_step_for_the_limit_hangs(running: RunningLoop) -> None:
    assert not running.watch.hangs(0.0)
    running.step()
    running.hang()
    assert [running.watch.hangs(each) for each in (1.0, 2.0, 3.0, 4.0)] == [False, False, False, True]


def test_a_loop_with_steps_does_not_hang(running: RunningLoop) -> None:
    for second in range(20):
        assert not running.watch.hangs(float(second))
        running.step()


def test_a_computer_that_slept_has_no_hung_loop(running: RunningLoop) -> None:
    running.hang()
    assert not any(running.watch.hangs(each) for each in (0.0, 3600.0, 7200.0))


def test_the_report_names_the_line_in_which_the_loop_hangs(running: RunningLoop) -> None:
    places = SimpleQueue[str]()
    watch = LoopWatch(running.loop, running.thread, places.put, hung_s=0.5)
    running.hang()
    watch.start()
    assert "self._free.wait()" in places.get(timeout=60)
