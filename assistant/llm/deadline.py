"""Time limits around a backend's stream (P-21): one for the first sign of life, one for the whole exchange."""

import asyncio
from collections.abc import AsyncGenerator, Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import Any

from assistant.core.clock import Clock
from assistant.core.errors import ErrorCode, ProviderError
from assistant.llm.backend import AttachmentLeftOut, ModelDelta, Usage

FIRST_BYTE_S = 20.0
"""How long a model may stay silent at first (P-21)."""

TOTAL_S = 60.0
"""How long an exchange may take in all (P-21)."""


class SoftLimit:
    """What is left of the time that models may take for one exchange, over all its inferences and retries.

    Only what stands inside ``counting`` uses it up: the model's time and Sori's own pauses between tries. Tools have
    limits of their own, a person who is asked to confirm may think, and a wait that a server asks for is announced
    and can be stopped; none of these shall leave the model without time to answer.

    Args:
        clock: measures.
        total_s: the whole, in seconds.
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
        """The time spent inside is used up."""
        begun = self._clock.monotonic()
        try:
            yield
        finally:
            self._used_s += self._clock.monotonic() - begun


async def with_deadlines(
    stream: AsyncGenerator[ModelDelta, None],
    *,
    provider: str,
    first_byte_s: float = FIRST_BYTE_S,
    total_s: float = TOTAL_S,
) -> AsyncGenerator[ModelDelta, None]:
    """Pass ``stream`` on until it is late, then close it.

    Any delta of the model's counts as the first sign of life, reasoning too, even one that says nothing; what its
    server has counted of the request does not. Both limits count from the first request for a delta; with no time left
    nothing is asked at all.
    Closing this generator, or cancelling the task that waits for it, closes ``stream`` at once.

    Raises:
        ProviderError: ``timeout``. What had been passed on by then stays the caller's to keep.
    """
    loop = asyncio.get_running_loop()
    end = loop.time() + total_s
    alarm = _Alarm(loop, min(loop.time() + first_byte_s, end))
    begun = False
    try:
        if total_s <= 0:
            raise _late(provider, begun, first_byte_s, total_s)
        while True:
            try:
                with alarm:
                    delta = await anext(stream)
            except StopAsyncIteration:
                return
            except _RungError as error:
                raise _late(provider, begun, first_byte_s, total_s) from error.__cause__
            if not begun and not isinstance(delta, AttachmentLeftOut | Usage):
                begun = True
                alarm.set(end)
            yield delta
    finally:
        alarm.close()
        await stream.aclose()


class _RungError(Exception):
    """The time has come."""


class _Alarm:
    """Ends a wait at a point of time. ``asyncio.timeout`` around every token would cost as much as reading it.

    Args:
        loop: the running loop.
        when: in its time.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop, when: float) -> None:
        self._loop = loop
        self._waiting: asyncio.Task[Any] | None = None
        self._cancelling = 0
        self._rung = self._broke = False
        self._handle = loop.call_at(when, self._ring)

    def set(self, when: float) -> None:
        """Ring then instead."""
        self._handle.cancel()
        self._rung = False
        self._handle = self._loop.call_at(when, self._ring)

    def close(self) -> None:
        """Never ring."""
        self._handle.cancel()

    def __enter__(self) -> None:
        """What is awaited inside is cancelled when it rings, and not begun when it has."""
        if self._rung:
            raise _RungError
        self._waiting = asyncio.current_task()
        self._cancelling = self._waiting.cancelling() if self._waiting is not None else 0

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Raises ``_RungError`` in place of the cancellation that was its own; another one stays what it is."""
        waiting, self._waiting = self._waiting, None
        if self._broke and waiting is not None:
            self._broke = False
            if waiting.uncancel() <= self._cancelling and kind is asyncio.CancelledError:
                raise _RungError from error

    def _ring(self) -> None:
        self._rung = True
        if self._waiting is not None:
            self._broke = True
            self._waiting.cancel()


def _late(provider: str, begun: bool, first_byte_s: float, total_s: float) -> ProviderError:
    if begun or total_s < first_byte_s:
        detail, key = "the exchange took longer than it may", "timeout_total"
    else:
        detail, key = f"no answer within {first_byte_s:g} s", ""
    return ProviderError(ErrorCode.TIMEOUT, detail, provider=provider, message_key=key)
