from typing import Any

import pytest

from assistant.llm.reply.token_counts import count_of, counts_in


@pytest.mark.parametrize(("told", "count"), [(0, 0), (12, 12), (12.0, 12), ("12", 12)])
def test_a_whole_number_is_a_count(told: Any, count: int) -> None:
    assert count_of(told) == count


@pytest.mark.parametrize(
    "told", [None, True, -1, 1.5, float("nan"), float("inf"), "", "-1", "1.5", "many", "\u00b2", [1], {"tokens": 1}]
)
def test_what_is_no_whole_number_is_none(told: Any) -> None:
    assert count_of(told) is None


@pytest.mark.parametrize("told", [None, "9", [9], 9])
def test_what_has_another_shape_holds_no_counts(told: Any) -> None:
    assert counts_in(told) == {}
