"""What the ``google-genai`` SDK raises, as Sori's own errors.

A broken connection comes through the SDK as a bare ``httpx2`` error. An error inside a stream is read by it only where
it has a number; one without makes it stumble, and what it stumbled over is still known to the exchange.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from http import HTTPStatus

from google.genai import errors

from assistant.core.errors import ErrorCode, ProviderError
from assistant.llm.google.connection import Exchange
from assistant.llm.transport.endpoint import Endpoint
from assistant.llm.transport.server_errors import (
    TRANSPORT_ERRORS,
    cause_of,
    status_error,
    stream_error,
    transport_error,
)

_READING = (ValueError, TypeError, AttributeError, KeyError, IndexError)
"""What the SDK lets through when an answer has a shape that it does not expect."""


@contextmanager
def translated(endpoint: Endpoint, exchange: Exchange) -> Iterator[None]:
    """Turn what the SDK and its transport raise within into ``ProviderError``."""
    try:
        yield
    except (errors.APIError, *TRANSPORT_ERRORS) as error:
        raise provider_error(error, endpoint, exchange) from cause_of(error, endpoint.key)
    except _READING as error:
        raise _unreadable(error, endpoint, exchange) from cause_of(error, endpoint.key)


def provider_error(error: Exception, endpoint: Endpoint, exchange: Exchange) -> ProviderError:
    """The error that ``error`` is to Sori; the key is blotted out wherever a server repeats it.

    Args:
        error: what the SDK or its transport raised.
        endpoint: who was asked.
        exchange: the request and its answer.
    """
    if not isinstance(error, errors.APIError):
        return transport_error(error, endpoint.provider, endpoint.key)
    if exchange.status in {None, HTTPStatus.OK}:
        return stream_error(error.details, endpoint.provider, endpoint.key)
    return _refusal(exchange, error.details, str(error.message or ""), endpoint)


def _refusal(exchange: Exchange, body: object, otherwise: str, endpoint: Endpoint) -> ProviderError:
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


def _unreadable(error: Exception, endpoint: Endpoint, exchange: Exchange) -> ProviderError:
    """What the SDK could not read: an error without a number, or one whose status says more than its bytes."""
    what = type(error).__name__
    told = exchange.error_event()
    if told is not None:
        return stream_error(told, endpoint.provider, endpoint.key)
    if exchange.status is None:
        code, detail = ErrorCode.INVALID_REQUEST, f"the request cannot be made: {what}: {error}"
    elif exchange.status != HTTPStatus.OK:
        return _refusal(exchange, None, f"the server's reason is not readable ({what})", endpoint)
    else:
        code, detail = ErrorCode.INVALID_RESPONSE, f"the stream is not readable: {what}"
    if endpoint.key:
        detail = detail.replace(endpoint.key, "***")
    return ProviderError(code, detail, provider=endpoint.provider)
