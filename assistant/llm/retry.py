"""Decides when a request to a model is retried, and with which backoff (P-20). Pure; the same for every provider.

The caller must follow two rules. After a tool with effects has run, nothing is retried. After text was shown, a retry
is announced.
"""

from dataclasses import dataclass, replace
from http import HTTPStatus

from assistant.core.errors import ErrorCode, ProviderError

_TRANSIENT = frozenset({ErrorCode.NETWORK, ErrorCode.OVERLOADED, ErrorCode.INCOMPLETE})
"""Connections that were refused, reset or cut, and server failures (5xx, 529)."""
_WAITS_S = (0.25, 0.75)
_RATE_LIMIT_WAIT_S = 5.0
LONGEST_WAIT_S = 60.0
"""Seconds. If a server asks for a longer wait, there is no retry."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Retries:
    """The retries of one inference so far.

    Attributes:
        transient: number of retries after transient errors.
        rate_limited: number of retries after rate limits.
    """

    transient: int = 0
    rate_limited: int = 0

    def after(self, error: ProviderError) -> "Pause | None":
        """The wait before the next retry, or ``None`` when there is none."""
        if is_transient(error):
            return self._after_trouble(error.retry_after_s or 0.0)
        if error.code is ErrorCode.RATE_LIMITED:
            return self._after_rate_limit(error.retry_after_s)
        return None

    def _after_trouble(self, asked_s: float) -> "Pause | None":
        if self.transient >= len(_WAITS_S) or asked_s > LONGEST_WAIT_S:
            return None
        own_s = _WAITS_S[self.transient]
        return Pause(
            seconds=max(own_s, asked_s), asked_for=asked_s > own_s, retries=replace(self, transient=self.transient + 1)
        )

    def _after_rate_limit(self, asked_s: float | None) -> "Pause | None":
        seconds = _RATE_LIMIT_WAIT_S if asked_s is None else asked_s
        if self.rate_limited or seconds > LONGEST_WAIT_S:
            return None
        return Pause(seconds=seconds, asked_for=True, retries=replace(self, rate_limited=1))


@dataclass(frozen=True, slots=True, kw_only=True)
class Pause:
    """A wait before the next try.

    Attributes:
        seconds: length of the wait.
        asked_for: whether the server asked for it. Otherwise it is Sori's own backoff.
        retries: the counts including the coming retry.
    """

    seconds: float
    asked_for: bool
    retries: Retries


def is_transient(error: ProviderError) -> bool:
    """Whether the error is transient.

    A server's own 408 is. A model that exceeded the first-byte limit is not, because a retry would double the wait.
    """
    return error.code in _TRANSIENT or error.status == HTTPStatus.REQUEST_TIMEOUT
