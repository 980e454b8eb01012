"""Time limits for a backend's stream (P-21): one for the first byte, one for the whole exchange."""

import asyncio
from collections.abc import AsyncGenerator, Iterator
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


async def with_deadlines(
    stream: AsyncGenerator[ModelDelta, None],
    *,
    provider: str,
    first_byte_s: float = FIRST_BYTE_S,
    total_s: float = TOTAL_S,
) -> AsyncGenerator[ModelDelta, None]:
    """Pass ``stream`` on until a limit has passed, then close it.

    Any delta from the model counts as the first byte, even an empty one or reasoning. The server's count of input
    tokens does not. Both limits start at the first request for a delta. Without time left, no request is made. Closing
    this generator, or cancelling the task that waits for it, closes ``stream`` at once.

    Raises:
        ProviderError: ``timeout``. Deltas that were passed on before stay valid.
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
    """The limit of an ``_Alarm`` has passed."""


class _Alarm:
    """Ends a wait at a given time. ``asyncio.timeout`` around every token would cost as much as reading the token.

    Args:
        loop: the running loop.
        when: the time to ring, on the loop's clock.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop, when: float) -> None:
        self._loop = loop
        self._waiting: asyncio.Task[Any] | None = None
        self._cancelling = 0
        self._rung = self._broke = False
        self._handle = loop.call_at(when, self._ring)

    def set(self, when: float) -> None:
        """Move the alarm to another time."""
        self._handle.cancel()
        self._rung = False
        self._handle = self._loop.call_at(when, self._ring)

    def close(self) -> None:
        """Cancel the alarm."""
        self._handle.cancel()

    def __enter__(self) -> None:
        """Cancel the awaited call when the alarm rings. Raises ``_RungError`` if it has rung already."""
        if self._rung:
            raise _RungError
        self._waiting = asyncio.current_task()
        self._cancelling = self._waiting.cancelling() if self._waiting is not None else 0

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Raise ``_RungError`` in place of the alarm's own cancellation. Any other cancellation stays as it is."""
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
