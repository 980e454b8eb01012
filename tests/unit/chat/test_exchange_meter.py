import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import replace

import pytest

from assistant.chat.exchange_meter import NOTHING_TO_PAY, ExchangeMeter
from assistant.core.errors import ErrorCode, ProviderError
from assistant.core.settings import Provider
from assistant.core.usage import Exchange
from assistant.llm.backend import AttachmentLeftOut, Finish, Finished, ModelDelta, TextDelta, ThoughtDelta, Usage
from assistant.llm.model_facts import KnownModel
from tests.fakes.backend import Piece, calls, fails, says
from tests.fakes.clock import FakeClock

MINE, OTHER = Provider(name="mine", kind="openai"), Provider(name="other", kind="anthropic")
PRICED = KnownModel(price_input=2.0, price_cached=0.5, price_output=8.0)


async def deltas(pieces: Sequence[Piece | float], clock: FakeClock) -> AsyncGenerator[ModelDelta, None]:
    """Pieces of a reply; a number is seconds that go by."""
    for piece in pieces:
        if isinstance(piece, Exception):
            raise piece
        if isinstance(piece, float):
            clock.advance(piece)
        elif not isinstance(piece, asyncio.Event):
            yield piece


async def infer(
    meter: ExchangeMeter, clock: FakeClock, *pieces: Piece | float, provider: Provider = MINE
) -> list[ModelDelta]:
    return [delta async for delta in meter.watch(provider, "m", deltas(pieces, clock))]


def exchanges(meter: ExchangeMeter, outcome: str = "complete", facts: KnownModel = PRICED) -> tuple[Exchange, ...]:
    return meter.exchanges("c", outcome, lambda _provider, _model: facts)


async def test_retries_and_tool_rounds_of_one_model_are_one_exchange() -> None:
    clock = FakeClock()
    meter, began = ExchangeMeter(clock), clock.now().isoformat()
    with pytest.raises(ProviderError):
        await infer(meter, clock, 0.5, *fails(ErrorCode.OVERLOADED))
    clock.advance(0.25)
    await infer(meter, clock, 0.25, *calls(("now", {}), ("add", {})), Usage(input=100, output=5, cached=40))
    await infer(
        meter, clock, 1.0, TextDelta(text="3시"), 1.0, Usage(input=150, output=10), Finished(reason=Finish.STOP)
    )
    (exchange,) = exchanges(meter)
    assert (exchange.conversation, exchange.provider, exchange.model) == ("c", "mine", "m")
    assert (exchange.requests, exchange.tool_calls, exchange.outcome) == (3, 2, "complete")
    assert (exchange.input, exchange.cached, exchange.output, exchange.total) == (250, 40, 15, 265)
    assert (exchange.first_token_ms, exchange.total_ms, exchange.at) == (1000.0, 3000.0, began)
    assert meter.first_token_ms == 1000.0


async def test_every_model_that_was_tried_has_an_exchange_with_its_own_outcome() -> None:
    clock = FakeClock()
    meter = ExchangeMeter(clock)
    with pytest.raises(ProviderError):
        await infer(meter, clock, 1.0, *fails(ErrorCode.QUOTA))
    await infer(meter, clock, 0.5, *says("네."), provider=OTHER)
    first, second = exchanges(meter)
    assert (first.provider, first.outcome, first.first_token_ms) == ("mine", "quota", None)
    assert (second.provider, second.outcome, second.first_token_ms) == ("other", "complete", 500.0)
    assert meter.first_token_ms == 1500.0


@pytest.mark.parametrize(
    ("pieces", "outcome"),
    [
        ([TextDelta(text="half")], "incomplete"),
        ([Finished(reason=Finish.REFUSED)], "content_refused"),
        ([TextDelta(text=" "), Finished(reason=Finish.STOP)], "empty_response"),
        (calls(("now", {})), "complete"),
    ],
)
async def test_a_model_that_another_one_stood_in_for_is_judged_by_what_it_said(
    pieces: list[Piece], outcome: str
) -> None:
    clock = FakeClock()
    meter = ExchangeMeter(clock)
    await infer(meter, clock, *pieces)
    await infer(meter, clock, *says("네."), provider=OTHER)
    assert exchanges(meter)[0].outcome == outcome


