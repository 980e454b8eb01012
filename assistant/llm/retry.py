"""When a request to a model is made again, and after how long (P-20). Pure; the same for every provider.

Two things are for the caller to know: after a tool with effects has run nothing is asked again, and after text was
shown nothing is asked again without saying so.
"""

from dataclasses import dataclass, replace
from http import HTTPStatus

from assistant.core.errors import ErrorCode, ProviderError

_TRANSIENT = frozenset({ErrorCode.NETWORK, ErrorCode.OVERLOADED, ErrorCode.INCOMPLETE})
"""Refused, reset or cut connections, and servers that could not (5xx, 529)."""
_WAITS_S = (0.25, 0.75)
_RATE_LIMIT_WAIT_S = 5.0
LONGEST_WAIT_S = 60.0
"""A server that asks for more than this is not waited for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Retries:
    """The retries of one inference so far.

    Attributes:
        transient: after trouble that passes by itself.
        rate_limited: after a rate limit.
    """

    transient: int = 0
    rate_limited: int = 0

    def after(self, error: ProviderError) -> "Pause | None":
        """How long to wait before the request is made again, ``None`` when it is not."""
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
        seconds: how long.
        asked_for: whether it is the server's wish rather than Sori's own caution.
        retries: the count with this one.
    """

    seconds: float
    asked_for: bool
    retries: Retries


def is_transient(error: ProviderError) -> bool:
    """Whether this is trouble that passes by itself.

    A server's own 408 is; a model that stayed silent for too long is not, for asking it again would double the wait.
    """
    return error.code in _TRANSIENT or error.status == HTTPStatus.REQUEST_TIMEOUT
