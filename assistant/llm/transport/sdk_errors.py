"""Translates exceptions of the ``openai`` and ``anthropic`` SDKs into Sori's errors.

Both SDKs are made by one generator, so their exceptions have the same names and shapes. The class alone says little. A
broken connection is an ``APIConnectionError`` or an ``httpx2`` error. An error inside a stream is a plain ``APIError``
or a status error with status 200.
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
        root: base class of its exceptions.
    """

    def __init__(self, sdk: ModuleType, root: type[Exception]) -> None:
        self._sdk: Any = sdk
        self._root = root

    @contextmanager
    def translated(self, provider: str, key: str) -> Iterator[None]:
        """Translate exceptions of the SDK and its transport into ``ProviderError``."""
        try:
            yield
        except (self._root, *TRANSPORT_ERRORS) as error:
            if (own := own_error(error)) is not None:
                raise own from own.__cause__
            raise self.provider_error(error, provider, key) from cause_of(error, key)
        except ValueError as error:
            # The SDK parses events as UTF-8 and JSON and does not catch the errors.
            raise ProviderError(
                ErrorCode.INVALID_RESPONSE, f"the stream cannot be read: {type(error).__name__}", provider=provider
            ) from error

    def provider_error(self, error: Any, provider: str, key: str = "") -> ProviderError:
        """The ``ProviderError`` for an exception.

        Args:
            error: the exception of the SDK or its transport.
            provider: name of the provider.
            key: its API key, which is removed from the server's text.
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
