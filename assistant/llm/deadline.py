"""Time limits around a backend's stream (P-21): one for the first sign of life, one for the whole exchange."""

import asyncio
from collections.abc import AsyncGenerator, Iterator
from contextlib import contextmanager

from assistant.core.clock import Clock
from assistant.core.errors import ErrorCode, ProviderError
from assistant.llm.backend import AttachmentLeftOut, ModelDelta

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

    Any delta of the model's counts as the first sign of life, reasoning too. Both limits count from the first request
    for a delta; with no time left nothing is asked at all.
    Closing this generator, or cancelling the task that waits for it, closes ``stream`` at once.

    Raises:
        ProviderError: ``timeout``. What had been passed on by then stays the caller's to keep.
    """
    clock = asyncio.get_running_loop().time
    end = clock() + total_s
    limit = min(clock() + first_byte_s, end)
    begun = False
    try:
        if total_s <= 0:
            raise _late(provider, begun, first_byte_s, total_s)
        while True:
            scope = asyncio.timeout_at(limit)
            try:
                async with scope:
                    delta = await anext(stream)
            except StopAsyncIteration:
                return
            except TimeoutError as error:
                if not scope.expired():
                    raise
                raise _late(provider, begun, first_byte_s, total_s) from error
            if not isinstance(delta, AttachmentLeftOut):
                # That is told before anything is sent.
                begun, limit = True, end
            yield delta
    finally:
        await stream.aclose()


def _late(provider: str, begun: bool, first_byte_s: float, total_s: float) -> ProviderError:
    if begun or total_s < first_byte_s:
        detail, key = "the exchange took longer than it may", "timeout_total"
    else:
        detail, key = f"no answer within {first_byte_s:g} s", ""
    return ProviderError(ErrorCode.TIMEOUT, detail, provider=provider, message_key=key)
