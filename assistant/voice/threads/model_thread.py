"""A thread for one model. A call that never returns costs the thread, and not the voice (V-19)."""

import asyncio
import logging
import queue
import threading
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol, TypeVar

from assistant.core.errors import EngineError, SoriError
from assistant.voice.work import Work

log = logging.getLogger(__name__)

LONGEST_CALL_S = 30.0
"""Longest call of a model; after it the model counts as hung. The slowest calls, a voice that loads at its first
sentence and the recognition of half a minute of speech, take a few seconds on a busy computer."""
MOST_HUNG = 4
"""Calls of one model that may hang at the same time. Each keeps a thread and the memory of an engine."""

_Result = TypeVar("_Result")


class EngineHungError(EngineError):
    """A call of an engine has not returned.

    Attributes:
        seconds: the time that the call had.
        given_up: whether the engine is not used any more, because too many of its calls hang.
    """

    def __init__(self, engine: str, seconds: float, *, given_up: bool) -> None:
        super().__init__(engine, f"no result for {seconds:g} s")
        self.seconds = seconds
        self.given_up = given_up


class Alarm(Protocol):
    """A call that is due later, as ``asyncio.TimerHandle``."""

    def cancel(self) -> None:
        """Do not make the call."""
        ...


CallLater = Callable[[float, Callable[[], None]], Alarm]
"""Makes a call after some seconds, on the event loop."""


@dataclass(slots=True, eq=False)
class _Call:
    work: Callable[[], Any]
    result: "asyncio.Future[Any]"


