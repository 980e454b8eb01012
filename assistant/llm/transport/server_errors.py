"""Maps errors of servers to Sori's codes, for all SDKs: by status, by text, and by how the connection failed.

The reason for a 400 or a 429 is in the body. An error inside a stream has no status of its own.
"""

import json
import re
import ssl
from collections.abc import Mapping
from datetime import datetime
from http import HTTPStatus
from typing import Any

import httpx2

from assistant.core.addresses import is_local_host
from assistant.core.errors import ErrorCode, ProviderError
from assistant.llm.transport.endpoint import Endpoint
from assistant.llm.transport.retry_after import retry_after_s, retry_info_s

TRANSPORT_ERRORS = (httpx2.HTTPError, httpx2.InvalidURL, httpx2.StreamError, ssl.SSLError)
"""Exceptions of the transport, which some SDKs do not wrap."""

_LONGEST_DETAIL = 300

_INPUT = r"\b(prompt|inputs?|conversation|messages?|request)`?( text| tokens?)?( \([^)]*\))?"
"""What is too long, whatever it is called, with or without its length in brackets."""

_BY_WORD = {
    code: re.compile("|".join(patterns), re.IGNORECASE)
    for code, patterns in {
        ErrorCode.CONTEXT_TOO_LONG: (
            r"context_length_exceeded|exceed_context_size|string_above_max_length|request_too_large",
            r"context[ _-](length|window|size|limit|shift)|context (the )?overflow|context is full|max_model_len",
            r"model token limit|(?<!daily )(?<!monthly )token limit (is |was )?exceeded",
            rf"{_INPUT}( is| are| was)? (too (long|large|big)\b|(longer|larger|greater) than)",
            r"\b(prompt|inputs?|conversation) (exceed|.{0,30}\b(tokens?|length)\b.{0,60}\bexceed)",
            r"exceed\w* .{0,40}\b(maximum number of (input )?|max(imum)? input )tokens",
            r"exceeds? max(imum)? (prompt|input)|prompt exceeds max|maximum (prompt|input|model|sequence) length",
            r"\binputs`.{0,40}must (be <=|have less than)|range of input length|cannot truncate to \d",
            r"too many (input |prompt )?tokens|tokens in request more than max|max(imum)? input tokens",
            r"\breduce (the (length|size) of )?(the|your) (messages?|prompt|input|conversation)",
            # vLLM gets this number when it subtracts the prompt from the context.
            r"max_(completion_)?tokens\b.{0,30}got -\d",
            r"request payload size exceeds|\A1261\b|超长|上下文长度",
            r"(입력|프롬프트|컨텍스트|문맥).{0,20}(초과|너무 (길|깁|긴))",
        ),
        ErrorCode.QUOTA: (
            r"insufficient_quota",
            r"billing",
            r"insufficient (balance|credit)",
            r"credit balance",
            r"credits? (is|are) depleted",
            r"spend(ing)? (cap|limit)",
            r"current quota",
            r"\b1113\b",
        ),
        ErrorCode.AUTHENTICATION: (
            r"invalid_api_key",
            r"api_key_invalid",
            r"(incorrect|invalid) api key",
            r"api key (not valid|expired|not found)",
            r"unregistered callers",
        ),
        ErrorCode.CONTENT_REFUSED: (
            r"content_filter",
            r"content_policy",
            r"moderation_blocked",
            r"rejected .{0,40}safety system",
            r"content (management|filtering) policy",
            r"blocked (due to|by) safety",
            r"violat\w+ .{0,40}polic",
            r"\b1301\b",
        ),
        ErrorCode.MODEL_NOT_FOUND: (
            r"model_not_found",
            r"\b1211\b",
            r"model\b.{0,80}\b(does not exist|not found|not exist|is not available)",
            r"(unknown|no such) model",
            r"unexpected model name format",
            r"models?/\S+ is not (found|supported)",
        ),
        ErrorCode.PERMISSION: (r"location is not supported",),
        ErrorCode.RATE_LIMITED: (r"rate[ _]limit", r"resource_exhausted", r"too many requests"),
        ErrorCode.OVERLOADED: (r"overloaded", r"server_error", r"unavailable", r"loading model"),
    }.items()
}
"""Patterns in the errors of OpenAI, Anthropic, Google and compatible servers (llama.cpp, Z.AI's numbers).

More specific codes come first.
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

_BUSY = {502, 503, 504, 520, 521, 522, 523, 524, 529}
"""Statuses of a server that is busy or away for a while. Any other from 500 on is a failure with a reason to tell."""

_WORDS_DECIDE = {
    400: {
        ErrorCode.CONTEXT_TOO_LONG,
        ErrorCode.QUOTA,
        ErrorCode.AUTHENTICATION,
        ErrorCode.CONTENT_REFUSED,
        ErrorCode.MODEL_NOT_FOUND,
        ErrorCode.PERMISSION,
    },
    403: {ErrorCode.QUOTA, ErrorCode.CONTENT_REFUSED, ErrorCode.AUTHENTICATION},
    422: {ErrorCode.CONTEXT_TOO_LONG, ErrorCode.CONTENT_REFUSED},
    **dict.fromkeys((401, 402, 404, 408, 429), frozenset[ErrorCode]()),
}
"""Statuses with several possible reasons, and the codes that the text may decide. With any other status, which local
servers choose freely, the text may say that the context is full."""

_NOT_LOADED = re.compile(
    r"\bno models? (is |are )?(currently )?loaded\b"
    r"|\bmodels?\b.{0,80}\b(not (currently |yet )?loaded|unloaded|needs? to be loaded)\b",
    re.IGNORECASE,
)
"""A local server has the program but no model in memory: LM Studio, Jan, llama.cpp's router."""

