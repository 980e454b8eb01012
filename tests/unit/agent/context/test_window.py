"""Which messages stay in a context that is too large."""

from itertools import pairwise

import pytest

from assistant.agent.context.model_form import NO_FILES
from assistant.agent.context.sections import KEPT_MESSAGES
from assistant.agent.context.window import first_in_steps, first_within
from assistant.core.messages import Message, Role


def said(number: int, size: int) -> Message:
    role = Role.USER if number % 2 == 0 else Role.ASSISTANT
    return Message(role=role, text=f"{number} ".ljust(size, "x"), id=str(number))


@pytest.mark.parametrize("size", [100, 300, 900])
@pytest.mark.long
def test_the_beginning_moves_seldom_and_the_context_still_fits(size: int) -> None:
    most, history, begins = 10_000, list[Message](), list[int]()
    for number in range(300):
        history.append(said(number, size))
        first = first_in_steps(history, most, NO_FILES)
        kept = history[first:]
        assert sum(len(each.text) for each in kept) <= most
        assert sum(len(each.text) for each in history[first_within(history, most, NO_FILES) :]) <= most
        # At most a quarter, and a message, is left out beyond what must be.
        assert sum(len(each.text) for each in kept) >= min(most // 4 * 3 - 2 * size, size * len(history))
        begins.append(first)
    moves = sum(before != after for before, after in pairwise(begins))
    assert moves <= 300 * size // (most // 4) + 1


def test_what_fits_stays_whole_and_the_newest_messages_always_stay() -> None:
    history = [said(number, 1000) for number in range(8)]
    assert first_in_steps(history, 8000, NO_FILES) == 0
    assert first_in_steps(history, 10, NO_FILES) == len(history) - KEPT_MESSAGES
    assert first_in_steps(history, -5, NO_FILES) == len(history) - KEPT_MESSAGES
    assert first_in_steps([], 10, NO_FILES) == 0
