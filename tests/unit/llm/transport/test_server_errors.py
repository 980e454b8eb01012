"""What the user is told of a server that fails, and of one that is not there (P-13)."""

from datetime import UTC, datetime

import httpx2
import pytest

from assistant.agent.ending import message_of, reason_of
from assistant.core.errors import ErrorCode
from assistant.host.texts import load_texts
from assistant.llm.transport.server_errors import status_error, stream_error, transport_error

NOW = datetime(2026, 5, 1, tzinfo=UTC)
CRASH = {"error": {"message": "CUDA error: out of memory"}}


@pytest.mark.parametrize(
    ("status", "body", "key"),
    [
        (500, CRASH, "server_failed"),
        (500, {"error": {"message": "failed to parse grammar", "type": "invalid"}}, "server_failed"),
        (500, "Traceback (most recent call last)", "server_failed"),
        (500, {"detail": "모델 파일을 열 수 없습니다"}, "server_failed"),
        (500, None, "server_failed"),
        (501, {"error": "not implemented"}, "server_failed"),
        (507, {"error": "Insufficient Storage"}, "server_failed"),
        (500, {"error": {"message": "The model is overloaded."}}, "overloaded"),
        (500, {"error": {"message": "Loading model"}}, "overloaded"),
        (502, None, "overloaded"),
        (503, CRASH, "overloaded"),
        (504, {"error": "deadline"}, "overloaded"),
        (529, {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}, "overloaded"),
        (400, CRASH, "invalid_request"),
        (401, CRASH, "authentication"),
        (404, CRASH, "model_not_found"),
        (429, CRASH, "rate_limited"),
    ],
)
@pytest.mark.parametrize("language", ["ko", "en"])
def test_a_server_that_fails_is_not_called_busy_and_its_own_words_are_told(
    status: int, body: object, key: str, language: str
) -> None:
    texts = load_texts("ko" if language == "ko" else "en")
    error = status_error(status, body, {}, NOW, provider="mine", key="", otherwise=f"Error code: {status}")
    assert (error.reason, error.retryable) == (key, key in {"server_failed", "overloaded", "rate_limited"})
    if key == "server_failed":
        assert error.code is ErrorCode.OVERLOADED, "it is tried again, and others are asked, as before"
        said = "CUDA error: out of memory" if body is CRASH else str(status)
        assert said in message_of(error, texts)
        assert reason_of(error, texts) == texts("chat.reason_server_failed", provider="mine")


def test_the_error_inside_a_stream_is_told_in_the_servers_words_without_the_key() -> None:
    error = stream_error({"error": {"message": "slot 0 crashed; key sk-1 was used", "code": 500}}, "mine", "sk-1")
    assert "slot 0 crashed; key *** was used" in message_of(error, load_texts("en"))
    assert stream_error({"error": {"message": "Overloaded", "type": "overloaded_error"}}, "mine").reason == "overloaded"


@pytest.mark.parametrize(
    ("address", "key"),
    [
        ("http://127.0.0.1:11434/v1/models", "server_unreachable"),
        ("http://localhost:1234/v1/chat/completions", "server_unreachable"),
        ("http://[::1]:8080/v1", "server_unreachable"),
        ("http://127.9.9.9:8080/v1", "server_unreachable"),
        ("http://llm.localhost:8080/v1", "server_unreachable"),
        ("https://api.openai.com/v1", "network"),
        ("http://192.168.0.7:11434/v1", "network"),
        ("http://localhost.example.com/v1", "network"),
    ],
)
@pytest.mark.parametrize("kind", [httpx2.ConnectError, httpx2.ConnectTimeout, httpx2.ReadError])
def test_the_internet_is_not_blamed_for_a_dead_server_on_this_computer(
    address: str, key: str, kind: type[httpx2.RequestError]
) -> None:
    error = transport_error(kind("refused", request=httpx2.Request("POST", address)), "mine", "")
    assert (error.code, error.reason, error.retryable) == (ErrorCode.NETWORK, key, True)
    for language, internet in (("ko", "인터넷"), ("en", "internet")):
        told = message_of(error, load_texts("ko" if language == "ko" else "en"))
        assert (internet in told) == (key == "network")
        assert "mine" in told


def test_an_error_that_belongs_to_no_request_is_one_of_the_network() -> None:
    assert transport_error(httpx2.ConnectError("refused"), "mine", "").reason == "network"
