import httpx2
import openai
import pytest

from assistant.llm.openai.errors import provider_error
from assistant.llm.transport.server_errors import stream_error

REQUEST = httpx2.Request("POST", "http://127.0.0.1/v1/chat/completions")


def status_error(status: int, body: object) -> openai.APIStatusError:
    return openai.APIStatusError("message", response=httpx2.Response(status, request=REQUEST), body=body)


def connection_error(cause: Exception) -> openai.APIConnectionError:
    error = openai.APIConnectionError(request=REQUEST)
    error.__cause__ = cause
    return error


@pytest.mark.parametrize(
    ("status", "body", "code"),
    [
        (400, {"code": "context_length_exceeded", "message": "maximum is 8192"}, "context_too_long"),
        (400, {"type": "exceed_context_size_error", "message": "too big"}, "context_too_long"),
        (400, {"code": "content_filter", "message": "filtered"}, "content_refused"),
        (400, {"error": {"code": "1261", "message": "Prompt exceeds max length"}}, "context_too_long"),
        (400, {"code": "1261", "message": "프롬프트가 너무 깁니다"}, "context_too_long"),
        (400, {"code": "1210", "message": "tokens in request more than max tokens allowed"}, "context_too_long"),
        (400, {"message": "This model's maximum prompt length is 131072 but …"}, "context_too_long"),
        (400, {"code": "1210", "message": "1261 is no temperature"}, "invalid_request"),
        (400, {"code": "1211", "message": "모델이 없습니다"}, "model_not_found"),
        (400, {"code": "invalid_api_key", "message": "API key not valid."}, "authentication"),
        (400, {"message": "temperature is not supported"}, "invalid_request"),
        (404, {"code": "model_not_found", "message": "The model `x` does not exist"}, "model_not_found"),
        (404, "<html>404</html>", "model_not_found"),
        (429, {"code": "insufficient_quota", "message": "You exceeded your current quota"}, "quota"),
        (429, {"error": {"code": "1113", "message": "잔액 부족"}}, "quota"),
        (429, {"message": "Rate limit reached; the context window is large"}, "rate_limited"),
        (503, {"message": "Loading model", "type": "unavailable_error", "code": 503}, "overloaded"),
        (500, None, "overloaded"),
        (418, None, "invalid_request"),
    ],
)  # fmt: skip
def test_the_body_tells_what_the_status_leaves_open(status: int, body: object, code: str) -> None:
    error = provider_error(status_error(status, body), "mine")
    assert (error.code, error.status, error.provider) == (code, status, "mine")


@pytest.mark.parametrize(
    ("raised", "code"),
    [
        (connection_error(httpx2.ConnectError("refused")), "network"),
        (connection_error(httpx2.ConnectTimeout("slow")), "network"),
        (connection_error(httpx2.ReadError("reset")), "network"),
        (connection_error(httpx2.UnsupportedProtocol("no scheme")), "invalid_request"),
        (openai.APIConnectionError(request=REQUEST), "network"),
        (openai.APITimeoutError(request=REQUEST), "timeout"),
        (connection_error(httpx2.ReadTimeout("slow")), "timeout"),
        (httpx2.ReadError("reset"), "network"),
        (httpx2.RemoteProtocolError("Server disconnected without sending a response."), "network"),
        (httpx2.RemoteProtocolError("peer closed connection (incomplete chunked read)"), "incomplete"),
        (httpx2.DecodingError("not gzip"), "invalid_response"),
        (httpx2.TooManyRedirects("20"), "invalid_response"),
        (httpx2.InvalidURL("no"), "invalid_request"),
    ],
)
def test_a_broken_connection_has_one_meaning_however_it_is_raised(raised: Exception, code: str) -> None:
    assert provider_error(raised, "mine").code == code


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({"message": "Overloaded", "type": "overloaded_error"}, "overloaded"),
        ({"message": "busy", "code": 429}, "rate_limited"),
        ({"message": "Rate limit exceeded", "code": "rate_limit_exceeded"}, "rate_limited"),
        ({"message": "too long", "code": "context_length_exceeded"}, "context_too_long"),
        ({"message": "blocked", "code": "content_filter"}, "content_refused"),
        ({"message": "failed", "code": 500}, "overloaded"),
        ("something odd", "overloaded"),
        (None, "overloaded"),
    ],
)
def test_an_error_inside_a_stream_is_known_by_its_words(body: object, code: str) -> None:
    assert stream_error(body, "mine").code == code


def test_a_key_that_a_server_repeats_is_blotted_out() -> None:
    error = provider_error(status_error(401, {"message": "bad key sk-secret"}), "mine", "sk-secret")
    assert "sk-secret" not in str(error)
    assert "***" in str(error)


def test_a_long_page_is_cut_to_one_line() -> None:
    error = provider_error(status_error(502, "<html>\n\n" + "x" * 10_000), "mine")
    assert len(error.detail) <= 300
    assert "\n" not in error.detail