async def test_what_is_watched_passes_unchanged_and_closes_when_it_is_left() -> None:
    clock = FakeClock()
    pieces = says("한 두 셋")
    assert await infer(ExchangeMeter(clock), clock, *pieces) == pieces
    inner = deltas(pieces, clock)
    async with aclosing(ExchangeMeter(clock).watch(MINE, "m", inner)) as watched:
        await anext(watched)
    with pytest.raises(StopAsyncIteration):
        await anext(inner)


async def test_what_says_nothing_is_not_the_first_token() -> None:
    clock = FakeClock()
    meter = ExchangeMeter(clock)
    left_out = AttachmentLeftOut(name="a.tiff", mime_type="image/tiff", reason="type")
    await infer(meter, clock, left_out, ThoughtDelta(text=""), 0.5, *says("네."))
    assert meter.first_token_ms == 500.0


async def test_an_inference_that_still_hangs_counts_until_now() -> None:
    clock = FakeClock()
    meter = ExchangeMeter(clock)
    watched = meter.watch(MINE, "m", deltas(says("네 네"), clock))
    await anext(watched)
    clock.advance(2)
    assert exchanges(meter, "cancelled")[0].total_ms == 2000.0
    await watched.aclose()


async def test_the_cost_counts_cached_tokens_apart() -> None:
    clock = FakeClock()
    meter = ExchangeMeter(clock)
    usage = Usage(input=1_000_000, cached=400_000, output=100_000)
    await infer(meter, clock, TextDelta(text="a"), usage, Finished(reason=Finish.STOP))
    assert exchanges(meter)[0].cost == pytest.approx(0.6 * 2 + 0.4 * 0.5 + 0.1 * 8)


async def test_tokens_that_go_into_the_servers_cache_cost_more() -> None:
    clock = FakeClock()
    meter = ExchangeMeter(clock)
    usage = Usage(input=1_000_000, cached=400_000, cache_written=200_000, output=0)
    for _ in range(2):
        await infer(meter, clock, TextDelta(text="a"), usage, Finished(reason=Finish.STOP))
    facts = replace(PRICED, cache_write_factor=1.25)
    assert exchanges(meter, facts=facts)[0].cost == pytest.approx(2 * (0.4 * 2 + 0.2 * 2 * 1.25 + 0.4 * 0.5))


@pytest.mark.parametrize(
    "facts",
    [
        KnownModel(),
        KnownModel(price_input=2.0, price_cached=0.5),
        KnownModel(price_cached=0.5, price_output=8.0),
        KnownModel(price_input=2.0, price_output=8.0),
    ],
)
async def test_without_every_price_that_is_needed_the_cost_is_unknown(facts: KnownModel) -> None:
    clock = FakeClock()
    meter = ExchangeMeter(clock)
    await infer(meter, clock, TextDelta(text="a"), Usage(input=9, cached=5, output=1), Finished(reason=Finish.STOP))
    assert exchanges(meter, facts=facts)[0].cost is None


async def test_without_cached_tokens_their_price_is_not_needed() -> None:
    clock = FakeClock()
    meter = ExchangeMeter(clock)
    await infer(meter, clock, *says("a"))
    assert exchanges(meter, facts=KnownModel(price_input=1.0, price_output=1.0))[0].cost == pytest.approx(11e-6)


async def test_tokens_that_nobody_counted_make_the_cost_unknown_unless_nothing_is_to_be_paid() -> None:
    clock = FakeClock()
    meter = ExchangeMeter(clock)
    await infer(meter, clock, *says("a"))
    await infer(meter, clock, TextDelta(text="cut"), Finished(reason=Finish.STOP))
    assert exchanges(meter)[0].cost is None
    assert exchanges(meter, facts=NOTHING_TO_PAY)[0].cost == 0
