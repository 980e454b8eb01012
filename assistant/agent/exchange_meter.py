"""Counts and times a turn's requests to models: one exchange for each model that is asked (P-22).

An exchange is stored before its first request is sent, with the outcome ``interrupted``. It is stored again when
another inference begins, when an answer goes on after a server has first reported tokens, and at the end with its
outcome. So no request that costs money is missing after a crash.
"""

import logging
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import asdict, dataclass, replace
from types import TracebackType

from assistant.core.clock import Clock
from assistant.core.errors import ErrorCode, ProviderError, SoriError, StorageError
from assistant.core.records.usage import COMPLETE, INTERRUPTED, Exchange, sum_of_known
from assistant.core.settings import Provider
from assistant.llm.backend import (
    AttachmentLeftOut,
    Finish,
    Finished,
    ModelDelta,
    TextDelta,
    ThoughtDelta,
    Usage,
)
from assistant.llm.facts.model_facts import KnownModel
from assistant.storage.identities import new_id

FactsOf = Callable[[Provider, str], KnownModel]
"""Returns the known facts of a model, including its prices."""

NOTHING_TO_PAY = KnownModel(price_input=0.0, price_cached=0.0, price_output=0.0, known=True)
"""The facts of a model that Sori runs itself."""

_PER_MILLION = 1_000_000

log = logging.getLogger(__name__)


@dataclass(slots=True, kw_only=True)
class _Exchange:
    """The requests to one model so far. ``partial`` as in ``Exchange``; ``over`` when the model is not asked again."""

    id: str
    provider: Provider
    model: str
    at: str
    began_s: float
    ended_s: float | None = None
    first_token_s: float | None = None
    requests: int = 0
    tool_calls: int = 0
    usage: Usage | None = None
    partial: bool = False
    error: str = ""
    over: bool = False


class ExchangeMeter:
    """Counts the inferences of one turn.

    Args:
        clock: tells the time.
        conversation: the id of the conversation.
        facts_of: returns the prices of models.
        keep: stores an exchange in place of its earlier state.
    """

    def __init__(
        self, clock: Clock, conversation: str, facts_of: FactsOf, keep: Callable[[Exchange], Awaitable[object]]
    ) -> None:
        self._clock = clock
        self._conversation = conversation
        self._facts_of = facts_of
        self._keep = keep
        self._exchanges: list[_Exchange] = []
        self._over = False

    @property
    def first_token_ms(self) -> float | None:
        """Milliseconds from the turn's first request to the first delta of a model; ``None`` without one."""
        first = next((each.first_token_s for each in self._exchanges if each.first_token_s is not None), None)
        return None if first is None else (first - self._exchanges[0].began_s) * 1000

    @property
    def usage(self) -> dict[str, int]:
        """The known tokens of all inferences, by the names of ``Usage``; empty if none are known."""
        whole: Usage | None = None
        for each in self._exchanges:
            whole = whole if each.usage is None else _sum(whole, each.usage)
        return {} if whole is None else {name: count for name, count in asdict(whole).items() if count is not None}

    def inference(self, provider: Provider, model: str) -> "InferenceMeter":
        """Count one inference.

        Args:
            provider: the provider that is asked.
            model: the model that is asked.
        """
        return InferenceMeter(self._begin(provider, model), self._clock, self._keep_running)

    def give_up(self, code: str) -> None:
        """Close the exchange of the model that was asked last, with this error code.

        A model that could not be asked has no exchange. Then the last exchange is closed already.
        """
        if self._exchanges and not self._exchanges[-1].over:
            self._exchanges[-1].error, self._exchanges[-1].over = code, True

    async def finish(self, outcome: str) -> None:
        """Store the final state. A failure is only logged, because the answer itself is saved.

        Args:
            outcome: how the turn ended. It is the outcome of the last exchange too, unless that is closed already.
                Earlier exchanges have the outcome of their last inference.
        """
        await self.keep(self.closed(outcome))

    def closed(self, outcome: str) -> tuple[Exchange, ...]:
        """The final state, for a caller that stores it. The meter stores nothing from now on.

        Args:
            outcome: as for ``finish``.
        """
        exchanges = () if self._over else self.exchanges(outcome)
        self._over = True
        return exchanges

    async def _keep_running(self) -> None:
        """Store all exchanges. After the end of the turn, ignore a cancelled inference that is still running."""
        if not self._over:
            await self.keep(self.exchanges(INTERRUPTED))

    async def keep(self, exchanges: Iterable[Exchange]) -> None:
        """Store exchanges. A failure is only logged."""
        try:
            for each in exchanges:
                await self._keep(each)
        except StorageError as error:
            log.warning("what the models used could not be kept: %s", error)

    def exchanges(self, outcome: str) -> tuple[Exchange, ...]:
        """All exchanges, oldest first, with this outcome of the last one."""
        last = len(self._exchanges) - 1
        return tuple(
            self._record(each, outcome if number == last and not each.over else each.error or COMPLETE)
            for number, each in enumerate(self._exchanges)
        )

    def _begin(self, provider: Provider, model: str) -> _Exchange:
        """Begin an inference, in the running exchange with this model or in a new one."""
        exchange = self._exchanges[-1] if self._exchanges else None
        if exchange is None or exchange.over or (exchange.provider.name, exchange.model) != (provider.name, model):
            exchange = _Exchange(
                id=new_id(),
                provider=provider,
                model=model,
                at=self._clock.now().isoformat(),
                began_s=self._clock.monotonic(),
            )
            self._exchanges.append(exchange)
        exchange.requests += 1
        exchange.error, exchange.ended_s = "", None
        return exchange

    def _record(self, exchange: _Exchange, outcome: str) -> Exchange:
        usage, began, first = exchange.usage, exchange.began_s, exchange.first_token_s
        ended = self._clock.monotonic() if exchange.ended_s is None else exchange.ended_s
        return Exchange(
            id=exchange.id,
            at=exchange.at,
            conversation=self._conversation,
            provider=exchange.provider.name,
            model=exchange.model,
            input=usage.input if usage else None,
            output=usage.output if usage else None,
            cached=usage.cached if usage else None,
            total=usage.total if usage else None,
            partial=exchange.partial or outcome == INTERRUPTED,
            first_token_ms=None if first is None else (first - began) * 1000,
            total_ms=(ended - began) * 1000,
            requests=exchange.requests,
            tool_calls=exchange.tool_calls,
            outcome=outcome,
            cost=_cost(exchange.usage, self._facts_of(exchange.provider, exchange.model)),
        )


