"""How long the listener waits for the end of a sentence."""

import pytest

from assistant.voice.patience import LONGEST_FIRST_MS, LONGEST_MS, SURE_AFTER_MS, is_over

FAST_WEIGHT = 1_000


@pytest.mark.parametrize(("first", "longest_ms"), [(True, LONGEST_FIRST_MS), (False, LONGEST_MS)])
def test_the_beginning_of_an_answer_is_awaited_for_a_shorter_time_than_a_later_sentence(
    first: bool, longest_ms: int
) -> None:
    assert not is_over(longest_ms - 1, FAST_WEIGHT, first=first)
    assert is_over(longest_ms, FAST_WEIGHT, first=first)


@pytest.mark.parametrize("first", [True, False])
def test_a_slow_model_is_not_waited_for_once_its_pace_is_known(first: bool) -> None:
    assert not is_over(SURE_AFTER_MS - 1, 1, first=first)
    assert is_over(SURE_AFTER_MS, 1, first=first)


def test_the_first_wait_is_the_shorter_one() -> None:
    assert SURE_AFTER_MS <= LONGEST_FIRST_MS < LONGEST_MS
