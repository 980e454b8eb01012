"""When a request to a model is made again, and after how long (P-20)."""

from assistant.core.errors import ErrorCode, ProviderError

_TRANSIENT = frozenset({ErrorCode.NETWORK, ErrorCode.OVERLOADED})
_WAITS_S = (0.25, 0.75)
_RATE_LIMIT_WAIT_S = 5.0
_LONGEST_WAIT_S = 60.0


def wait_before_retry_s(error: ProviderError, retries: int) -> float | None:
    """Seconds to wait before trying again, ``None`` for not again.

    Args:
        error: how the last try ended.
        retries: how many retries there have been already.
    """
    if error.code in _TRANSIENT:
        if retries >= len(_WAITS_S):
            return None
        asked = error.retry_after_s or 0.0
        return max(_WAITS_S[retries], asked) if asked <= _LONGEST_WAIT_S else None
    if error.code is ErrorCode.RATE_LIMITED and retries == 0:
        wait = _RATE_LIMIT_WAIT_S if error.retry_after_s is None else error.retry_after_s
        return wait if wait <= _LONGEST_WAIT_S else None
    return None
