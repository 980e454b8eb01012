"""What the ``anthropic`` SDK raises, as Sori's own errors.

Its exceptions are those of every such SDK, but a connection that breaks in the middle of a stream surfaces as a bare
``httpx2`` error, and an error event inside a stream as one with status 200: its meaning is in its type.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from http import HTTPStatus

import anthropic

from assistant.core.errors import ErrorCode, ProviderError
from assistant.llm.recorded_requests import own_error
from assistant.llm.server_errors import TRANSPORT_ERRORS, cause_of, status_error, stream_error, transport_error


@contextmanager
def translated(provider: str, key: str) -> Iterator[None]:
    """Turn what the SDK and its transport raise within into ``ProviderError``."""
    try:
        yield
    except (anthropic.AnthropicError, *TRANSPORT_ERRORS) as error:
        if (own := own_error(error)) is not None:
            raise own from own.__cause__
        raise provider_error(error, provider, key) from cause_of(error, key)
    except ValueError as error:
        # The SDK reads events with json and utf-8 and lets their errors through.
        raise ProviderError(
            ErrorCode.INVALID_RESPONSE, f"the stream is not readable: {type(error).__name__}", provider=provider
        ) from error


def provider_error(error: Exception, provider: str, key: str = "") -> ProviderError:
    """The error that ``error`` is to Sori.

    Args:
        error: what the SDK or its transport raised.
        provider: name of the provider.
        key: its API key, blotted out of the detail wherever a server repeats it.
    """
    match error:
        case anthropic.APIStatusError(status_code=HTTPStatus.OK):
            return stream_error(error.body, provider, key)
        case anthropic.APIStatusError():
            return status_error(
                error.status_code,
                error.body,
                error.response.headers,
                datetime.now(UTC),
                provider=provider,
                key=key,
                otherwise=error.message,
            )
        case anthropic.APITimeoutError() if not isinstance(error.__cause__, Exception):
            return ProviderError(ErrorCode.TIMEOUT, error.message, provider=provider)
        case anthropic.APIConnectionError():
            cause = error.__cause__
            return transport_error(cause if isinstance(cause, Exception) else error, provider, key)
        case anthropic.APIError():
            return stream_error(error.body, provider, key)
        case _:
            return transport_error(error, provider, key)
