"""What the ``openai`` and ``anthropic`` SDKs raise, as Sori's own errors.

Both come from one generator, so their exceptions have the same names and shapes. By their class alone these say little:
a broken connection comes as an ``APIConnectionError`` or as a bare ``httpx2`` one, an error inside a stream as a plain
``APIError`` or as a status error with status 200.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from http import HTTPStatus
from types import ModuleType
from typing import Any

from assistant.core.errors import ErrorCode, ProviderError
from assistant.llm.transport.recorded_requests import own_error
from assistant.llm.transport.server_errors import (
    TRANSPORT_ERRORS,
    cause_of,
    status_error,
    stream_error,
    transport_error,
)


class SdkErrors:
    """Translates the exceptions of one SDK.

    Args:
        sdk: its module.
        root: what all of its exceptions derive from.
    """

    def __init__(self, sdk: ModuleType, root: type[Exception]) -> None:
        self._sdk: Any = sdk
        self._root = root

    @contextmanager
    def translated(self, provider: str, key: str) -> Iterator[None]:
        """Turn what the SDK and its transport raise within into ``ProviderError``."""
        try:
            yield
        except (self._root, *TRANSPORT_ERRORS) as error:
            if (own := own_error(error)) is not None:
                raise own from own.__cause__
            raise self.provider_error(error, provider, key) from cause_of(error, key)
        except ValueError as error:
            # The SDK reads events with json and utf-8 and lets their errors through.
            raise ProviderError(
                ErrorCode.INVALID_RESPONSE, f"the stream is not readable: {type(error).__name__}", provider=provider
            ) from error

    def provider_error(self, error: Any, provider: str, key: str = "") -> ProviderError:
        """The error that ``error`` is to Sori.

        Args:
            error: what the SDK or its transport raised.
            provider: name of the provider.
            key: its API key, blotted out of the detail wherever a server repeats it.
        """
        match error:
            case self._sdk.APIStatusError(status_code=HTTPStatus.OK):
                return stream_error(error.body, provider, key)
            case self._sdk.APIStatusError():
                return status_error(
                    error.status_code,
                    error.body,
                    error.response.headers,
                    datetime.now(UTC),
                    provider=provider,
                    key=key,
                    otherwise=error.message,
                )
            case self._sdk.APITimeoutError() if not isinstance(error.__cause__, Exception):
                return ProviderError(ErrorCode.TIMEOUT, error.message, provider=provider)
            case self._sdk.APIConnectionError():
                cause = error.__cause__
                return transport_error(cause if isinstance(cause, Exception) else error, provider, key)
            case self._sdk.APIError():
                return stream_error(error.body, provider, key)
            case _:
                return transport_error(error, provider, key)
