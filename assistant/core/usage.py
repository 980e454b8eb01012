"""What conversations with models have used, as it is kept and shown (P-22).

``None`` stands for what nobody counted; it is shown as unknown and never as nothing.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

_Number = TypeVar("_Number", int, float)

COMPLETE = "complete"
"""``Exchange.outcome`` of a whole answer."""
CANCELLED = "cancelled"
"""``Exchange.outcome`` of an answer that the user did not want any more."""
INTERRUPTED = "interrupted"
"""``Exchange.outcome`` of one that began and of whose end nothing is known: Sori was ended in the middle of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchange:
    """What one model was asked for one message of the user's, its tool rounds and retries included.

    Attributes:
        conversation: id of the conversation.
        provider: name of the provider as configured.
        model: name of the model that was asked for; empty for the provider's only or default one.
        id: its own; empty before it is recorded.
        input: tokens that the model read, as its server counted them; ``None`` when it did not.
        output: tokens that it wrote.
        cached: how many of ``input`` the server had in its cache.
        total: all tokens.
        partial: whether the counts are only what had been told when an answer was cut off or stopped, or lack a request
            that was not counted: at least so many, and ``cost`` is at least so much.
        first_token_ms: from the first request to the first thing that the model said; ``None`` when it said nothing.
        total_ms: from the first request to the end of the last.
        requests: how often the model was asked, retries and tool rounds included.
        tool_calls: how many tools it asked for.
        outcome: ``complete``, ``cancelled``, ``interrupted``, or the ``ErrorCode`` that ended it.
        cost: US dollars; ``None`` when the tokens or the prices are unknown.
        at: when it began, ISO 8601 with offset; empty before it is recorded.
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

    @property
    def model_name(self) -> str:
        """``provider/model``; the provider alone where its only or default model was asked."""
        return f"{self.provider}/{self.model}" if self.model else self.provider

    @property
    def uncounted(self) -> bool:
        """Whether no server has counted anything of it."""
        return self.input is None and self.output is None

    @property
    def failed(self) -> bool:
        """Whether an error ended it."""
        return self.outcome not in (COMPLETE, CANCELLED, INTERRUPTED)

    @property
    def timed(self) -> bool:
        """Whether its times say how fast the model is: not when Sori was ended in the middle of it."""
        return self.outcome != INTERRUPTED


@dataclass(frozen=True, slots=True, kw_only=True)
class UsageRow:
    """Exchanges taken together.

    Attributes:
        key: what they have in common, such as a day and a model.
        exchanges: how many.
        input: tokens read, of the exchanges whose server counted; ``None`` when none did. So ``cached`` and ``output``.
        uncounted: how many exchanges no server counted.
        partial: how many more were counted in part only: the sums of tokens are at least so much.
        first_token_p50_ms: median time to the first token; ``None`` when there was none.
        first_token_p95_ms: what 95 of 100 stay below.
        total_p50_ms: median time to the end.
        requests: how often models were asked.
        tool_calls: how many tools they asked for.
        failures: exchanges that ended with an error; those that the user stopped are none, nor are those below.
        interrupted: exchanges of whose end nothing is known; their times are not looked at.
        cost: US dollars of the exchanges whose cost is known; ``None`` when none is.
        unpriced: how many exchanges have no known cost.
        partly_priced: how many more cost at least what is known of them.
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
    """These exchanges as one row."""
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
        # What costs nothing costs nothing however much it is.
        partly_priced=sum(each.partial and bool(each.cost) for each in exchanges),
    )


def percentile(values: Sequence[float], percent: float) -> float | None:
    """The value that ``percent`` of ``values`` stay below, between two of them by their distance; ``None`` of none."""
    if not values:
        return None
    ordered = sorted(values)
    place = (len(ordered) - 1) * percent / 100
    below = int(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (ordered[above] - ordered[below]) * (place - below)


def sum_of_known(counts: Iterable[_Number | None]) -> _Number | None:
    """The sum of what is known; ``None`` when nothing is."""
    known = [each for each in counts if each is not None]
    return sum(known) if known else None