_PER_TIME = re.compile(r"\bper (minute|min|hour|day)\b|\b(rate|quota)[ _]limit", re.IGNORECASE)
"""Texts about tokens in a time, whatever they say of their number."""

_NAMED_STATUSES = {
    # Anthropic's types of errors.
    "invalid_request_error": 400,
    "authentication_error": 401,
    "billing_error": 402,
    "permission_error": 403,
    "not_found_error": 404,
    "request_too_large": 413,
    "rate_limit_error": 429,
    "api_error": 500,
    "timeout_error": 504,
    "overloaded_error": 529,
    # Google's.
    "INVALID_ARGUMENT": 400,
    "FAILED_PRECONDITION": 400,
    "UNAUTHENTICATED": 401,
    "PERMISSION_DENIED": 403,
    "NOT_FOUND": 404,
    "RESOURCE_EXHAUSTED": 429,
    "INTERNAL": 500,
    "UNAVAILABLE": 503,
    "DEADLINE_EXCEEDED": 504,
}
"""Names of errors, and their statuses outside a stream according to the APIs' references."""

_SPENT = re.compile(r"PerDay|PerMonth", re.IGNORECASE)
"""Ids of quotas that are not restored within a minute."""

_NO_QUOTA = re.compile(
    r"limit: 0(?![\d.])|credits? (is|are) depleted|spend(ing)? (cap|limit)|enable billing", re.IGNORECASE
)
"""Texts that mean a spent quota even if the server also sends a time to wait."""


def stream_error(body: object, provider: str, key: str = "") -> ProviderError:
    """The error for an error object inside a stream. The object may contain a status."""
    words = words_of(body)
    status = _status_in(body)
    code = (_by_words(words) or ErrorCode.OVERLOADED) if status is None else _code_of(status, body)
    return ProviderError(
        code,
        _detail(words, key),
        provider=provider,
        status=status,
        retry_after_s=retry_info_s(_details(body)),
        message_key=_message_key(code, words, status),
    )


_ERROR_MEMBERS = frozenset(
    {"code", "detail", "error_type", "message", "object", "param", "request_id", "status", "statusCode", "type"}
)


