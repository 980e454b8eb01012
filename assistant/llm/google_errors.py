"""What the ``google-genai`` SDK raises, as Sori's own errors.

Google says most of it in the body: a bad key is a 400 with the reason ``API_KEY_INVALID``, a 429 is a spent quota or a
limit a minute by its ``QuotaFailure``, and the wait is in a ``RetryInfo`` where other servers have a header. A broken
connection comes through the SDK as a bare ``httpx2`` error.
"""

import re
import ssl
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from http import HTTPStatus
from typing import Any

import httpx2
from google.genai import errors

from assistant.core.errors import ErrorCode, ProviderError
from assistant.llm.google_connection import Exchange
from assistant.llm.openai_format import Endpoint
from assistant.llm.retry_after import retry_after_s

_LONGEST_DETAIL = 300

_BY_WORD = {
    code: re.compile("|".join(patterns), re.IGNORECASE)
    for code, patterns in {
        ErrorCode.AUTHENTICATION: (
            r"API_KEY_INVALID",
            r"API key (not valid|expired|not found)",
            r"unregistered callers",
            r"pass a valid API key",
        ),
        ErrorCode.CONTEXT_TOO_LONG: (
            r"(input|prompt) token count.{0,80}exceeds",
            r"exceeds the maximum number of (input )?tokens",
            r"request payload size exceeds",
        ),
        ErrorCode.MODEL_NOT_FOUND: (
            r"unexpected model name format",
            r"models?/\S+ is not (found|supported)",
        ),
        ErrorCode.PERMISSION: (r"location is not supported",),
        ErrorCode.QUOTA: (
            r"enable billing",
            r"credits? (balance|(is|are) depleted)",
            r"spend(ing)? (cap|limit)",
            r"BILLING_DISABLED",
        ),
        ErrorCode.CONTENT_REFUSED: (r"blocked (due to|by) safety", r"violat\w+ .{0,40}polic"),
    }.items()
}
"""Reasons by Google's words, the more telling first."""

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
    400: set(_BY_WORD),
    403: {ErrorCode.AUTHENTICATION, ErrorCode.QUOTA},
}
"""Statuses that cover several reasons, and which of them the words may tell."""

_SPENT = re.compile(r"PerDay|PerMonth", re.IGNORECASE)
"""Quotas by their ids that are not back within the minute."""

_NO_QUOTA = re.compile(
    r"limit: 0\b|credits? (balance|(is|are) depleted)|spend(ing)? (cap|limit)|enable billing", re.IGNORECASE
)

_CURRENT_QUOTA = re.compile(r"current quota", re.IGNORECASE)
"""Said of a quota a minute as well, so it decides only when nothing else is told."""

_READING = (ValueError, TypeError, AttributeError, KeyError, IndexError)
"""What the SDK lets through when an answer has a shape that it does not expect."""


@contextmanager
def translated(endpoint: Endpoint, exchange: Exchange) -> Iterator[None]:
    """Turn what the SDK and its transport raise within into ``ProviderError``."""
    try:
        yield
    except (errors.APIError, httpx2.HTTPError, httpx2.InvalidURL, httpx2.StreamError, ssl.SSLError) as error:
        raise provider_error(error, endpoint) from _cause(error, endpoint.key)
    except _READING as error:
        raise _unreadable(error, endpoint, exchange) from _cause(error, endpoint.key)


def provider_error(error: Exception, endpoint: Endpoint) -> ProviderError:
    """The error that ``error`` is to Sori; the key is blotted out wherever a server repeats it.

    Args:
        error: what the SDK or its transport raised.
        endpoint: who was asked.
    """
    if not isinstance(error, errors.APIError):
        detail = _detail(f"{type(error).__name__}: {error}", endpoint.key)
        return ProviderError(_transport_code(error), detail, provider=endpoint.provider)
    body = _error_body(error.details)
    status = error.code if isinstance(error.code, int) else None
    return ProviderError(
        _code_of(status, body),
        _detail(f"{error.code}: {_words(body)}", endpoint.key),
        provider=endpoint.provider,
        status=status,
        retry_after_s=_wait(error, body),
    )


