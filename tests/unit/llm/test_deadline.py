import asyncio
from collections.abc import AsyncGenerator

import pytest

from assistant.core.errors import ErrorCode, ProviderError
from assistant.llm.backend import AttachmentLeftOut, Finish, Finished, ModelDelta, TextDelta, ThoughtDelta, Usage
from assistant.llm.deadline import SoftLimit
from tests.fakes.asking.replies import limited
from tests.fakes.clock import FakeClock

FOREVER = 3600.0


class Script:
    """A stream that gives its deltas and then waits for ever, and knows whether it was closed."""

    def __init__(self, *deltas: ModelDelta, ends: bool = False) -> None:
        self._deltas = deltas
        self._ends = ends
        self.closed = asyncio.Event()

    async def stream(self) -> AsyncGenerator[ModelDelta, None]:
        try:
            for delta in self._deltas:
                yield delta
            if not self._ends:
                await asyncio.get_running_loop().create_future()
        finally:
            self.closed.set()


async def test_what_comes_in_time_passes_unchanged() -> None:
    deltas = (ThoughtDelta(text="Hm."), TextDelta(text="Hi."), Finished(reason=Finish.STOP))
    script = Script(*deltas, ends=True)
    assert tuple([delta async for delta in limited(script.stream(), provider="mine")]) == deltas
    assert script.closed.is_set()


async def test_a_model_that_stays_silent_is_given_up_with_a_timeout() -> None:
    script = Script()
    stream = limited(script.stream(), provider="mine", first_byte_s=0.01, total_s=FOREVER)
    with pytest.raises(ProviderError) as raised:
        await anext(stream)
    assert raised.value.code is ErrorCode.TIMEOUT
    assert raised.value.message_key == "error.timeout"
    assert not raised.value.retryable
    assert script.closed.is_set()


async def test_after_the_first_delta_only_the_whole_exchange_is_limited() -> None:
    script = Script(ThoughtDelta(text="Hm."))
    stream = limited(script.stream(), provider="mine", first_byte_s=0.01, total_s=0.05)
    assert await anext(stream) == ThoughtDelta(text="Hm.")
    with pytest.raises(ProviderError) as raised:
        await anext(stream)
    assert raised.value.code is ErrorCode.TIMEOUT
    assert raised.value.message_key == "error.timeout_total"
    assert script.closed.is_set()


async def test_closing_it_closes_the_stream() -> None:
    script = Script(TextDelta(text="Hi."))
    stream = limited(script.stream(), provider="mine")
    await anext(stream)
    await stream.aclose()
    assert script.closed.is_set()


async def test_cancelling_the_wait_closes_the_stream() -> None:
    script = Script()
    stream = limited(script.stream(), provider="mine")
    waiting = asyncio.ensure_future(anext(stream))
    await asyncio.sleep(0)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    assert script.closed.is_set()


async def test_a_timeout_of_the_stream_itself_is_not_taken_for_ours() -> None:
    async def broken() -> AsyncGenerator[ModelDelta, None]:
        yield TextDelta(text="Hi.")
        raise TimeoutError("inside")

    stream = limited(broken(), provider="mine")
    await anext(stream)
    with pytest.raises(TimeoutError, match="inside"):
        await anext(stream)


@pytest.mark.parametrize(
    "told",
    [AttachmentLeftOut(name="a.zip", mime_type="application/zip", reason="type"), Usage(input=100, output=None)],
)
async def test_what_is_told_of_the_request_is_no_sign_of_life_of_the_model(told: ModelDelta) -> None:
    stream = limited(Script(told).stream(), provider="mine", first_byte_s=0.01, total_s=FOREVER)
    assert await anext(stream) == told
    with pytest.raises(ProviderError) as raised:
        await anext(stream)
    assert raised.value.code is ErrorCode.TIMEOUT


async def test_with_no_time_left_the_stream_is_not_even_begun() -> None:
    begun = False

    async def asked() -> AsyncGenerator[ModelDelta, None]:
        nonlocal begun
        begun = True
        yield TextDelta(text="Hi.")

    with pytest.raises(ProviderError) as raised:
        await anext(limited(asked(), provider="mine", total_s=0))
    assert raised.value.message_key == "error.timeout_total"
    assert not begun


def test_the_soft_limit_is_used_up_by_what_is_counted_and_nothing_else() -> None:
    clock = FakeClock()
    limit = SoftLimit(clock, 60)
    with limit.counting():
        clock.advance(25)
    clock.advance(1000)
    assert limit.left_s == 35
    with limit.counting():
        clock.advance(50)
    assert limit.left_s == 0


async def test_a_limit_that_passes_between_two_waits_ends_the_next() -> None:
    script = Script(ThoughtDelta(text="Hm."), TextDelta(text="late"))
    stream = limited(script.stream(), provider="mine", first_byte_s=FOREVER, total_s=0.01)
    await anext(stream)
    await asyncio.sleep(0.02)
    with pytest.raises(ProviderError) as raised:
        await anext(stream)
    assert raised.value.message_key == "error.timeout_total"
    assert script.closed.is_set()