def raise_told_error(endpoint: Endpoint, written: bytes) -> None:
    """Raise the error that a server tells with a success, as an event or as the body.

    Args:
        endpoint: the server.
        written: the JSON of an event or of a body; any other text tells no error.
    """
    # Most events are parts of an answer, and the SDK parses each again.
    if b'"error' not in written and not (b'"message"' in written or b'"detail"' in written):
        return
    try:
        told = json.loads(written)
    except (ValueError, RecursionError):
        return
    if isinstance(told, list) and len(told) == 1:
        told = told[0]
    if isinstance(told, Mapping) and _tells_error(told):
        raise stream_error(told, endpoint.provider, endpoint.key)


def _tells_error(told: Mapping[str, Any]) -> bool:
    """Whether an object is an error: it says so, or holds nothing but what errors hold."""
    if told.get("error") or "error" in (told.get("object"), told.get("type")):
        return True
    if isinstance(told.get("error"), Mapping):
        return "choices" not in told
    reason = told.get("message") or told.get("detail")
    return isinstance(reason, str | list) and told.keys() <= _ERROR_MEMBERS


def status_error(
    status: int, body: object, headers: Mapping[str, str], now: datetime, *, provider: str, key: str, otherwise: str
) -> ProviderError:
    """The error for a response with an error status.

    Args:
        status: HTTP status.
        body: the body as JSON or text, or ``None``.
        headers: of the response.
        now: the current time with time zone.
        provider: name of the provider.
        key: its API key, which is removed from the server's text.
        otherwise: the text for an empty body.
    """
    by_header = retry_after_s(headers, now)
    code = _code_of(status, body)
    return ProviderError(
        code,
        _detail(f"{status}: {words_of(body) or otherwise}", key),
        provider=provider,
        status=status,
        retry_after_s=retry_info_s(_details(body)) if by_header is None else by_header,
        message_key=_message_key(code, words_of(body), status),
    )


def _message_key(code: ErrorCode, words: str, status: int | None) -> str:
    """The key of the text for the user; empty for the code's own."""
    if code is ErrorCode.OVERLOADED and status not in _BUSY and not _BY_WORD[code].search(words):
        return "server_failed"
    return "model_not_loaded" if code is ErrorCode.MODEL_NOT_FOUND and _NOT_LOADED.search(words) else ""


def _code_of(status: int, body: object) -> ErrorCode:
    words = words_of(body)
    if status == HTTPStatus.TOO_MANY_REQUESTS:
        return _limit(body, words)
    told = _by_words(words)
    if told is not None and told in _WORDS_DECIDE.get(status, {ErrorCode.CONTEXT_TOO_LONG}):
        return told
    if status not in _BY_STATUS and _NOT_LOADED.search(words):
        return ErrorCode.MODEL_NOT_FOUND
    if status in _BY_STATUS:
        return _BY_STATUS[status]
    if status < HTTPStatus.BAD_REQUEST:
        # Redirects are not followed. A redirect means that the address is not the API's root.
        return ErrorCode.INVALID_RESPONSE
    return ErrorCode.OVERLOADED if status >= HTTPStatus.INTERNAL_SERVER_ERROR else ErrorCode.INVALID_REQUEST


def _limit(body: object, words: str) -> ErrorCode:
    """Distinguish a rate limit that ends soon from a quota that is spent for the day or for good.

    Google writes "current quota" and "billing" about a quota per minute too. Its details tell the difference.
    """
    violations = [
        str(violation.get("quotaId") or violation.get("quotaMetric") or "")
        for each in _details(body)
        for violation in each.get("violations") or []
        if isinstance(violation, Mapping)
    ]
    if any(_SPENT.search(each) for each in violations) or _NO_QUOTA.search(words):
        return ErrorCode.QUOTA
    vague = not violations and retry_info_s(_details(body)) is None
    return ErrorCode.QUOTA if vague and _BY_WORD[ErrorCode.QUOTA].search(words) else ErrorCode.RATE_LIMITED


