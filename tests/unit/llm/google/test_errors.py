import json
from typing import Any

import httpx2
import pytest
from google.genai import errors

from assistant.core.errors import ErrorCode, ProviderError
from assistant.llm.google.connection import SentRequest
from assistant.llm.google.errors import translated
from assistant.llm.transport.endpoint import Endpoint
from tests.fakes.model_server.script import Reply
from tests.fakes.model_server.wire_google import failure, quota_failure, retry_info

WHERE = Endpoint(provider="mine", base_url="http://127.0.0.1/v1", key="AIza-secret")
CURRENT = "You exceeded your current quota, please check your plan and billing details."


def refused(reply: Reply) -> ProviderError:
    """What the error that the SDK raises for an answer is to Sori."""
    body = json.loads(reply.body or "{}")
    response = httpx2.Response(reply.status, headers=dict(reply.headers))
    exchange = SentRequest()
    exchange.answered(response, stream=True)
    return caught(errors.APIError(reply.status, body, response), exchange)


def caught(raised: Exception, exchange: SentRequest) -> ProviderError:
    with pytest.raises(ProviderError) as error, translated(WHERE, exchange):
        raise raised
    return error.value


@pytest.mark.parametrize(
    ("reply", "code"),
    [
        (failure(400, "API key not valid. Please pass a valid API key.", reason="API_KEY_INVALID"), "authentication"),
        (failure(400, "API key expired. Please renew the API key."), "authentication"),
        (failure(400, "The input token count (1048577) exceeds the maximum number of tokens"), "context_too_long"),
        (failure(400, "User location is not supported for the API use."), "permission"),
        (failure(400, "The free tier is not available. Please enable billing."), "quota"),
        (failure(400, "* GenerateContentRequest.model: unexpected model name format"), "model_not_found"),
        (failure(400, "Unknown name \"x\": Cannot find field."), "invalid_request"),
        (failure(403, "Method doesn't allow unregistered callers."), "authentication"),
        (failure(403, "Permission denied: Consumer has been suspended."), "permission"),
        (failure(404, "models/x is not found for API version v1"), "model_not_found"),
        (failure(429, "Resource has been exhausted (e.g. check quota)."), "rate_limited"),
        (failure(429, CURRENT), "quota"),
        (failure(429, CURRENT, retry_info("37s")), "rate_limited"),
        (failure(429, CURRENT, quota_failure("GenerateRequestsPerMinutePerProjectPerModel")), "rate_limited"),
        (failure(429, CURRENT, quota_failure("GenerateRequestsPerDayPerProject"), retry_info("37s")), "quota"),
        (failure(429, f"{CURRENT} limit: 0", retry_info("37s")), "quota"),
        (failure(429, "Your prepayment credits are depleted."), "quota"),
        (failure(500, "An internal error has occurred."), "overloaded"),
        (failure(503, "The model is overloaded."), "overloaded"),
        (failure(504, "Deadline expired."), "overloaded"),
        (Reply(status=404, body='{"message": "<html>", "status": "Not Found"}'), "model_not_found"),
        (Reply(status=502, body='"odd"'), "overloaded"),
        (Reply(status=418, body='[1, 2]'), "invalid_request"),
    ],
)  # fmt: skip
def test_the_body_tells_what_the_status_leaves_open(reply: Reply, code: str) -> None:
    error = refused(reply)
    assert (error.code, error.status, error.provider) == (code, reply.status, "mine")


@pytest.mark.parametrize(
    ("reply", "seconds"),
    [
        (failure(429, "no", retry_info("37s")), 37.0),
        (failure(429, "no", retry_info("0.25s")), 0.25),
        (failure(429, "no", retry_info("37s"), retry_after="5"), 5.0),
        (failure(429, "no", retry_info("soon")), None),
        (failure(503, "no", retry_after="7"), 7.0),
        (failure(429, "no"), None),
    ],
)
def test_the_wait_is_told_by_header_or_in_the_body(reply: Reply, seconds: float | None) -> None:
    assert refused(reply).retry_after_s == seconds


@pytest.mark.parametrize(
    ("raised", "code"),
    [
        (httpx2.ConnectError("refused"), "network"),
        (httpx2.ConnectTimeout("slow"), "network"),
        (httpx2.ReadError("reset"), "network"),
        (httpx2.WriteTimeout("slow"), "timeout"),
        (httpx2.RemoteProtocolError("Server disconnected without sending a response."), "network"),
        (httpx2.RemoteProtocolError("peer closed connection (incomplete chunked read)"), "incomplete"),
        (httpx2.DecodingError("not gzip"), "invalid_response"),
        (httpx2.UnsupportedProtocol("no scheme"), "invalid_request"),
        (httpx2.InvalidURL("no"), "invalid_request"),
    ],
)
def test_a_broken_connection_has_one_meaning(raised: Exception, code: str) -> None:
    assert caught(raised, SentRequest()).code == code


@pytest.mark.parametrize("raised", [ValueError("x"), TypeError("x"), AttributeError("x"), KeyError("x")])
@pytest.mark.parametrize(
    ("status", "code"),
    [
        (None, ErrorCode.INVALID_REQUEST),
        (200, ErrorCode.INVALID_RESPONSE),
        (401, ErrorCode.AUTHENTICATION),
        (503, ErrorCode.OVERLOADED),
    ],
)
def test_what_the_sdk_stumbles_over_is_known_by_how_far_the_exchange_was(
    raised: Exception, status: int | None, code: ErrorCode
) -> None:
    exchange = SentRequest()
    if status is not None:
        exchange.answered(httpx2.Response(status), stream=True)
    assert caught(raised, exchange).code is code


def test_a_key_that_a_server_repeats_is_blotted_out() -> None:
    error = refused(failure(401, f"bad key {WHERE.key}"))
    told: list[Any] = [str(error), repr(error.values), repr(error.__cause__)]
    assert not any(WHERE.key in words for words in told)
    assert "***" in str(error)
