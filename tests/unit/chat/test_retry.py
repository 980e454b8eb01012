import pytest

from assistant.chat.retry import wait_before_retry_s
from assistant.core.errors import ErrorCode, ProviderError


def waits(code: ErrorCode, retry_after_s: float | None = None) -> list[float | None]:
    error = ProviderError(code, "", provider="p", retry_after_s=retry_after_s)
    return [wait_before_retry_s(error, retries) for retries in range(3)]


@pytest.mark.parametrize("code", [ErrorCode.NETWORK, ErrorCode.OVERLOADED])
def test_transient_trouble_is_tried_again_twice(code: ErrorCode) -> None:
    assert waits(code) == [0.25, 0.75, None]


def test_a_rate_limit_is_waited_for_once_as_long_as_it_asks() -> None:
    assert waits(ErrorCode.RATE_LIMITED) == [5.0, None, None]
    assert waits(ErrorCode.RATE_LIMITED, 12) == [12, None, None]
    assert waits(ErrorCode.RATE_LIMITED, 61) == [None, None, None]


@pytest.mark.parametrize(
    "code",
    sorted(set(ErrorCode) - {ErrorCode.NETWORK, ErrorCode.OVERLOADED, ErrorCode.RATE_LIMITED}),
)
def test_everything_else_is_final(code: ErrorCode) -> None:
    assert waits(code) == [None, None, None]
