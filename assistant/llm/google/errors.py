"""Translates exceptions of the ``google-genai`` SDK into Sori's errors.

The SDK passes a broken connection on as an ``httpx2`` error.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from http import HTTPStatus

from google.genai import errors

from assistant.core.errors import ErrorCode, ProviderError
from assistant.llm.google.connection import SentRequest
from assistant.llm.transport.endpoint import Endpoint
from assistant.llm.transport.server_errors import (
    TRANSPORT_ERRORS,
    cause_of,
    status_error,
    stream_error,
    transport_error,
)

_READING = (ValueError, TypeError, AttributeError, KeyError, IndexError)
"""Exceptions that the SDK raises when a response has an unexpected shape."""


@contextmanager
def translated(endpoint: Endpoint, exchange: SentRequest) -> Iterator[None]:
    """Translate exceptions of the SDK and its transport into ``ProviderError``."""
    try:
        yield
    except (errors.APIError, *TRANSPORT_ERRORS) as error:
        raise provider_error(error, endpoint, exchange) from cause_of(error, endpoint.key)
    except _READING as error:
        raise _unreadable(error, endpoint, exchange) from cause_of(error, endpoint.key)


def provider_error(error: Exception, endpoint: Endpoint, exchange: SentRequest) -> ProviderError:
    """The ``ProviderError`` for an exception. The key is removed from the server's text.

    Args:
        error: the exception of the SDK or its transport.
        endpoint: the server.
        exchange: the request and its response.
    """
    if not isinstance(error, errors.APIError):
        return transport_error(error, endpoint.provider, endpoint.key)
    if exchange.status in {None, HTTPStatus.OK}:
        return stream_error(error.details, endpoint.provider, endpoint.key)
    return _refusal(exchange, error.details, str(error.message or ""), endpoint)


def _refusal(exchange: SentRequest, body: object, otherwise: str, endpoint: Endpoint) -> ProviderError:
    headers: Mapping[str, str] = exchange.headers
    return status_error(
        exchange.status or 0,
        body,
        headers,
        datetime.now(UTC),
        provider=endpoint.provider,
        key=endpoint.key,
        otherwise=otherwise,
    )


def _unreadable(error: Exception, endpoint: Endpoint, exchange: SentRequest) -> ProviderError:
    """The error for a response that the SDK could not read: by status."""
    what = type(error).__name__
    if exchange.status is None:
        code, detail = ErrorCode.INVALID_REQUEST, f"the request cannot be made: {what}: {error}"
    elif exchange.status != HTTPStatus.OK:
        return _refusal(exchange, None, f"the server's reason is not readable ({what})", endpoint)
    else:
        code, detail = ErrorCode.INVALID_RESPONSE, f"the stream is not readable: {what}"
    if endpoint.key:
        detail = detail.replace(endpoint.key, "***")
    return ProviderError(code, detail, provider=endpoint.provider)
