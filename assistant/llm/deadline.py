"""Time limits for a backend's stream (P-21): one for the first byte, one for the whole exchange."""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import Any

from assistant.core.clock import Clock
from assistant.core.errors import ErrorCode, ProviderError
from assistant.llm.backend import AttachmentLeftOut, ModelDelta, Usage

FIRST_BYTE_S = 20.0
"""Seconds until a model must send its first delta (P-21)."""

TOTAL_S = 60.0
"""Seconds that a whole exchange may take (P-21)."""


class SoftLimit:
    """The remaining model time of one exchange, over all its inferences and retries.

    Only time inside ``counting`` is used up: the model's time, and Sori's own pauses between tries. Three things are
    not counted, so that they leave the model time to answer: tools, which have their own limits; a person's answer to
    a confirmation; and a wait that a server asks for, which is announced and can be stopped.

    Args:
        clock: measures time.
        total_s: the whole time, in seconds.
    """

    def __init__(self, clock: Clock, total_s: float = TOTAL_S) -> None:
        self._clock = clock
        self._used_s = 0.0
        self.total_s = total_s

    @property
    def left_s(self) -> float:
        """Seconds left, never below 0."""
        return max(0.0, self.total_s - self._used_s)

    @contextmanager
    def counting(self) -> Iterator[None]:
        """Count the time inside the block as used."""
        begun = self._clock.monotonic()
        try:
            yield
        finally:
            self._used_s += self._clock.monotonic() - begun


class ReplyDeadlines:
    """Two limits of one reply: one for its first delta, one for the whole reply.

    Use the object as a context manager around the reply, and ``waiting`` around each wait for a delta. Any delta from
    the model counts as the first one, even an empty one or reasoning. The server's count of input tokens does not.

    ``asyncio.timeout`` around every token would cost as much as reading the token, so one timer serves all waits.

    Args:
        provider: the provider's name, for errors.
        first_byte_s: seconds until the first delta.
        total_s: seconds until the end of the reply. Without time left, entering the object raises the error.

    Raises:
        ProviderError: ``timeout``, on entering the object or in a wait. The deltas before it stay valid.
    """

    def __init__(self, provider: str, *, first_byte_s: float = FIRST_BYTE_S, total_s: float = TOTAL_S) -> None:
        self._provider = provider
        self._first_byte_s = first_byte_s
        self._total_s = total_s
        self._begun = False
        self.waiting = _Waiting(self._late)

    def __enter__(self) -> "ReplyDeadlines":
        """Start both limits."""
        if self._total_s <= 0:
            raise self._late()
        loop = asyncio.get_running_loop()
        self._end = loop.time() + self._total_s
        self.waiting.set(min(loop.time() + self._first_byte_s, self._end))
        return self

    def __exit__(self, *_: object) -> None:
        """Cancel the limits."""
        self.waiting.cancel()

    def heard(self, delta: ModelDelta) -> None:
        """Take note of a delta. The first one of the model ends the first limit."""
        if not self._begun and not isinstance(delta, AttachmentLeftOut | Usage):
            self._begun = True
            self.waiting.set(self._end)

    def _late(self) -> ProviderError:
        if self._begun or self._total_s < self._first_byte_s:
            detail, key = "the exchange took longer than it may", "timeout_total"
        else:
            detail, key = f"no answer within {self._first_byte_s:g} s", ""
        return ProviderError(ErrorCode.TIMEOUT, detail, provider=self._provider, message_key=key)


class _Waiting:
    """A context manager around one wait. It cancels the wait when the current limit passes, and raises the error.

    Args:
        late: makes the error.
    """

    def __init__(self, late: Callable[[], ProviderError]) -> None:
        self._late = late
        self._task: asyncio.Task[Any] | None = None
        self._cancelling = 0
        self._passed = self._broke = False
        self._timer: asyncio.TimerHandle | None = None

    def set(self, when: float) -> None:
        """Set the limit to a time on the loop's clock."""
        self.cancel()
        self._passed = False
        self._timer = asyncio.get_running_loop().call_at(when, self._pass)

    def cancel(self) -> None:
        """Remove the limit."""
        if self._timer is not None:
            self._timer.cancel()

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

    def _pass(self) -> None:
        self._passed = True
        if self._task is not None:
            self._broke = True
            self._task.cancel()