def _by_words(words: str) -> ErrorCode | None:
    if _NOT_LOADED.search(words):
        return ErrorCode.MODEL_NOT_FOUND
    found = (code for code, pattern in _BY_WORD.items() if pattern.search(words))
    per_time = _PER_TIME.search(words) is not None
    return next((code for code in found if not (per_time and code is ErrorCode.CONTEXT_TOO_LONG)), None)


def words_of(body: object) -> str:
    """Code, type, status, reasons and message of an error's body, whatever its shape."""
    error = _error_in(body)
    if not isinstance(error, Mapping):
        return str(error) if error else ""
    reasons = [each.get("reason") for each in _details(error)]
    message = next((error[key] for key in ("message", "Message", "detail", "error") if error.get(key)), None)
    # A gateway's own message says nothing; what the server behind it said is beside it.
    behind = error.get("metadata")
    raw = behind.get("raw") if isinstance(behind, Mapping) else None
    parts = (error.get("code"), error.get("type"), error.get("status"), *reasons, message, raw)
    return " ".join(str(part) for part in parts if part)


def _error_in(body: object) -> object:
    """The innermost error object. Google's compatible endpoint wraps it in a list."""
    if isinstance(body, list) and len(body) == 1:
        return _error_in(body[0])
    inner = body.get("error") if isinstance(body, Mapping) else None
    return _error_in(inner) if isinstance(inner, Mapping) else body


def _details(body: object) -> list[Mapping[str, Any]]:
    error = _error_in(body)
    listed = error.get("details") if isinstance(error, Mapping) else None
    return [each for each in listed if isinstance(each, Mapping)] if isinstance(listed, list) else []


def _status_in(body: object) -> int | None:
    error = _error_in(body)
    if not isinstance(error, Mapping):
        return None
    for told in (error.get("code"), error.get("status")):
        try:
            status = int(str(told))
        except ValueError:
            continue
        if HTTPStatus.BAD_REQUEST <= status < 600:
            return status
    named = (_NAMED_STATUSES.get(str(error.get(name))) for name in ("type", "status", "code"))
    return next(filter(None, named), None)


def transport_error(error: Exception, provider: str, key: str) -> ProviderError:
    """The error for a connection that failed or broke."""
    code, place = _transport_code(error), _place_on_this_machine(error)
    detail = _detail(f"{place} {type(error).__name__}: {error}".strip(), key)
    message_key = "server_unreachable" if place and code is ErrorCode.NETWORK else ""
    return ProviderError(code, detail, provider=provider, message_key=message_key)


def _place_on_this_machine(error: Exception) -> str:
    """Host and port of the request of an error if they are this machine's, to which no internet leads; else empty."""
    try:
        url = error.request.url if isinstance(error, httpx2.RequestError) else None
    except RuntimeError:  # The error belongs to no request.
        url = None
    return f"{url.host}:{url.port}" if url is not None and is_local_host(url.host) else ""


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
            # The server closed the connection in the middle of a body.
            return ErrorCode.INCOMPLETE
        case _:
            return ErrorCode.NETWORK


def was_dropped(error: BaseException) -> bool:
    """Whether an SDK's error of the connection means that it was opened, and closed or reset before any answer.

    Args:
        error: as the SDK raised it, before the head of an answer had come.
    """
    return isinstance(error.__cause__, httpx2.RemoteProtocolError | httpx2.ReadError | httpx2.WriteError)


def _detail(words: str, key: str) -> str:
    """One line for logs, without the key, which some servers repeat when they refuse it."""
    if key:
        words = words.replace(key, "***")
    return " ".join(words.split())[:_LONGEST_DETAIL] or "the server gave no reason"


def cause_of(error: Exception, key: str) -> Exception | None:
    """The exception to keep as the cause, or ``None`` if its text holds the key."""
    return None if key and key in str(error) else error
