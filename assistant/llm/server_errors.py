"""What servers' errors mean to Sori, whichever SDK they came through: by status, by words, by how a connection broke.

The reason for a 400 or a 429 is in the body, and an error inside a stream has no status of its own.
"""

import re
import ssl
from collections.abc import Mapping
from datetime import datetime
from http import HTTPStatus
from typing import Any

import httpx2

from assistant.core.errors import ErrorCode, ProviderError
from assistant.llm.retry_after import retry_after_s

TRANSPORT_ERRORS = (httpx2.HTTPError, httpx2.InvalidURL, httpx2.StreamError, ssl.SSLError)
"""What the transport beneath the SDKs raises, and some of them let through."""

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
            r"exceed context limit",
            r"too many (input )?tokens",
        ),
        ErrorCode.QUOTA: (
            r"insufficient_quota",
            r"billing",
            r"insufficient (balance|credit)",
            r"credit balance",
            r"current quota",
            r"\b1113\b",
        ),
        ErrorCode.AUTHENTICATION: (r"invalid_api_key", r"(incorrect|invalid) api key", r"api key not valid"),
        ErrorCode.CONTENT_REFUSED: (
            r"content_filter",
            r"content_policy",
            r"content (management|filtering) policy",
            r"\b1301\b",
        ),
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
"""Reasons by the words of OpenAI, Anthropic and compatible servers (llama.cpp, Z.AI's numbers).

The more telling come first.
"""

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


def stream_error(body: object, provider: str, key: str = "") -> ProviderError:
    """The error object that a server sent in place of the rest of an answer; it may or may not carry a status."""
    words = words_of(body)
    code: ErrorCode | None = None
    status = _status_in(body)
    if status is not None:
        code = _code_of(status, words)
    code = code or _by_words(words) or ErrorCode.OVERLOADED
    return ProviderError(code, _detail(words, key), provider=provider, status=status)


def status_error(
    status: int, body: object, headers: Mapping[str, str], now: datetime, *, provider: str, key: str, otherwise: str
) -> ProviderError:
    """The error that an answer with an error status is.

    Args:
        status: HTTP status.
        body: JSON of the body, its text, or ``None``.
        headers: of the answer.
        now: the present, with time zone.
        provider: name of the provider.
        key: its API key, blotted out of the detail wherever the server repeats it.
        otherwise: what to say when the body says nothing.
    """
    words = words_of(body)
    return ProviderError(
        _code_of(status, words),
        _detail(f"{status}: {words or otherwise}", key),
        provider=provider,
        status=status,
        retry_after_s=retry_after_s(headers, now),
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


def words_of(body: object) -> str:
    """Code, type and message of an error's body, in whatever shape it came."""
    if isinstance(body, Mapping):
        inner = body.get("error")
        if isinstance(inner, Mapping):
            return words_of(inner)
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


def transport_error(error: Exception, provider: str, key: str) -> ProviderError:
    """The error that a connection which failed or broke is."""
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
        case httpx2.TimeoutException():
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


def cause_of(error: Exception, key: str) -> Exception | None:
    """What may be kept as the cause: an exception whose words hold the key may not."""
    return None if key and key in str(error) else error