class InferenceMeter:
    """Counts and times one inference. A context manager around it, which keeps its exchange before the block begins.

    Args:
        exchange: the exchange of the inference.
        clock: tells the time.
        keep: writes the exchange down.
    """

    def __init__(self, exchange: _Exchange, clock: Clock, keep: Callable[[], Awaitable[None]]) -> None:
        self._exchange = exchange
        self._clock = clock
        self._keep = keep
        self._before = exchange.usage
        self._said = self._written = self._refused = False
        self._counted: Usage | None = None
        self._unkept = False
        self._finished: Finished | None = None

    async def __aenter__(self) -> "InferenceMeter":
        """Write the exchange down."""
        try:
            await self._keep()
        except BaseException:
            self._close()
            raise
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Take note of how the inference ended."""
        if isinstance(error, SoriError):
            self._exchange.error = error.code.value
            self._refused = not _is_own_timeout(error)
        self._close()

    async def heard(self, delta: ModelDelta) -> None:
        """Count a delta. The first count of the server is written down, unless the answer ends with it."""
        exchange = self._exchange
        match delta:
            case AttachmentLeftOut() | ThoughtDelta(text=""):
                return
            case Usage():
                if self._counted is None:
                    exchange.usage, self._unkept = _sum(self._before, delta), True
                self._counted = delta
                return
            case TextDelta(text=text):
                self._written = self._written or bool(text.strip())
            case Finished():
                self._finished = delta
                exchange.tool_calls += len(delta.tool_calls)
            case _:
                pass
        if self._unkept and not isinstance(delta, Finished):
            # The input is most of what a killed answer costs.
            self._unkept = False
            await self._keep()
        self._said = True
        if exchange.first_token_s is None:
            exchange.first_token_s = self._clock.monotonic()

    def ended(self) -> None:
        """Take note that the stream of deltas has ended."""
        self._exchange.error = _fault(self._finished, written=self._written)

    def _close(self) -> None:
        exchange = self._exchange
        if self._counted is not None:
            exchange.usage = _sum(self._before, self._counted)
        whole = self._finished is not None and self._counted is not None and self._counted.output is not None
        # A request that was refused before anything of the answer has used nothing.
        used = self._said or self._counted is not None or not self._refused
        exchange.partial = exchange.partial or (used and not whole)
        exchange.ended_s = self._clock.monotonic()


def _fault(finished: Finished | None, *, written: bool) -> str:
    """The error code of an inference that raised nothing; empty if the reply is complete."""
    if finished is None:
        return ErrorCode.INCOMPLETE.value
    if finished.reason is Finish.REFUSED:
        return ErrorCode.CONTENT_REFUSED.value
    return "" if written or finished.tool_calls else ErrorCode.EMPTY_RESPONSE.value


def _sum(before: Usage | None, more: Usage) -> Usage:
    total = more.total or more.input + (more.output or 0)
    if before is None:
        return replace(more, total=total)
    return Usage(
        input=before.input + more.input,
        output=sum_of_known((before.output, more.output)),
        cached=before.cached + more.cached,
        cache_written=before.cache_written + more.cache_written,
        total=before.total + total,
    )


def _is_own_timeout(error: SoriError) -> bool:
    """Whether Sori itself ended the wait. Then the server has worked on the request and may have used tokens."""
    return error.code is ErrorCode.TIMEOUT and isinstance(error, ProviderError) and error.status is None


def _cost(usage: Usage | None, facts: KnownModel) -> float | None:
    """US dollars for the known tokens; ``None`` if the tokens or a price are unknown."""
    read, cached_price, written = facts.price_input, facts.price_cached, facts.price_output
    if read == written == 0:
        return 0.0
    if usage is None or read is None or written is None:
        return None
    if cached_price is None and usage.cached:
        return None
    cached = min(usage.cached, usage.input)
    kept = min(usage.cache_written, usage.input - cached) * (facts.cache_write_factor - 1)
    asked = (usage.input - cached + kept) * read + cached * (cached_price or 0.0)
    return (asked + (usage.output or 0) * written) / _PER_MILLION
