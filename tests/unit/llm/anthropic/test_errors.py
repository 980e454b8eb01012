from typing import Any

import anthropic
import httpx2
import pytest

from assistant.core.errors import ErrorCode, ProviderError
from assistant.llm.anthropic.errors import provider_error, translated
from assistant.llm.transport.server_errors import stream_error

REQUEST = httpx2.Request("POST", "http://127.0.0.1/v1/messages")


def refused(status: int, body: object, **headers: str) -> anthropic.APIStatusError:
    response = httpx2.Response(status, request=REQUEST, headers={k.replace("_", "-"): v for k, v in headers.items()})
    return anthropic.APIStatusError("message", response=response, body=body)


def told(kind: str, message: str = "no") -> dict[str, Any]:
    """An error as the API words it."""
    return {"type": "error", "error": {"type": kind, "message": message}, "request_id": "req_1"}


def broken(cause: Exception) -> anthropic.APIConnectionError:
    error = anthropic.APIConnectionError(request=REQUEST)
    error.__cause__ = cause
    return error


@pytest.mark.parametrize(
    ("status", "body", "code"),
    [
        (400, told("invalid_request_error", "prompt is too long: 210000 tokens > 200000 maximum"), "context_too_long"),
        (400, told("invalid_request_error", "Your credit balance is too low to access the API"), "quota"),
        (400, told("invalid_request_error", "messages: Field required"), "invalid_request"),
        (401, told("authentication_error", "invalid x-api-key"), "authentication"),
        (402, told("billing_error"), "quota"),
        (403, told("permission_error"), "permission"),
        (404, told("not_found_error", "model: claude-x"), "model_not_found"),
        (413, told("request_too_large"), "context_too_long"),
        (429, told("rate_limit_error", "would exceed the rate limit of 50 requests a minute"), "rate_limited"),
        (500, told("api_error"), "overloaded"),
        (504, told("timeout_error"), "overloaded"),
        (529, told("overloaded_error"), "overloaded"),
        (404, "<html>404</html>", "model_not_found"),
    ],
)
def test_the_body_tells_what_the_status_leaves_open(status: int, body: object, code: str) -> None:
    error = provider_error(refused(status, body), "mine")
    assert (error.code, error.status, error.provider) == (code, status, "mine")


def test_the_wait_is_told_by_header() -> None:
    assert provider_error(refused(429, told("rate_limit_error"), retry_after="12"), "mine").retry_after_s == 12


@pytest.mark.parametrize(
    ("kind", "code", "status"),
    [
        ("overloaded_error", "overloaded", 529),
        ("rate_limit_error", "rate_limited", 429),
        ("api_error", "overloaded", 500),
        ("request_too_large", "context_too_long", 413),
        ("of_tomorrow", "overloaded", None),
    ],
)
def test_an_error_event_has_the_status_that_its_type_has_outside_a_stream(
    kind: str, code: str, status: int | None
) -> None:
    for error in (provider_error(refused(200, told(kind)), "mine"), stream_error(told(kind), "mine")):
        assert (error.code, error.status) == (code, status)


@pytest.mark.parametrize(
    ("raised", "code"),
    [
        (broken(httpx2.ConnectError("refused")), "network"),
        (broken(httpx2.ConnectTimeout("slow")), "network"),
        (broken(httpx2.WriteTimeout("slow")), "timeout"),
        (anthropic.APITimeoutError(request=REQUEST), "timeout"),
        (httpx2.ReadError("reset"), "network"),
        (httpx2.RemoteProtocolError("peer closed connection (incomplete chunked read)"), "incomplete"),
        (httpx2.DecodingError("not gzip"), "invalid_response"),
        (httpx2.InvalidURL("no"), "invalid_request"),
    ],
)
def test_a_broken_connection_has_one_meaning_however_it_is_raised(raised: Exception, code: str) -> None:
    assert provider_error(raised, "mine").code == code


def test_what_the_sdk_cannot_read_is_no_answer() -> None:
    with pytest.raises(ProviderError) as raised, translated("mine", ""):
        raise ValueError("no JSON")
    assert raised.value.code is ErrorCode.INVALID_RESPONSE


def test_a_key_that_a_server_repeats_is_blotted_out() -> None:
    with pytest.raises(ProviderError) as raised, translated("mine", "sk-ant-secret"):
        raise refused(401, told("authentication_error", "bad key sk-ant-secret"))
    assert "sk-ant-secret" not in f"{raised.value} {raised.value.values}"
    assert "***" in str(raised.value)
