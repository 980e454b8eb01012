import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import replace

import pytest

from assistant.agent.exchange_meter import NOTHING_TO_PAY, ExchangeMeter
from assistant.core.errors import ErrorCode, ProviderError, StorageError
from assistant.core.records.usage import Exchange
from assistant.core.settings import Provider
from assistant.llm.backend import AttachmentLeftOut, Finish, Finished, ModelDelta, TextDelta, ThoughtDelta, Usage
from assistant.llm.facts.model_facts import KnownModel
from tests.fakes.asking.replies import metered
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
    return [delta async for delta in metered(meter, provider, "m", deltas(pieces, clock))]


class Kept:
    """Takes exchanges as a store does."""

    def __init__(self) -> None:
        self.outcomes: list[str] = []
        self.broken = False
        self._exchanges: dict[str, Exchange] = {}

    @property
    def exchanges(self) -> tuple[Exchange, ...]:
        return tuple(self._exchanges.values())

    async def keep(self, exchange: Exchange) -> None:
        if self.broken:
            raise StorageError("sori.db", "full")
        self.outcomes.append(exchange.outcome)
        self._exchanges[exchange.id] = exchange


def meter_of(clock: FakeClock, facts: KnownModel = PRICED, kept: Kept | None = None) -> ExchangeMeter:
    return ExchangeMeter(clock, "c", lambda _provider, _model: facts, (kept or Kept()).keep)


def exchanges(meter: ExchangeMeter, outcome: str = "complete") -> tuple[Exchange, ...]:
    return meter.exchanges(outcome)


async def test_retries_and_tool_rounds_of_one_model_are_one_exchange() -> None:
    clock = FakeClock()
    meter, began = meter_of(clock), clock.now().isoformat()
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
    meter = meter_of(clock)
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
    meter = meter_of(clock)
    await infer(meter, clock, *pieces)
    await infer(meter, clock, *says("네."), provider=OTHER)
    assert exchanges(meter)[0].outcome == outcome


async def test_what_is_watched_passes_unchanged_and_closes_when_it_is_left() -> None:
    clock = FakeClock()
    pieces = says("한 두 셋")
    assert await infer(meter_of(clock), clock, *pieces) == pieces
    inner = deltas(pieces, clock)
    async with aclosing(metered(meter_of(clock), MINE, "m", inner)) as watched:
        await anext(watched)
    with pytest.raises(StopAsyncIteration):
        await anext(inner)


async def test_what_says_nothing_is_not_the_first_token() -> None:
    clock = FakeClock()
    meter = meter_of(clock)
    left_out = AttachmentLeftOut(name="a.tiff", mime_type="image/tiff", reason="type")
    await infer(meter, clock, left_out, ThoughtDelta(text=""), 0.5, *says("네."))
    assert meter.first_token_ms == 500.0


async def test_an_inference_that_still_hangs_counts_until_now() -> None:
    clock = FakeClock()
    meter = meter_of(clock)
    watched = metered(meter, MINE, "m", deltas(says("네 네"), clock))
    await anext(watched)
    clock.advance(2)
    assert exchanges(meter, "cancelled")[0].total_ms == 2000.0
    await watched.aclose()


async def test_the_cost_counts_cached_tokens_apart() -> None:
    clock = FakeClock()
    meter = meter_of(clock)
    usage = Usage(input=1_000_000, cached=400_000, output=100_000)
    await infer(meter, clock, TextDelta(text="a"), usage, Finished(reason=Finish.STOP))
    assert exchanges(meter)[0].cost == pytest.approx(0.6 * 2 + 0.4 * 0.5 + 0.1 * 8)


async def test_tokens_that_go_into_the_servers_cache_cost_more() -> None:
    clock = FakeClock()
    meter = meter_of(clock, replace(PRICED, cache_write_factor=1.25))
    usage = Usage(input=1_000_000, cached=400_000, cache_written=200_000, output=0)
    for _ in range(2):
        await infer(meter, clock, TextDelta(text="a"), usage, Finished(reason=Finish.STOP))
    assert exchanges(meter)[0].cost == pytest.approx(2 * (0.4 * 2 + 0.2 * 2 * 1.25 + 0.4 * 0.5))


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
    meter = meter_of(clock, facts)
    await infer(meter, clock, TextDelta(text="a"), Usage(input=9, cached=5, output=1), Finished(reason=Finish.STOP))
    assert exchanges(meter)[0].cost is None


