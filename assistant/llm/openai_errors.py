"""What the ``openai`` SDK raises, as Sori's own errors.

The SDK's exceptions say little by their class alone: the reason for a 400 or a 429 is in the body, an error inside a
stream has no status, and a broken connection comes as an ``APIConnectionError`` or as a bare ``httpx2`` one.
"""

import re
import ssl
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from http import HTTPStatus
from typing import Any

import httpx2
import openai

from assistant.core.errors import ErrorCode, ProviderError
from assistant.llm.retry_after import retry_after_s

_LONGEST_DETAIL = 300

_BY_WORD = {
    code: re.compile("|".join(patterns), re.IGNORECASE)
    for code, patterns in {
        ErrorCode.CONTEXT_TOO_LONG: (
            r"context_length_exceeded",
            r"exceed_context_size",
            r"string_above_max_length",
            r"context[ _](length|window|size)",
            r"prompt is too long",
            r"too many (input )?tokens",
        ),
        ErrorCode.QUOTA: (
            r"insufficient_quota",
            r"billing",
            r"insufficient (balance|credit)",
            r"current quota",
            r"\b1113\b",
        ),
        ErrorCode.AUTHENTICATION: (r"invalid_api_key", r"(incorrect|invalid) api key", r"api key not valid"),
        ErrorCode.CONTENT_REFUSED: (r"content_filter", r"content_policy", r"content management policy", r"\b1301\b"),
        ErrorCode.MODEL_NOT_FOUND: (
            r"model_not_found",
            r"\b1211\b",
            r"model\b.{0,80}\b(does not exist|not found|not exist|is not available)",
            r"(unknown|no such) model",
        ),
        ErrorCode.RATE_LIMITED: (r"rate[ _]limit",),
        ErrorCode.OVERLOADED: (r"overloaded", r"server_error", r"unavailable", r"loading model"),
    }.items()
}
"""Reasons by the words of OpenAI and of compatible servers (llama.cpp, Z.AI's numbers), the more telling first."""

_BY_STATUS = {
    401: ErrorCode.AUTHENTICATION,
    402: ErrorCode.QUOTA,
    403: ErrorCode.PERMISSION,
    404: ErrorCode.MODEL_NOT_FOUND,
    408: ErrorCode.TIMEOUT,
    413: ErrorCode.CONTEXT_TOO_LONG,
    429: ErrorCode.RATE_LIMITED,
}

_WORDS_DECIDE = {
    400: {
        ErrorCode.CONTEXT_TOO_LONG,
        ErrorCode.QUOTA,
        ErrorCode.AUTHENTICATION,
        ErrorCode.CONTENT_REFUSED,
        ErrorCode.MODEL_NOT_FOUND,
    },
    403: {ErrorCode.QUOTA, ErrorCode.CONTENT_REFUSED},
    422: {ErrorCode.CONTEXT_TOO_LONG, ErrorCode.CONTENT_REFUSED},
    429: {ErrorCode.QUOTA},
}
"""Statuses that cover several reasons, and which of them the words may tell."""


@contextmanager
def translated(provider: str, key: str) -> Iterator[None]:
    """Turn what the SDK and its transport raise within into ``ProviderError``."""
    try:
        yield
    except (openai.OpenAIError, httpx2.HTTPError, httpx2.InvalidURL, httpx2.StreamError, ssl.SSLError) as error:
        raise provider_error(error, provider, key) from _cause(error, key)
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
    if isinstance(error, openai.APIStatusError):
        return _status_error(error, provider, key)
    if isinstance(error, openai.APIConnectionError):
        cause = error.__cause__
        return _transport_error(cause if isinstance(cause, Exception) else error, provider, key)
    if isinstance(error, openai.APIError):
        return stream_error(error.body, provider, key)
    return _transport_error(error, provider, key)


def stream_error(body: object, provider: str, key: str = "") -> ProviderError:
    """The error object that a server sent in place of the rest of an answer; it may or may not carry a status."""
    words = _words(body)
    code: ErrorCode | None = None
    status = _status_in(body)
    if status is not None:
        code = _code_of(status, words)
    code = code or _by_words(words) or ErrorCode.OVERLOADED
    return ProviderError(code, _detail(words, key), provider=provider, status=status)


def _status_error(error: openai.APIStatusError, provider: str, key: str) -> ProviderError:
    words = _words(error.body)
    return ProviderError(
        _code_of(error.status_code, words),
        _detail(f"{error.status_code}: {words or error.message}", key),
        provider=provider,
        status=error.status_code,
        retry_after_s=retry_after_s(error.response.headers, datetime.now(UTC)),
    )


def _code_of(status: int, words: str) -> ErrorCode:
    told = _by_words(words)
    if told is not None and told in _WORDS_DECIDE.get(status, ()):
        return told
    if status in _BY_STATUS:
        return _BY_STATUS[status]
    return ErrorCode.OVERLOADED if status >= HTTPStatus.INTERNAL_SERVER_ERROR else ErrorCode.INVALID_REQUEST


def _by_words(words: str) -> ErrorCode | None:
    return next((code for code, pattern in _BY_WORD.items() if pattern.search(words)), None)


def _words(body: object) -> str:
    """Code, type and message of an error's body, in whatever shape it came."""
    if isinstance(body, Mapping):
        inner = body.get("error")
        if isinstance(inner, Mapping):
            return _words(inner)
        parts = (body.get("code"), body.get("type"), body.get("message") or body.get("detail") or inner)
        return " ".join(str(part) for part in parts if part)
    return str(body) if body else ""


def _status_in(body: object) -> int | None:
    code: Any = body.get("code") if isinstance(body, Mapping) else None
    try:
        status = int(code)
    except (TypeError, ValueError):
        return None
    return status if HTTPStatus.BAD_REQUEST <= status < 600 else None


def _transport_error(error: Exception, provider: str, key: str) -> ProviderError:
    detail = _detail(f"{type(error).__name__}: {error}", key)
    return ProviderError(_transport_code(error), detail, provider=provider)


def _transport_code(error: Exception) -> ErrorCode:
    match error:
        case httpx2.InvalidURL() | httpx2.UnsupportedProtocol() | httpx2.LocalProtocolError():
            return ErrorCode.INVALID_REQUEST
        case httpx2.DecodingError() | httpx2.TooManyRedirects():
            return ErrorCode.INVALID_RESPONSE
        case httpx2.ConnectTimeout():
            return ErrorCode.NETWORK
        case httpx2.TimeoutException() | openai.APITimeoutError():
            return ErrorCode.TIMEOUT
        case httpx2.RemoteProtocolError() if "incomplete" in str(error):
            # The server closed the connection in the middle of a body that it had begun.
            return ErrorCode.INCOMPLETE
        case _:
            return ErrorCode.NETWORK


def _detail(words: str, key: str) -> str:
    """One line for logs, without the key, which some servers repeat when they refuse it."""
    if key:
        words = words.replace(key, "***")
    return " ".join(words.split())[:_LONGEST_DETAIL] or "the server gave no reason"


def _cause(error: Exception, key: str) -> Exception | None:
    """What may be kept as the cause: an exception whose words hold the key may not."""
    return None if key and key in str(error) else error
