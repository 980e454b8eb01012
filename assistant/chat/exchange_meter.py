"""Counts and times what a turn asks of models: one exchange for each model that it asks (P-22)."""

from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from dataclasses import dataclass, replace

from assistant.core.clock import Clock
from assistant.core.errors import ErrorCode, SoriError
from assistant.core.settings import Provider
from assistant.core.usage import COMPLETE, Exchange
from assistant.llm.backend import (
    AttachmentLeftOut,
    Finish,
    Finished,
    ModelDelta,
    TextDelta,
    ThoughtDelta,
    Usage,
)
from assistant.llm.model_facts import KnownModel

FactsOf = Callable[[Provider, str], KnownModel]
"""What is known of a provider's model, its prices among it."""

NOTHING_TO_PAY = KnownModel(price_input=0.0, price_cached=0.0, price_output=0.0, known=True)
"""What a model that Sori runs by itself costs."""

_PER_MILLION = 1_000_000


@dataclass(slots=True, kw_only=True)
class _Exchange:
    """What one model was asked, so far."""

    provider: Provider
    model: str
    at: str
    began_s: float
    ended_s: float | None = None
    first_token_s: float | None = None
    requests: int = 0
    tool_calls: int = 0
    usage: Usage | None = None
    uncounted: bool = False
    error: str = ""


class ExchangeMeter:
    """Watches the inferences of one turn.

    Args:
        clock: tells the time.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._exchanges: list[_Exchange] = []

    @property
    def first_token_ms(self) -> float | None:
        """From the turn's first request to the first thing that a model said; ``None`` when none has said anything."""
        first = next((each.first_token_s for each in self._exchanges if each.first_token_s is not None), None)
        return None if first is None else (first - self._exchanges[0].began_s) * 1000

    async def watch(
        self, provider: Provider, model: str, deltas: AsyncGenerator[ModelDelta, None]
    ) -> AsyncGenerator[ModelDelta, None]:
        """The inference ``deltas`` unchanged; closing it closes that."""
        exchange = self._begin(provider, model)
        before = exchange.usage
        said = written = False
        finished: Finished | None = None
        try:
            async with aclosing(deltas):
                async for delta in deltas:
                    match delta:
                        case AttachmentLeftOut() | ThoughtDelta(text=""):
                            pass
                        case Usage():
                            exchange.usage = _sum(before, delta)
                        case _:
                            said = True
                            written = written or (isinstance(delta, TextDelta) and bool(delta.text.strip()))
                            if exchange.first_token_s is None:
                                exchange.first_token_s = self._clock.monotonic()
                    if isinstance(delta, Finished):
                        finished = delta
                        exchange.tool_calls += len(delta.tool_calls)
                    yield delta
            exchange.error = _fault(finished, written=written)
        except SoriError as error:
            exchange.error = error.code.value
            raise
        finally:
            exchange.uncounted = exchange.uncounted or (said and exchange.usage is before)
            exchange.ended_s = self._clock.monotonic()

    def exchanges(self, conversation: str, outcome: str, facts_of: FactsOf) -> tuple[Exchange, ...]:
        """What has been asked, oldest first.

        Args:
            conversation: id of the conversation.
            outcome: how the turn ended, and with it the last exchange; those before it ended as their last inference.
            facts_of: tells what models cost.
        """
        last = len(self._exchanges) - 1
        return tuple(
            self._record(each, conversation, outcome if number == last else each.error or COMPLETE, facts_of)
            for number, each in enumerate(self._exchanges)
        )

    def _begin(self, provider: Provider, model: str) -> _Exchange:
        """Another inference of the exchange that goes on with this model, or the first one of a new one."""
        exchange = self._exchanges[-1] if self._exchanges else None
        if exchange is None or (exchange.provider.name, exchange.model) != (provider.name, model):
            exchange = _Exchange(
                provider=provider, model=model, at=self._clock.now().isoformat(), began_s=self._clock.monotonic()
            )
            self._exchanges.append(exchange)
        exchange.requests += 1
        exchange.error, exchange.ended_s = "", None
        return exchange

    def _record(self, exchange: _Exchange, conversation: str, outcome: str, facts_of: FactsOf) -> Exchange:
        usage, began, first = exchange.usage, exchange.began_s, exchange.first_token_s
        ended = self._clock.monotonic() if exchange.ended_s is None else exchange.ended_s
        return Exchange(
            at=exchange.at,
            conversation=conversation,
            provider=exchange.provider.name,
            model=exchange.model,
            input=usage.input if usage else None,
            output=usage.output if usage else None,
            cached=usage.cached if usage else None,
            total=usage.total if usage else None,
            first_token_ms=None if first is None else (first - began) * 1000,
            total_ms=(ended - began) * 1000,
            requests=exchange.requests,
            tool_calls=exchange.tool_calls,
            outcome=outcome,
            cost=_cost(exchange, facts_of(exchange.provider, exchange.model)),
        )


def _fault(finished: Finished | None, *, written: bool) -> str:
    """The code of what is wrong with an inference that raised nothing; empty when it is a whole one."""
    if finished is None:
        return ErrorCode.INCOMPLETE.value
    if finished.reason is Finish.REFUSED:
        return ErrorCode.CONTENT_REFUSED.value
    return "" if written or finished.tool_calls else ErrorCode.EMPTY_RESPONSE.value


def _sum(before: Usage | None, more: Usage) -> Usage:
    total = more.total or more.input + more.output
    if before is None:
        return replace(more, total=total)
    return Usage(
        input=before.input + more.input,
        output=before.output + more.output,
        cached=before.cached + more.cached,
        cache_written=before.cache_written + more.cache_written,
        total=before.total + total,
    )


def _cost(exchange: _Exchange, facts: KnownModel) -> float | None:
    """US dollars; ``None`` when a price or a part of the tokens is unknown."""
    read, cached_price, written = facts.price_input, facts.price_cached, facts.price_output
    if read == written == 0:
        return 0.0
    usage = exchange.usage
    if usage is None or exchange.uncounted or read is None or written is None:
        return None
    if cached_price is None and usage.cached:
        return None
    cached = min(usage.cached, usage.input)
    kept = min(usage.cache_written, usage.input - cached) * (facts.cache_write_factor - 1)
    asked = (usage.input - cached + kept) * read + cached * (cached_price or 0.0)
    return (asked + usage.output * written) / _PER_MILLION
