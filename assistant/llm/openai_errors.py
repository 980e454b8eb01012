"""What the ``openai`` SDK raises, as Sori's own errors.

The SDK's exceptions say little by their class alone: a broken connection comes as an ``APIConnectionError`` or as a
bare ``httpx2`` one, an error inside a stream as a plain ``APIError``.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime

import openai

from assistant.core.errors import ErrorCode, ProviderError
from assistant.llm.recorded_requests import own_error
from assistant.llm.server_errors import TRANSPORT_ERRORS, cause_of, status_error, stream_error, transport_error


@contextmanager
def translated(provider: str, key: str) -> Iterator[None]:
    """Turn what the SDK and its transport raise within into ``ProviderError``."""
    try:
        yield
    except (openai.OpenAIError, *TRANSPORT_ERRORS) as error:
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
        case openai.APIStatusError():
            return status_error(
                error.status_code,
                error.body,
                error.response.headers,
                datetime.now(UTC),
                provider=provider,
                key=key,
                otherwise=error.message,
            )
        case openai.APITimeoutError() if not isinstance(error.__cause__, Exception):
            return ProviderError(ErrorCode.TIMEOUT, error.message, provider=provider)
        case openai.APIConnectionError():
            cause = error.__cause__
            return transport_error(cause if isinstance(cause, Exception) else error, provider, key)
        case openai.APIError():
            return stream_error(error.body, provider, key)
        case _:
            return transport_error(error, provider, key)
