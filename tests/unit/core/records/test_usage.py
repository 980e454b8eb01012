from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.core.records.usage import Exchange, percentile, summarise

COUNTED = Exchange(
    conversation="c",
    provider="mine",
    model="m",
    input=100,
    output=20,
    cached=60,
    total=120,
    first_token_ms=200.0,
    total_ms=1000.0,
    requests=2,
    tool_calls=1,
    outcome="complete",
    cost=0.5,
)
UNCOUNTED = replace(
    COUNTED, input=None, output=None, cached=None, total=None, first_token_ms=None, cost=None, outcome="network"
)


def test_exchanges_together_are_sums_medians_and_counts() -> None:
    row = summarise([COUNTED, replace(COUNTED, first_token_ms=400.0, total_ms=3000.0)], ("m",))
    assert (row.key, row.exchanges, row.input, row.cached, row.output) == (("m",), 2, 200, 120, 40)
    assert (row.first_token_p50_ms, row.total_p50_ms, row.requests, row.tool_calls) == (300.0, 2000.0, 4, 2)
    assert row.first_token_p95_ms == pytest.approx(390)
    assert (row.failures, row.cost, row.unpriced, row.uncounted) == (0, 1.0, 0, 0)


def test_what_is_unknown_is_left_out_of_the_sums_and_counted() -> None:
    row = summarise([COUNTED, UNCOUNTED])
    assert (row.input, row.cost, row.unpriced, row.uncounted) == (100, 0.5, 1, 1)


def test_nothing_known_is_unknown_and_not_nothing() -> None:
    row = summarise([UNCOUNTED])
    assert (row.input, row.cached, row.output, row.cost, row.first_token_p50_ms) == (None,) * 5


def test_an_answer_that_the_user_stopped_is_no_failure() -> None:
    assert summarise([replace(COUNTED, outcome="cancelled"), UNCOUNTED]).failures == 1


def test_what_was_counted_in_part_is_counted_apart_from_what_nobody_counted() -> None:
    row = summarise([COUNTED, replace(COUNTED, output=None, partial=True), replace(UNCOUNTED, partial=True)])
    assert (row.uncounted, row.partial, row.unpriced, row.partly_priced) == (1, 1, 1, 1)
    assert (row.input, row.output, row.cost) == (200, 20, 1.0)


def test_a_cost_of_nothing_is_whole() -> None:
    assert summarise([replace(COUNTED, partial=True, cost=0.0)]).partly_priced == 0


def test_times_of_what_was_interrupted_are_not_looked_at() -> None:
    row = summarise([COUNTED, replace(COUNTED, outcome="interrupted", first_token_ms=9000.0, total_ms=0.0)])
    assert (row.exchanges, row.interrupted, row.failures) == (2, 1, 0)
    assert (row.first_token_p50_ms, row.total_p50_ms) == (200.0, 1000.0)


def test_of_nothing_there_is_no_percentile() -> None:
    assert percentile([], 50) is None


@given(st.lists(st.floats(0, 1e9), min_size=1, max_size=50), st.floats(0, 100))
def test_a_percentile_lies_between_the_least_and_the_most(values: list[float], percent: float) -> None:
    found = percentile(values, percent)
    assert found is not None
    assert min(values) <= found <= max(values) * (1 + 1e-9)