def _unreadable(error: Exception, endpoint: Endpoint, exchange: Exchange) -> ProviderError:
    """An answer that the SDK could not read: the status, where there is one, says more than its bytes."""
    status = exchange.status
    what = type(error).__name__
    if status is None:
        code, detail = ErrorCode.INVALID_REQUEST, f"the request cannot be made: {what}: {error}"
    elif status != HTTPStatus.OK:
        code, detail = _code_of(status, {}), f"{status}: the server's reason is not readable ({what})"
    else:
        code, detail = ErrorCode.INVALID_RESPONSE, f"the stream is not readable: {what}"
    told = None if status == HTTPStatus.OK else status
    return ProviderError(code, _detail(detail, endpoint.key), provider=endpoint.provider, status=told)


def _error_body(details: object) -> Mapping[str, Any]:
    """The error object, in whatever it was wrapped."""
    if not isinstance(details, Mapping):
        return {"message": str(details)} if details else {}
    inner = details.get("error")
    if isinstance(inner, Mapping):
        return inner
    return {"message": inner} if isinstance(inner, str) else details


def _words(body: Mapping[str, Any]) -> str:
    """Status, reasons and message of an error."""
    reasons = [str(each["reason"]) for each in _details(body) if each.get("reason")]
    parts = (body.get("status"), *reasons, body.get("message"))
    return " ".join(str(part) for part in parts if part)


def _details(body: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    listed = body.get("details")
    return [each for each in listed if isinstance(each, Mapping)] if isinstance(listed, list) else []


def _code_of(status: int | None, body: Mapping[str, Any]) -> ErrorCode:
    words = _words(body)
    if status == HTTPStatus.TOO_MANY_REQUESTS:
        return _limit(body, words)
    told = next((code for code, pattern in _BY_WORD.items() if pattern.search(words)), None)
    if told is not None and told in _WORDS_DECIDE.get(status or 0, ()):
        return told
    if status in _BY_STATUS:
        return _BY_STATUS[status]
    overloaded = status is None or status >= HTTPStatus.INTERNAL_SERVER_ERROR
    return ErrorCode.OVERLOADED if overloaded else ErrorCode.INVALID_REQUEST


def _limit(body: Mapping[str, Any], words: str) -> ErrorCode:
    """Whether a 429 is over soon, or a quota is spent for the day or for good."""
    violations = [
        str(violation.get("quotaId") or violation.get("quotaMetric") or "")
        for each in _details(body)
        for violation in each.get("violations") or []
        if isinstance(violation, Mapping)
    ]
    if any(_SPENT.search(each) for each in violations) or _NO_QUOTA.search(words):
        return ErrorCode.QUOTA
    if not violations and _retry_info(body) is None and _CURRENT_QUOTA.search(words):
        return ErrorCode.QUOTA
    return ErrorCode.RATE_LIMITED


def _wait(error: errors.APIError, body: Mapping[str, Any]) -> float | None:
    """How long the server asks to be left alone: by header, or in its ``RetryInfo``."""
    headers = getattr(error.response, "headers", None)
    by_header = retry_after_s(headers, datetime.now(UTC)) if isinstance(headers, Mapping) else None
    return by_header if by_header is not None else _retry_info(body)


def _retry_info(body: Mapping[str, Any]) -> float | None:
    """Seconds of ``google.rpc.RetryInfo``, a duration such as ``37.5s``."""
    for each in _details(body):
        delay = re.fullmatch(r"(\d+(?:\.\d+)?)s", str(each.get("retryDelay", "")))
        if delay:
            return float(delay.group(1))
    return None


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


def _cause(error: Exception, key: str) -> Exception | None:
    """What may be kept as the cause: an exception whose words hold the key may not."""
    return None if key and key in str(error) else error