class ModelThread:
    """A thread for one model, whose results are awaited.

    Threads cannot be killed. If a caller is cancelled, the model finishes its call and the late result is dropped. A
    call that lasts too long is abandoned with its thread: its caller gets an error, the renewal makes a new engine on a
    new thread, and the calls that wait go on there. The threads are daemons, so the process ends without them.

    Args:
        name: name of the thread, and of the engine in errors.
        work: counts the calls.
        limit_s: longest duration of a call, from its start on the thread.
        set_alarm: makes a call later; the event loop's clock by default.
    """

    def __init__(
        self, name: str, work: Work, *, limit_s: float = LONGEST_CALL_S, set_alarm: CallLater | None = None
    ) -> None:
        self._renewal: Callable[[], None] | None = None
        self._on_hung: Callable[[EngineHungError], None] = lambda _error: None
        self._name = name
        self._work = work
        self._limit_s = limit_s
        self._set_alarm = set_alarm
        self._waiting: deque[_Call] = deque()
        self._running: _Call | None = None
        self._alarm: Alarm | None = None
        self._worker: _Worker | None = None
        self._made = 0
        self._hung = 0
        self._closed = False

    def renew_with(self, renewal: Callable[[], None], on_hung: Callable[[EngineHungError], None]) -> None:
        """Replace the engine after one of its calls has hung. A later call of this takes the place of this one.

        Args:
            renewal: replaces it. Runs on the new thread, before every other call.
            on_hung: called on the event loop when a call has hung.
        """
        self._renewal, self._on_hung = renewal, on_hung

    async def run(self, call: Callable[[], _Result]) -> _Result:
        """Run ``call`` on the thread and return its result.

        Raises:
            EngineHungError: the call has not returned in time, or too many earlier calls hang.
            SoriError: the error raised by ``call``. Any other exception becomes an ``EngineError``.
        """
        if self._closed:
            raise EngineError(self._name, "closed")
        if self._hung >= MOST_HUNG:
            raise EngineHungError(self._name, self._limit_s, given_up=True)
        waiting = _Call(call, asyncio.get_running_loop().create_future())
        try:
            with self._work.piece():
                self._waiting.append(waiting)
                self._next()
                result: _Result = await waiting.result
        except SoriError:
            raise
        except Exception as error:
            log.exception("%s failed", self._name)
            raise EngineError(self._name, f"{type(error).__name__}: {error}", cause=error) from error
        return result

    def close(self) -> None:
        """Accept no more calls; the running call may finish."""
        self._closed = True
        while self._waiting:
            self._waiting.popleft().result.cancel()
        if self._worker is not None:
            self._worker.stop()

    def _next(self) -> None:
        """Start the next call if the thread is free."""
        while self._running is None and self._waiting:
            call = self._waiting.popleft()
            if call.result.done():
                continue  # its caller was cancelled
            loop = call.result.get_loop()
            self._running = call
            self._alarm = (self._set_alarm or loop.call_later)(self._limit_s, partial(self._overdue, call))
            if self._worker is None:
                self._worker = _Worker(f"{self._name}_{self._made}")
                self._made += 1
            self._worker.do(call.work, loop, partial(self._ended, self._worker, call))

    def _ended(self, worker: "_Worker", call: _Call, value: Any, error: BaseException | None) -> None:
        if worker is not self._worker:
            self._returned_late()
            return
        if self._alarm is not None:
            self._alarm.cancel()
        self._running = None
        if not call.result.done():
            if error is None:
                call.result.set_result(value)
            else:
                call.result.set_exception(error)
        self._next()

    def _overdue(self, call: _Call) -> None:
        """Abandon the thread with the call that it runs."""
        if call is not self._running or self._worker is None:
            return
        self._worker.stop()
        self._worker = self._running = None
        self._hung += 1
        error = EngineHungError(self._name, self._limit_s, given_up=self._hung >= MOST_HUNG)
        log.error("%s hangs; %d of its calls have not returned", self._name, self._hung)
        failed = [call, *self._waiting] if error.given_up else [call]
        for each in failed:
            if not each.result.done():
                each.result.set_exception(error)
        if error.given_up:
            self._waiting.clear()
        else:
            self._renew(call.result.get_loop())
        self._on_hung(error)
        self._next()

    def _returned_late(self) -> None:
        """A call that counted as hung has returned. Its result is dropped."""
        log.warning("a call of %s has returned after it was abandoned", self._name)
        given_up = self._hung >= MOST_HUNG
        self._hung -= 1
        if given_up and not self._closed:
            self._renew(asyncio.get_running_loop())
            self._next()

    def _renew(self, loop: asyncio.AbstractEventLoop) -> None:
        """Have the engine replaced before the next call."""
        if self._renewal is not None:
            renewal = _Call(self._renewal, loop.create_future())
            renewal.result.add_done_callback(self._renewed)
            self._waiting.appendleft(renewal)

    def _renewed(self, renewal: "asyncio.Future[Any]") -> None:
        if not renewal.cancelled() and (error := renewal.exception()) is not None:
            log.error("%s could not be replaced: %s", self._name, error)


class _Worker:
    """One daemon thread that makes one call after the other."""

    def __init__(self, name: str) -> None:
        self._calls: queue.SimpleQueue[Callable[[], None] | None] = queue.SimpleQueue()
        threading.Thread(target=self._serve, name=name, daemon=True).start()

    def do(
        self,
        work: Callable[[], Any],
        loop: asyncio.AbstractEventLoop,
        on_end: Callable[[Any, BaseException | None], None],
    ) -> None:
        """Make a call; ``on_end`` takes its result or its exception on ``loop``."""
        self._calls.put(partial(_perform, work, loop, on_end))

    def stop(self) -> None:
        """End the thread after the calls that it was given."""
        self._calls.put(None)

    def _serve(self) -> None:
        while (call := self._calls.get()) is not None:
            call()


def _perform(
    work: Callable[[], Any],
    loop: asyncio.AbstractEventLoop,
    on_end: Callable[[Any, BaseException | None], None],
) -> None:
    value, error = None, None
    try:
        value = work()
    except BaseException as raised:  # noqa: BLE001 - passed to the caller that awaits the result
        error = raised
    with suppress(RuntimeError):  # the loop has ended meanwhile
        loop.call_soon_threadsafe(on_end, value, error)
