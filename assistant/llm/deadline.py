"""Time limits for a backend's stream (P-21). They are for silence: while text arrives, an answer goes on.

A server has a time for its first byte and for each silence after it. A server on this machine that loads a model or
reads a prompt may be silent for longer. When an exchange takes long, the user is told, and may stop it.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from types import TracebackType
from typing import Any

from assistant.core.clock import Clock
from assistant.core.errors import ErrorCode, ProviderError
from assistant.llm.backend import AttachmentLeftOut, ModelDelta, ThoughtDelta, Usage
from assistant.tasks import TaskSupervisor

FIRST_BYTE_S = 20.0
"""Seconds until a model must send its first delta (P-21)."""

SILENCE_S = 20.0
"""Seconds after which an answer is given up in which nothing more arrives (P-21)."""

LOADING_S = 120.0
"""Seconds that a server on this machine may be silent before its first byte while it is at work (P-21)."""

TOTAL_S = 60.0
"""Seconds of a whole exchange after which the user is told that it takes long (P-21)."""

_ASK_EVERY_S = 5.0
"""Seconds between two questions whether a server is at work."""


def _untold() -> None:
    """Tell nobody."""


class SoftLimit:
    """The model time of one exchange, over all its inferences and retries. Nothing ends when it is used up.

    Only time inside ``counting`` is used up: the model's time, and Sori's own pauses between tries. Three things are
    not counted: tools, which have their own limits; a person's answer to a confirmation; and a wait that a server asks
    for, which is announced and can be stopped.

    Args:
        clock: measures time.
        total_s: the whole time, in seconds.
        on_passed: called once, when the time is used up and the exchange still goes on.
    """

    def __init__(self, clock: Clock, total_s: float = TOTAL_S, on_passed: Callable[[], None] = _untold) -> None:
        self._clock = clock
        self._used_s = 0.0
        self._on_passed: Callable[[], None] | None = on_passed
        self.total_s = total_s

    @property
    def left_s(self) -> float:
        """Seconds left, never below 0."""
        return max(0.0, self.total_s - self._used_s)

    @contextmanager
    def counting(self) -> Iterator[None]:
        """Count the time inside the block as used."""
        begun = self._clock.monotonic()
        timer = None if self._on_passed is None else asyncio.get_running_loop().call_later(self.left_s, self._pass)
        try:
            yield
        finally:
            self._used_s += self._clock.monotonic() - begun
            if timer is not None:
                timer.cancel()

    def _pass(self) -> None:
        if self._on_passed is not None:
            self._on_passed()
            self._on_passed = None


class ReplyDeadlines:
    """The limits of one reply: one for its first delta, one for each silence after it.

    Use the object as a context manager around the reply, and ``waiting`` around each wait for a delta. An empty thought
    tells that the server reads the prompt: it ends a silence, and is not the first delta. The server's count of input
    tokens is no sign of life.

    ``asyncio.timeout`` around every token would cost as much as reading the token, so one timer serves all waits.

    Args:
        provider: the provider's name, for errors.
        first_byte_s: seconds until the first delta.
        silence_s: seconds without anything after it.
        at_work: tells whether a server from which nothing has arrived is known to work on the request.
        loading_s: seconds that such a server may be silent.
        on_loading: called once, when the first delta is waited for beyond ``first_byte_s``.

    Raises:
        ProviderError: ``timeout``, in a wait. The deltas before it stay valid.
    """

    def __init__(
        self,
        provider: str,
        *,
        first_byte_s: float = FIRST_BYTE_S,
        silence_s: float = SILENCE_S,
        at_work: Callable[[], Awaitable[bool]] | None = None,
        loading_s: float = LOADING_S,
        on_loading: Callable[[], None] = _untold,
    ) -> None:
        self._provider = provider
        self._first_byte_s, self._silence_s, self._loading_s = first_byte_s, silence_s, loading_s
        self._at_work = at_work
        self._on_loading: Callable[[], None] | None = on_loading
        self._begun = False
        self._timer: asyncio.TimerHandle | None = None
        self._tasks = TaskSupervisor()
        self.waiting = _Waiting(self._late)

    async def __aenter__(self) -> "ReplyDeadlines":
        """Start the limits."""
        self._loop = asyncio.get_running_loop()
        self._heard_at = self._loop.time()
        self._due = self._heard_at + self._first_byte_s
        self._watch(self._due)
        return self

    async def __aexit__(self, *_: object) -> None:
        """End the limits."""
        if self._timer is not None:
            self._timer.cancel()
        self._timer = None
        await self._tasks.close()

    def heard(self, delta: ModelDelta) -> None:
        """Take note of a delta."""
        if isinstance(delta, AttachmentLeftOut | Usage):
            return
        self._heard_at = self._loop.time()
        self._due = max(self._due, self._heard_at + self._silence_s)
        self._begun = self._begun or not (isinstance(delta, ThoughtDelta) and not delta.text)

    def _watch(self, when: float) -> None:
        self._timer = self._loop.call_at(when, self._check)

    def _check(self) -> None:
        now = self._loop.time()
        if now < self._due:
            self._watch(self._due)
        elif self._begun or self._at_work is None or now >= self._heard_at + self._loading_s:
            self.waiting.end()
        else:
            self._tasks.start(self._ask(self._at_work), name="whether a server is at work")

    async def _ask(self, at_work: Callable[[], Awaitable[bool]]) -> None:
        """Go on waiting for a server that is at work."""
        works = False
        with suppress(Exception):
            works = await at_work()
        if self._loop.time() >= self._due:
            if not works:
                self.waiting.end()
                return
            self._due = min(self._loop.time() + _ASK_EVERY_S, self._heard_at + self._loading_s)
            if self._on_loading is not None:
                self._on_loading()
                self._on_loading = None
        self._watch(self._due)

    def _late(self) -> ProviderError:
        if self._begun:
            detail, key = f"nothing more within {self._silence_s:g} s", "timeout_silent"
        else:
            detail, key = f"no answer within {self._loop.time() - self._heard_at:.0f} s", ""
        return ProviderError(ErrorCode.TIMEOUT, detail, provider=self._provider, message_key=key)


class _Waiting:
    """A context manager around one wait. It cancels the wait when the limits end, and raises the error.

    Args:
        late: makes the error.
    """

    def __init__(self, late: Callable[[], ProviderError]) -> None:
        self._late = late
        self._task: asyncio.Task[Any] | None = None
        self._cancelling = 0
        self._passed = self._broke = False

    def __enter__(self) -> None:
        """Cancel the awaited call when the limit passes.

        Raises:
            ProviderError: the limit has passed already.
        """
        if self._passed:
            raise self._late()
        self._task = asyncio.current_task()
        self._cancelling = self._task.cancelling() if self._task is not None else 0

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Replace the limit's own cancellation by the error. Any other cancellation stays as it is."""
        task, self._task = self._task, None
        if self._broke and task is not None:
            self._broke = False
            if task.uncancel() <= self._cancelling and kind is asyncio.CancelledError:
                raise self._late() from error

    def end(self) -> None:
        """End the wait, and every later one."""
        self._passed = True
        if self._task is not None:
            self._broke = True
            self._task.cancel()