async def test_without_cached_tokens_their_price_is_not_needed() -> None:
    clock = FakeClock()
    meter = meter_of(clock, KnownModel(price_input=1.0, price_output=1.0))
    await infer(meter, clock, *says("a"))
    assert exchanges(meter)[0].cost == pytest.approx(11e-6)


@pytest.mark.parametrize(("facts", "cost"), [(PRICED, 28e-6), (NOTHING_TO_PAY, 0.0)])
async def test_a_reply_that_nobody_counted_makes_tokens_and_cost_the_least_that_it_can_be(
    facts: KnownModel, cost: float
) -> None:
    clock = FakeClock()
    meter = meter_of(clock, facts)
    await infer(meter, clock, *says("a"))
    await infer(meter, clock, TextDelta(text="cut"), Finished(reason=Finish.STOP))
    (exchange,) = exchanges(meter)
    assert (exchange.total, exchange.partial) == (11, True)
    assert exchange.cost == pytest.approx(cost)


async def test_what_a_server_tells_later_stands_in_place_of_what_it_told_before() -> None:
    clock = FakeClock()
    meter = meter_of(clock)
    told = [Usage(input=100, output=None), Usage(input=100, output=3), Usage(input=100, cached=50, output=8)]
    await infer(meter, clock, told[0], TextDelta(text="a"), *told[1:], Finished(reason=Finish.STOP))
    await infer(meter, clock, told[0], TextDelta(text="a"), *told[1:], Finished(reason=Finish.STOP))
    (exchange,) = exchanges(meter)
    assert (exchange.input, exchange.cached, exchange.output, exchange.total) == (200, 100, 16, 216)
    assert not exchange.partial
    assert meter.usage == {"input": 200, "cached": 100, "cache_written": 0, "output": 16, "total": 216}


async def test_of_a_reply_that_breaks_off_what_had_been_told_is_kept_as_the_least() -> None:
    clock = FakeClock()
    meter = meter_of(clock)
    with pytest.raises(ProviderError):
        await infer(meter, clock, Usage(input=1000, output=None), TextDelta(text="a"), *fails(ErrorCode.NETWORK))
    (exchange,) = exchanges(meter, "network")
    assert (exchange.input, exchange.output, exchange.total) == (1000, None, 1000)
    assert exchange.partial
    assert exchange.cost == pytest.approx(0.002)
    assert meter.usage == {"input": 1000, "cached": 0, "cache_written": 0, "total": 1000}


async def test_of_a_reply_that_is_left_what_had_been_told_is_kept_as_the_least() -> None:
    clock = FakeClock()
    meter = meter_of(clock)
    running: list[Piece] = [TextDelta(text="a"), Usage(input=1000, output=10), TextDelta(text="b")]
    async with aclosing(metered(meter, MINE, "m", deltas([*running, Finished(reason=Finish.STOP)], clock))) as watched:
        for _ in running:
            await anext(watched)
    (exchange,) = exchanges(meter, "cancelled")
    assert (exchange.input, exchange.output, exchange.partial) == (1000, 10, True)


async def test_a_count_of_the_input_alone_is_no_whole_one() -> None:
    clock = FakeClock()
    meter = meter_of(clock)
    await infer(meter, clock, Usage(input=9, output=None), TextDelta(text="a"), Finished(reason=Finish.STOP))
    assert exchanges(meter)[0].partial


@pytest.mark.parametrize(
    ("error", "partial"),
    [
        (ProviderError(ErrorCode.OVERLOADED, "no", provider="mine", status=503), False),
        (ProviderError(ErrorCode.TIMEOUT, "no", provider="mine", status=408), False),
        (ProviderError(ErrorCode.TIMEOUT, "no answer", provider="mine"), True),
    ],
)
async def test_a_refusal_uses_nothing_and_a_wait_in_vain_may_have(error: ProviderError, partial: bool) -> None:
    clock = FakeClock()
    meter = meter_of(clock)
    await infer(meter, clock, *says("a"))
    with pytest.raises(ProviderError):
        await infer(meter, clock, error)
    assert exchanges(meter, error.code.value)[0].partial is partial


