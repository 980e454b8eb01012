"""What is known of the tokens of a reply that does not end well: as much as its server had told, whoever that is.

Anthropic tells what it read when a reply begins, Google counts with every chunk, and so do some servers of OpenAI's
format; OpenAI itself counts after the last word.
"""

import asyncio
from contextlib import aclosing
from dataclasses import replace

import pytest

from assistant.agent.exchange_meter import ExchangeMeter
from assistant.core.errors import ProviderError
from assistant.core.records.usage import Exchange
from assistant.llm.backend import TextDelta
from assistant.llm.facts.model_facts import KnownModel
from tests.fakes.asking.replies import metered
from tests.fakes.backend_bench import REQUEST, Bench, Open
from tests.fakes.clock import FakeClock
from tests.fakes.model_server.server import Fault, Reply, refusal

PRICED = KnownModel(price_input=2.0, price_cached=0.5, price_output=8.0)
SHOWN = 3
"""Tokens of the reply that come before it breaks."""
TOLD = Reply(text="One two three four five six.", running_usage=True, fault_after=SHOWN)
FAULTS = [Fault.RESET, Fault.CUT, Fault.NO_FINISH, Fault.GARBAGE, Fault.INVALID_UTF8, Fault.ERROR_EVENT]


class Metered:
    """Asks a provider, and keeps what that has used."""

    def __init__(self, bench: Bench) -> None:
        self._bench = bench
        self._kept: dict[str, Exchange] = {}
        self._meter = ExchangeMeter(FakeClock(), "c", lambda _provider, _model: PRICED, self._keep)
        self.shown = asyncio.Event()

    async def _keep(self, exchange: Exchange) -> None:
        self._kept[exchange.id] = exchange

    async def ask(self) -> None:
        tokens = 0
        async with aclosing(metered(self._meter, self._bench.provider, REQUEST.model, self._bench.stream())) as stream:
            async for delta in stream:
                tokens += isinstance(delta, TextDelta)
                if tokens == SHOWN:
                    self.shown.set()

    async def exchange(self, outcome: str) -> Exchange:
        await self._meter.finish(outcome)
        (exchange,) = self._kept.values()
        return exchange


async def whole_of(bench: Bench) -> Exchange:
    metered = Metered(bench)
    await metered.ask()
    return await metered.exchange("complete")


def assert_counted_in_part(exchange: Exchange, whole: Exchange, kind: str) -> None:
    assert not whole.partial
    assert exchange.partial
    assert (exchange.input, exchange.cached) == (whole.input, whole.cached)
    assert whole.output is not None
    # Anthropic counts what it writes when it has written it.
    assert (exchange.output is None) == (kind == "anthropic")
    assert exchange.output is None or 0 < exchange.output < whole.output
    assert exchange.cost is not None
    assert whole.cost is not None
    assert 0 < exchange.cost < whole.cost


@pytest.mark.parametrize("fault", FAULTS)
async def test_of_a_reply_that_breaks_off_what_its_server_had_told_is_kept(opened: Open, fault: Fault) -> None:
    async with opened(TOLD, replace(TOLD, fault=fault)) as bench:
        whole = await whole_of(bench)
        metered = Metered(bench)
        with pytest.raises(ProviderError) as raised:
            await metered.ask()
        exchange = await metered.exchange(raised.value.code.value)
    assert_counted_in_part(exchange, whole, bench.provider.kind)


async def test_of_a_reply_that_is_cancelled_what_its_server_had_told_is_kept(opened: Open) -> None:
    async with opened(TOLD, replace(TOLD, fault=Fault.STALL)) as bench:
        whole = await whole_of(bench)
        metered = Metered(bench)
        asking = asyncio.create_task(metered.ask())
        await metered.shown.wait()
        asking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asking
        exchange = await metered.exchange("cancelled")
    assert_counted_in_part(exchange, whole, bench.provider.kind)


async def test_what_no_server_has_told_stays_unknown(opened: Open) -> None:
    async with opened(replace(TOLD, usage=False, running_usage=False, fault=Fault.CUT)) as bench:
        metered = Metered(bench)
        with pytest.raises(ProviderError):
            await metered.ask()
        exchange = await metered.exchange("incomplete")
    assert exchange.uncounted
    assert exchange.cost is None


async def test_a_request_that_is_refused_has_used_nothing(opened: Open) -> None:
    async with opened(TOLD, refusal(500, "no")) as bench:
        metered = Metered(bench)
        await metered.ask()
        with pytest.raises(ProviderError):
            await metered.ask()
        exchange = await metered.exchange("overloaded")
    assert (exchange.requests, exchange.partial) == (2, False)
