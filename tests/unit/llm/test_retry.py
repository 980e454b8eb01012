import itertools
import random

import pytest

from assistant.core.errors import ErrorCode, ProviderError
from assistant.llm.retry import LONGEST_WAIT_S, Retries, is_transient

TRANSIENT = {ErrorCode.NETWORK, ErrorCode.OVERLOADED, ErrorCode.INCOMPLETE}


def failure(code: ErrorCode, retry_after_s: float | None = None, status: int | None = None) -> ProviderError:
    return ProviderError(code, "", provider="p", status=status, retry_after_s=retry_after_s)


def waits(*errors: ProviderError) -> list[float | None]:
    """The wait after each of these errors, one after another; nothing follows an error that is final."""
    retries, told = Retries(), list[float | None]()
    for error in errors:
        pause = retries.after(error)
        told.append(None if pause is None else pause.seconds)
        if pause is None:
            break
        retries = pause.retries
    return told


@pytest.mark.parametrize("code", sorted(TRANSIENT))
def test_transient_trouble_is_tried_again_twice(code: ErrorCode) -> None:
    assert waits(*[failure(code)] * 3) == [0.25, 0.75, None]


def test_a_server_that_took_too_long_to_read_the_request_is_tried_again_but_a_silent_model_is_not() -> None:
    assert waits(*[failure(ErrorCode.TIMEOUT, status=408)] * 3) == [0.25, 0.75, None]
    assert waits(failure(ErrorCode.TIMEOUT)) == [None]


@pytest.mark.parametrize(
    ("asked", "expected"),
    [(None, [5.0, None]), (0, [0, None]), (1, [1, None]), (12, [12, None]), (60, [60, None]), (60.5, [None])],
)
def test_a_rate_limit_is_waited_for_once_as_long_as_it_asks(asked: float | None, expected: list[float | None]) -> None:
    assert waits(*[failure(ErrorCode.RATE_LIMITED, asked)] * 2) == expected


def test_an_overloaded_server_that_names_a_time_gets_it() -> None:
    assert waits(*[failure(ErrorCode.OVERLOADED, 7)] * 3) == [7, 7, None]
    assert waits(failure(ErrorCode.OVERLOADED, 3600)) == [None]


def test_only_a_wait_that_the_server_wants_counts_as_asked_for() -> None:
    own = Retries().after(failure(ErrorCode.OVERLOADED))
    asked = Retries().after(failure(ErrorCode.RATE_LIMITED))
    assert own is not None
    assert asked is not None
    assert (own.asked_for, asked.asked_for) == (False, True)


@pytest.mark.parametrize("code", sorted(set(ErrorCode) - TRANSIENT - {ErrorCode.RATE_LIMITED}))
@pytest.mark.parametrize("retry_after_s", [None, 1])
def test_everything_else_is_final(code: ErrorCode, retry_after_s: float | None) -> None:
    assert waits(failure(code, retry_after_s)) == [None]


def test_whatever_goes_wrong_there_are_at_most_three_retries_and_no_long_wait() -> None:
    dice = random.Random(20)
    kinds = list(itertools.product(ErrorCode, [None, 0, 0.3, 5, 59, 60, 61, 1e9], [None, 408, 429, 500]))
    for _ in range(2000):
        errors = [failure(*dice.choice(kinds)) for _ in range(6)]
        told = [wait for wait in waits(*errors) if wait is not None]
        assert len(told) <= 3
        assert all(0 <= wait <= LONGEST_WAIT_S for wait in told)
        for error, _wait in zip(errors, told, strict=False):
            assert is_transient(error) or error.code is ErrorCode.RATE_LIMITED