# Kept from the beginning


async def test_an_exchange_is_kept_before_anything_is_sent() -> None:
    clock, kept = FakeClock(), Kept()
    meter = meter_of(clock, kept=kept)
    seen: list[tuple[Exchange, ...]] = []

    async def looking() -> AsyncGenerator[ModelDelta, None]:
        seen.append(kept.exchanges)
        yield TextDelta(text="a")

    async with aclosing(metered(meter, MINE, "m", looking())) as watched:
        await anext(watched)
    ((begun,),) = seen
    assert (begun.conversation, begun.provider, begun.model, begun.requests) == ("c", "mine", "m", 1)
    assert (begun.outcome, begun.input, begun.output, begun.cost) == ("interrupted", None, None, None)


async def test_what_earlier_rounds_used_is_kept_when_the_next_begins() -> None:
    clock, kept = FakeClock(), Kept()
    meter = meter_of(clock, kept=kept)
    await infer(meter, clock, *calls(("now", {})), Usage(input=100, output=5))
    async with aclosing(metered(meter, MINE, "m", deltas(says("네."), clock))) as watched:
        await anext(watched)
        (exchange,) = kept.exchanges
    assert (exchange.outcome, exchange.requests, exchange.tool_calls) == ("interrupted", 2, 1)
    assert (exchange.total, exchange.partial) == (105, True)


async def test_what_a_server_has_counted_is_kept_while_it_still_answers() -> None:
    clock, kept = FakeClock(), Kept()
    meter = meter_of(clock, kept=kept)
    pieces: list[Piece] = [Usage(input=1000, output=None), TextDelta(text="a"), Usage(input=1000, output=2)]
    async with aclosing(metered(meter, MINE, "m", deltas([*pieces, TextDelta(text="b")], clock))) as watched:
        for _ in range(4):
            await anext(watched)
        (exchange,) = kept.exchanges
        assert kept.outcomes == ["interrupted"] * 2
    assert (exchange.input, exchange.output, exchange.partial) == (1000, None, True)
    assert exchange.cost == pytest.approx(0.002)


async def test_a_count_at_the_end_of_an_answer_is_written_with_its_outcome_only() -> None:
    clock, kept = FakeClock(), Kept()
    meter = meter_of(clock, kept=kept)
    await infer(meter, clock, *says("네."), Usage(input=100, output=5))
    await meter.finish("complete")
    assert kept.outcomes == ["interrupted", "complete"]
    assert [exchange.total for exchange in kept.exchanges] == [105]


async def test_a_model_that_another_one_stands_in_for_is_over_when_that_one_is_asked() -> None:
    clock, kept = FakeClock(), Kept()
    meter = meter_of(clock, kept=kept)
    with pytest.raises(ProviderError):
        await infer(meter, clock, *fails(ErrorCode.QUOTA))
    await infer(meter, clock, *says("네."), provider=OTHER)
    assert [(each.provider, each.outcome) for each in kept.exchanges] == [("mine", "quota"), ("other", "interrupted")]
    await meter.finish("complete")
    assert [(each.provider, each.outcome) for each in kept.exchanges] == [("mine", "quota"), ("other", "complete")]


async def test_an_inference_that_outlives_its_turn_does_not_undo_how_it_ended() -> None:
    clock, kept = FakeClock(), Kept()
    meter = meter_of(clock, kept=kept)
    await infer(meter, clock, *says("네."))
    await meter.finish("cancelled")
    await infer(meter, clock, *says("네."))
    assert kept.outcomes[-1] == "cancelled"


async def test_what_cannot_be_kept_keeps_nobody_from_answering(caplog: pytest.LogCaptureFixture) -> None:
    clock, kept = FakeClock(), Kept()
    meter = meter_of(clock, kept=kept)
    kept.broken = True
    assert await infer(meter, clock, *says("네.")) == says("네.")
    await meter.finish("complete")
    assert "could not be kept" in caplog.text
