"""Usage of language models, as it is stored and shown (P-22).

``None`` means that nobody counted the value. It is shown as unknown, never as zero.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

_Number = TypeVar("_Number", int, float)

COMPLETE = "complete"
"""``Exchange.outcome`` of a complete answer."""
CANCELLED = "cancelled"
"""``Exchange.outcome`` of an answer that the user cancelled."""
INTERRUPTED = "interrupted"
"""``Exchange.outcome`` of an exchange without a recorded end, because Sori was terminated during it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchange:
    """The requests to one model for one user message, including tool rounds and retries.

    Attributes:
        conversation: id of the conversation.
        provider: name of the configured provider.
        model: name of the requested model; empty for the provider's only or default one.
        id: its own id; empty before it is recorded.
        agent: the agent of its conversation, as ``workspace/name``; empty where the conversation is gone. It is read
            with the exchange, not stored in it.
        input: input tokens as counted by the server; ``None`` when it did not count.
        output: output tokens.
        cached: the part of ``input`` that the server had in its cache.
        total: all tokens.
        partial: whether the counts are lower bounds, and so is ``cost``. This is so when an answer was cut off or
            stopped before its final counts, or when a request was not counted.
        first_token_ms: time from the first request to the model's first output; ``None`` when there was none.
        total_ms: time from the first request to the end of the last.
        requests: number of requests, including retries and tool rounds.
        tool_calls: number of tool calls by the model.
        outcome: ``complete``, ``cancelled``, ``interrupted``, or the ``ErrorCode`` that ended it.
        cost: US dollars; ``None`` when the tokens or the prices are unknown.
        at: start time, ISO 8601 with offset; empty before it is recorded.
    """

    conversation: str
    provider: str
    model: str
    input: int | None
    output: int | None
    cached: int | None
    total: int | None
    first_token_ms: float | None
    total_ms: float
    requests: int
    tool_calls: int
    outcome: str
    cost: float | None = None
    partial: bool = False
    at: str = ""
    id: str = ""
    agent: str = ""

    @property
    def model_name(self) -> str:
        """``provider/model``, or the provider alone when its only or default model was requested."""
        return f"{self.provider}/{self.model}" if self.model else self.provider

    @property
    def uncounted(self) -> bool:
        """Whether no server counted any tokens."""
        return self.input is None and self.output is None

    @property
    def failed(self) -> bool:
        """Whether an error ended it."""
        return self.outcome not in (COMPLETE, CANCELLED, INTERRUPTED)

    @property
    def timed(self) -> bool:
        """Whether its times measure the model's speed; they do not when Sori was terminated during the exchange."""
        return self.outcome != INTERRUPTED


@dataclass(frozen=True, slots=True, kw_only=True)
class UsageRow:
    """Totals of several exchanges.

    Attributes:
        key: the properties that they share, such as a day and a model.
        exchanges: number of exchanges.
        input: input tokens of the counted exchanges; ``None`` when none was counted. ``cached`` and ``output``
            likewise.
        uncounted: number of exchanges without counts.
        partial: number of further exchanges with partial counts, which make the token sums lower bounds.
        first_token_p50_ms: median time to the first token; ``None`` when there was none.
        first_token_p95_ms: 95th percentile of the time to the first token.
        total_p50_ms: median time to the end.
        requests: number of requests.
        tool_calls: number of tool calls.
        failures: exchanges that ended with an error; cancelled and interrupted exchanges do not count.
        interrupted: exchanges without a recorded end; their times are ignored.
        cost: US dollars of the exchanges with a known cost; ``None`` when there are none.
        unpriced: number of exchanges without a known cost.
        partly_priced: number of further exchanges whose cost is a lower bound.
    """

    key: tuple[str, ...]
    exchanges: int
    input: int | None
    cached: int | None
    output: int | None
    uncounted: int
    partial: int
    first_token_p50_ms: float | None
    first_token_p95_ms: float | None
    total_p50_ms: float | None
    requests: int
    tool_calls: int
    failures: int
    interrupted: int
    cost: float | None
    unpriced: int
    partly_priced: int


def summarise(exchanges: Sequence[Exchange], key: tuple[str, ...] = ()) -> UsageRow:
    """Summarise exchanges in one row."""
    first = [each.first_token_ms for each in exchanges if each.timed and each.first_token_ms is not None]
    return UsageRow(
        key=key,
        exchanges=len(exchanges),
        input=sum_of_known(each.input for each in exchanges),
        cached=sum_of_known(each.cached for each in exchanges),
        output=sum_of_known(each.output for each in exchanges),
        uncounted=sum(each.uncounted for each in exchanges),
        partial=sum(each.partial and not each.uncounted for each in exchanges),
        first_token_p50_ms=percentile(first, 50),
        first_token_p95_ms=percentile(first, 95),
        total_p50_ms=percentile([each.total_ms for each in exchanges if each.timed], 50),
        requests=sum(each.requests for each in exchanges),
        tool_calls=sum(each.tool_calls for each in exchanges),
        failures=sum(each.failed for each in exchanges),
        interrupted=sum(each.outcome == INTERRUPTED for each in exchanges),
        cost=sum_of_known(each.cost for each in exchanges),
        unpriced=sum(each.cost is None for each in exchanges),
        # A price of zero stays exact even if the counts are partial.
        partly_priced=sum(each.partial and bool(each.cost) for each in exchanges),
    )


_KEY_OF: dict[str, Callable[[Exchange], str]] = {
    "day": lambda exchange: exchange.at[:10],
    "model": lambda exchange: exchange.model_name,
    "provider": lambda exchange: exchange.provider,
    "agent": lambda exchange: exchange.agent,
}


def grouped(exchanges: Sequence[Exchange], keys: Sequence[str]) -> list[UsageRow]:
    """A row for each combination of the values of ``keys`` (``day``, ``model``, ``provider``, ``agent``); in order."""
    groups = defaultdict[tuple[str, ...], list[Exchange]](list)
    for exchange in exchanges:
        groups[tuple(_KEY_OF[key](exchange) for key in keys)].append(exchange)
    return [summarise(groups[key], key) for key in sorted(groups)]


def percentile(values: Sequence[float], percent: float) -> float | None:
    """The percentile of ``values`` by linear interpolation; ``None`` for no values."""
    if not values:
        return None
    ordered = sorted(values)
    place = (len(ordered) - 1) * percent / 100
    below = int(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (ordered[above] - ordered[below]) * (place - below)


def sum_of_known(counts: Iterable[_Number | None]) -> _Number | None:
    """The sum of the known counts; ``None`` when none is known."""
    known = [each for each in counts if each is not None]
    return sum(known) if known else None
