"""Time limits around a backend's stream (P-21): one for the first sign of life, one for the whole exchange."""

import asyncio
from collections.abc import AsyncGenerator

from assistant.core.errors import ErrorCode, ProviderError
from assistant.llm.backend import ModelDelta

FIRST_BYTE_S = 20.0
"""How long a model may stay silent at first (P-21)."""

TOTAL_S = 60.0
"""How long an exchange may take in all (P-21)."""


async def with_deadlines(
    stream: AsyncGenerator[ModelDelta, None],
    *,
    provider: str,
    first_byte_s: float = FIRST_BYTE_S,
    total_s: float = TOTAL_S,
) -> AsyncGenerator[ModelDelta, None]:
    """Pass ``stream`` on until it is late, then close it.

    Any delta counts as the first sign of life, reasoning too. Both limits count from the first request for a delta.
    Closing this generator, or cancelling the task that waits for it, closes ``stream`` at once.

    Raises:
        ProviderError: ``timeout``. What had been passed on by then stays the caller's to keep.
    """
    clock = asyncio.get_running_loop().time
    end = clock() + total_s
    limit = min(clock() + first_byte_s, end)
    begun = False
    try:
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
            begun, limit = True, end
            yield delta
    finally:
        await stream.aclose()


def _late(provider: str, begun: bool, first_byte_s: float, total_s: float) -> ProviderError:
    if begun:
        detail, key = f"the answer was not over after {total_s:g} s", "timeout_total"
    else:
        detail, key = f"no answer within {min(first_byte_s, total_s):g} s", ""
    return ProviderError(ErrorCode.TIMEOUT, detail, provider=provider, message_key=key)
