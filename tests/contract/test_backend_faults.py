"""What every backend of a language model does when something breaks: one behaviour, whatever API and SDK are beneath.

For each fault: the code of the error, its status and the wait it asks for, what had come before, and that nothing is
asked twice, as retries are one policy's and not an SDK's. Long tables run once for each wire format
(``opened_format``); one case of each table runs for every kind (``opened``).
"""

import json
import socket
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import pytest

from assistant.core.errors import ErrorCode
from assistant.core.settings import Provider
from assistant.llm.backend import Finish, Finished, ModelDelta, TextDelta, ToolCallDelta
from tests.fakes.backend_bench import Open, text_of
from tests.fakes.model_server.server import Fault, ModelServer, Reply, ScriptedCall, refusal

KOREAN = "똑똑한 비서, 뷁!"
PAGE = "<html><body>Sign in</body></html>"
EVENTS = "text/event-stream"


async def test_a_server_that_takes_its_time_is_waited_for_and_asked_once(opened: Open) -> None:
    async with opened(Reply(text="Yes.", first_token_s=0.2)) as bench:
        assert text_of(await bench.all()) == "Yes."
        assert len(bench.server.chats) == 1


async def test_a_server_that_is_not_there_is_a_network_error(opened: Open) -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{unused.getsockname()[1]}/v1"
        async with opened() as bench:
            bench.provider = Provider(name="mine", kind=bench.provider.kind, base_url=address)
            error, _ = await bench.failure()
    assert (error.code, error.status, error.retryable) == (ErrorCode.NETWORK, None, True)


@pytest.mark.parametrize(
    ("fault", "code"),
    [
        (Fault.HANG_UP, ErrorCode.NETWORK),
        (Fault.RESET, ErrorCode.NETWORK),
        (Fault.CUT, ErrorCode.INCOMPLETE),
        (Fault.NO_FINISH, ErrorCode.INCOMPLETE),
        (Fault.GARBAGE, ErrorCode.INVALID_RESPONSE),
        (Fault.INVALID_UTF8, ErrorCode.INVALID_RESPONSE),
        (Fault.ERROR_EVENT, ErrorCode.OVERLOADED),
    ],
)
async def test_an_answer_that_breaks_before_its_first_word_leaves_nothing(
    opened: Open, fault: Fault, code: ErrorCode
) -> None:
    async with opened(Reply(fault=fault, fault_after=0)) as bench:
        error, deltas = await bench.failure()
    assert error.code is code
    assert deltas == []
    assert len(bench.server.chats) == 1


@pytest.mark.parametrize(
    ("fault", "code"),
    [
        (Fault.RESET, ErrorCode.NETWORK),
        (Fault.CUT, ErrorCode.INCOMPLETE),
        (Fault.NO_FINISH, ErrorCode.INCOMPLETE),
        (Fault.GARBAGE, ErrorCode.INVALID_RESPONSE),
        (Fault.INVALID_UTF8, ErrorCode.INVALID_RESPONSE),
        (Fault.ERROR_EVENT, ErrorCode.OVERLOADED),
    ],
)
async def test_a_stream_that_breaks_is_an_error_after_what_had_come(
    opened_format: Open, fault: Fault, code: ErrorCode
) -> None:
    async with opened_format(Reply(text="One two three four.", fault=fault, fault_after=2)) as bench:
        error, deltas = await bench.failure()
    assert (error.code, error.status) == (code, None)
    assert deltas == [TextDelta(text="One"), TextDelta(text=" two")]
    assert len(bench.server.chats) == 1


@pytest.mark.parametrize(
    ("fault", "code"),
    [
        (Fault.RESET, ErrorCode.NETWORK),
        (Fault.CUT, ErrorCode.INCOMPLETE),
        (Fault.NO_FINISH, ErrorCode.INCOMPLETE),
    ],
)
async def test_a_stream_cut_inside_a_tool_call_gives_no_tool_call(opened: Open, fault: Fault, code: ErrorCode) -> None:
    call = ScriptedCall(name="clock", arguments='{"city": "Seoul, Korea"}')
    async with opened(Reply(text="", tool_calls=(call,), fault=fault, fault_after=2)) as bench:
        error, deltas = await bench.failure()
    assert error.code is code
    assert deltas
    assert all(isinstance(delta, ToolCallDelta) for delta in deltas)
    assert len(bench.server.chats) == 1


@pytest.mark.parametrize(
    ("told", "code", "status", "wait_s"),
    [
        ({"message": "busy", "code": 429}, ErrorCode.RATE_LIMITED, 429, None),
        ({"message": "busy", "code": "429"}, ErrorCode.RATE_LIMITED, 429, None),
        ({"message": "no", "code": 500}, ErrorCode.OVERLOADED, 500, None),
        ({"message": "slow down", "code": "rate_limit_exceeded"}, ErrorCode.RATE_LIMITED, None, None),
        ({"message": "spent", "code": "insufficient_quota"}, ErrorCode.QUOTA, None, None),
        ({"message": "no", "code": "context_length_exceeded"}, ErrorCode.CONTEXT_TOO_LONG, None, None),
        ({"message": "Overloaded", "type": "overloaded_error"}, ErrorCode.OVERLOADED, 529, None),
        ({"message": "no", "type": "authentication_error"}, ErrorCode.AUTHENTICATION, 401, None),
        ({"message": "exhausted", "status": "RESOURCE_EXHAUSTED"}, ErrorCode.RATE_LIMITED, 429, None),
        ({"message": "no", "status": "UNAVAILABLE"}, ErrorCode.OVERLOADED, 503, None),
        (
            {"message": "no", "status": "RESOURCE_EXHAUSTED", "details": [{"retryDelay": "2.5s"}]},
            ErrorCode.RATE_LIMITED,
            429,
            2.5,
        ),
        ({"message": "The server had an error"}, ErrorCode.OVERLOADED, None, None),
        ({}, ErrorCode.OVERLOADED, None, None),
    ],
)
async def test_an_error_inside_a_stream_is_known_by_its_number_its_name_or_its_words(
    opened_format: Open, told: dict[str, Any], code: ErrorCode, status: int | None, wait_s: float | None
) -> None:
    async with opened_format(Reply(text="One two three.", fault=Fault.ERROR_EVENT, error=told)) as bench:
        error, deltas = await bench.failure()
    assert (error.code, error.status, error.retry_after_s) == (code, status, wait_s)
    assert text_of(deltas) == "One two"
    assert len(bench.server.chats) == 1


@pytest.mark.parametrize(
    ("status", "words"),
    [
        (500, "context shift is disabled"),
        (500, "Input is too large to process. Either enable context shift or increase the context length."),
        (400, "the request exceeds the available context size (4096 tokens), try increasing it"),
        (400, "Requested tokens (5000) exceed context window of 4096"),
        (400, "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens."),
        (400, "The decoder prompt (length 5000) is longer than the maximum model length of 4096."),
        (500, "Input length (121079) exceeds model's maximum context length (120000)."),
        (
            422,
            "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096. Given: 5000 `inputs` tokens",
        ),
        (422, "Input validation error: `inputs` must have less than 4095 tokens. Given: 5000"),
        (400, "prompt too long; exceeded max context length by 5 tokens"),
        (400, "Trying to keep the first 6547 tokens when context the overflows."),
        (400, "Input is too long for requested model."),
        (400, "input length and `max_tokens` exceed context limit: 199759 + 8192 > 200000"),
        (400, "Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length"),
        (400, "max_tokens must be at least 1, got -904."),
        (503, "Prompt length (5000) exceeds maximum input length (4096)"),
        (400, "입력 토큰이 모델의 최대 길이를 초과했습니다."),
    ],
)
async def test_a_full_context_is_known_by_its_words_whatever_the_status(
    opened_format: Open, status: int, words: str
) -> None:
    replies = (refusal(status, words), Reply(fault=Fault.ERROR_EVENT, fault_after=0, error={"message": words}))
    async with opened_format(*replies) as bench:
        for _ in replies:
            error, _ = await bench.failure()
            assert error.code is ErrorCode.CONTEXT_TOO_LONG
            assert " ".join(words.split())[:40] in error.detail


@pytest.mark.parametrize(
    ("status", "words", "code"),
    [
        (400, "max_tokens is too large: 9999. This model supports at most 4096", ErrorCode.INVALID_REQUEST),
        (400, "max_tokens: 100000 > 64000, which is the maximum allowed number of output", ErrorCode.INVALID_REQUEST),
        (422, "Input validation error: `temperature` exceeds 2.0", ErrorCode.INVALID_REQUEST),
        (400, "Input image is too large: 12 MB exceeds 5 MB", ErrorCode.INVALID_REQUEST),
        (400, "tools: array too long. Expected an array with maximum length 128", ErrorCode.INVALID_REQUEST),
        (500, "CUDA out of memory", ErrorCode.OVERLOADED),
        (503, "Loading model", ErrorCode.OVERLOADED),
        (429, "tokens per min (TPM): Limit 6000. Please reduce your message size.", ErrorCode.RATE_LIMITED),
        (401, "the prompt is too long for this key", ErrorCode.AUTHENTICATION),
        (500, "모델 서버에 문제가 생겼습니다.", ErrorCode.OVERLOADED),
    ],
)
async def test_other_lengths_and_limits_are_no_full_context(
    opened_format: Open, status: int, words: str, code: ErrorCode
) -> None:
    async with opened_format(refusal(status, words)) as bench:
        error, _ = await bench.failure()
    assert error.code is code


@pytest.mark.parametrize(
    ("status", "words"),
    [
        (400, "No models loaded. Please load a model in the developer page."),
        (404, "Model is not loaded"),
        (500, "model not loaded"),
        (500, "Model unloaded."),
        (503, "The model `qwen3` is not currently loaded"),
    ],
)
async def test_a_server_without_a_loaded_model_says_so(opened_format: Open, status: int, words: str) -> None:
    event = Reply(fault=Fault.ERROR_EVENT, fault_after=0, error={"message": words})
    async with opened_format(refusal(status, words), event) as bench:
        for _ in range(2):
            error, _ = await bench.failure()
            assert (error.code, error.reason) == (ErrorCode.MODEL_NOT_FOUND, "model_not_loaded")


@pytest.mark.parametrize(
    ("told", "code"),
    [
        ({"error": {"message": "busy", "code": 429}}, ErrorCode.RATE_LIMITED),
        ({"error": {"message": "no", "type": "authentication_error"}}, ErrorCode.AUTHENTICATION),
        ({"error": {"message": "prompt is too long"}}, ErrorCode.CONTEXT_TOO_LONG),
        ({"error": "context shift is disabled"}, ErrorCode.CONTEXT_TOO_LONG),
        ({"error": "No models loaded."}, ErrorCode.MODEL_NOT_FOUND),
        ({"error": {"message": "no", "status": "PERMISSION_DENIED"}}, ErrorCode.PERMISSION),
        (
            {"object": "error", "message": "Input is too long for requested model.", "code": 400},
            ErrorCode.CONTEXT_TOO_LONG,
        ),
        ({"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}, ErrorCode.OVERLOADED),
        ({"detail": "maximum context length exceeded"}, ErrorCode.CONTEXT_TOO_LONG),
        (
            {"error": {"message": "Provider returned error", "code": 400, "metadata": {"raw": "prompt is too long"}}},
            ErrorCode.CONTEXT_TOO_LONG,
        ),
    ],
)
@pytest.mark.parametrize("form", ["body", "event", "named event", "bare", "list"])
async def test_an_error_inside_a_success_keeps_its_reason(
    opened_format: Open, told: dict[str, Any], code: ErrorCode, form: str
) -> None:
    written = json.dumps([told] if form == "list" else told)
    bodies = {"event": f"data: {written}\n\n", "named event": f"event: error\ndata: {written}\n\n"}
    kind = "application/json" if form in ("body", "list") else EVENTS
    async with opened_format(Reply(body=bodies.get(form, written), content_type=kind)) as bench:
        error, deltas = await bench.failure()
    assert (error.code, deltas) == (code, [])


@pytest.mark.parametrize(
    ("reply", "code"),
    [
        (Reply(text=""), ErrorCode.EMPTY_RESPONSE),
        (Reply(text=" \n "), ErrorCode.EMPTY_RESPONSE),
        (Reply(text="", finish="length"), ErrorCode.EMPTY_RESPONSE),
        (Reply(text="", reasoning="Hmm."), ErrorCode.EMPTY_RESPONSE),
        (Reply(text="", finish="content_filter"), ErrorCode.CONTENT_REFUSED),
        (Reply(body=PAGE, content_type="text/html"), ErrorCode.INVALID_RESPONSE),
        (Reply(body='{"choices": ['), ErrorCode.INVALID_RESPONSE),
        (Reply(body='["no", "reply"]'), ErrorCode.INVALID_RESPONSE),
        (Reply(body='{"no": "reply"}'), ErrorCode.INVALID_RESPONSE),
        (Reply(body="hello", content_type="text/plain"), ErrorCode.INVALID_RESPONSE),
        (Reply(body='data: {"no": "reply"}\n\n', content_type=EVENTS), ErrorCode.INVALID_RESPONSE),
        (Reply(body="data: nothing of JSON\n\n", content_type=EVENTS), ErrorCode.INVALID_RESPONSE),
        (Reply(body="", content_type=EVENTS), ErrorCode.INCOMPLETE),
    ],
)
async def test_an_answer_that_is_none_is_an_error(opened_format: Open, reply: Reply, code: ErrorCode) -> None:
    async with opened_format(reply) as bench:
        error, deltas = await bench.failure()
    assert (error.code, error.status) == (code, None)
    assert text_of(deltas).strip() == ""
    assert not any(isinstance(delta, Finished) for delta in deltas)
    assert len(bench.server.chats) == 1


@pytest.mark.parametrize("body", [None, PAGE, "[", '"no"'])
@pytest.mark.parametrize(
    ("status", "code"),
    [
        (400, ErrorCode.INVALID_REQUEST),
        (401, ErrorCode.AUTHENTICATION),
        (402, ErrorCode.QUOTA),
        (403, ErrorCode.PERMISSION),
        (404, ErrorCode.MODEL_NOT_FOUND),
        # With its status: a server's own is tried again, a silence that Sori has ended is not.
        (408, ErrorCode.TIMEOUT),
        (409, ErrorCode.INVALID_REQUEST),
        (413, ErrorCode.CONTEXT_TOO_LONG),
        (422, ErrorCode.INVALID_REQUEST),
        (429, ErrorCode.RATE_LIMITED),
        (500, ErrorCode.OVERLOADED),
        (502, ErrorCode.OVERLOADED),
        (503, ErrorCode.OVERLOADED),
        (529, ErrorCode.OVERLOADED),
    ],
)
async def test_a_status_has_one_meaning_and_is_not_tried_again_here(
    opened_format: Open, status: int, code: ErrorCode, body: str | None
) -> None:
    reply = refusal(status, "no") if body is None else Reply(status=status, body=body)
    async with opened_format(reply) as bench:
        error, deltas = await bench.failure()
    assert (error.code, error.status, error.provider, error.retry_after_s) == (code, status, "mine", None)
    assert deltas == []
    assert len(bench.server.chats) == 1


@pytest.mark.parametrize("status", [429, 503])
@pytest.mark.parametrize(
    ("headers", "wait_s"),
    [
        ({"retry_after": "1"}, 1.0),
        ({"retry_after": "0"}, 0.0),
        ({"retry_after": "3600"}, 3600.0),
        ({"retry_after": str(30 * 86_400)}, 30 * 86_400.0),
        ({"retry_after": "Sun, 06 Nov 1994 08:49:37 GMT"}, 0.0),
        ({"retry_after": "in a while"}, None),
        ({"retry_after": "-5"}, None),
        ({"retry_after": "nan"}, None),
        ({"retry_after_ms": "1500"}, 1.5),
        ({"retry_after_ms": "soon", "retry_after": "2"}, 2.0),
        ({}, None),
    ],
)
async def test_the_wait_that_a_server_asks_for_is_told_and_not_taken(
    opened_format: Open, status: int, headers: dict[str, str], wait_s: float | None
) -> None:
    async with opened_format(refusal(status, "slow down", **headers)) as bench:
        error, _ = await bench.failure()
    assert (error.status, error.retry_after_s) == (status, wait_s)
    assert len(bench.server.chats) == 1


async def test_a_wait_may_end_at_a_date(opened_format: Open) -> None:
    date = format_datetime(datetime.now(UTC) + timedelta(days=1), usegmt=True)
    async with opened_format(refusal(429, "slow down", retry_after=date)) as bench:
        error, _ = await bench.failure()
    assert error.retry_after_s is not None
    assert 86_000 < error.retry_after_s <= 86_400


@pytest.mark.parametrize(
    ("details", "code", "wait_s"),
    [
        ([{"retryDelay": "37s"}], ErrorCode.RATE_LIMITED, 37.0),
        ([{"retryDelay": "soon"}], ErrorCode.RATE_LIMITED, None),
        ([{"violations": [{"quotaId": "RequestsPerDay"}]}, {"retryDelay": "9s"}], ErrorCode.QUOTA, 9.0),
    ],
)
async def test_a_wait_may_be_told_in_googles_words(
    opened_format: Open, details: list[dict[str, Any]], code: ErrorCode, wait_s: float | None
) -> None:
    error = {"code": 429, "message": "slow down", "status": "RESOURCE_EXHAUSTED", "details": details}
    async with opened_format(Reply(status=429, body=json.dumps({"error": error}))) as bench:
        raised, _ = await bench.failure()
    assert (raised.code, raised.retry_after_s) == (code, wait_s)


@pytest.mark.parametrize("token_characters", [4096, 1 << 20])
async def test_a_megabyte_of_text_comes_whole(opened_format: Open, token_characters: int) -> None:
    text = ("소리가 들려요. " * (1 << 20))[: 1 << 20]
    async with opened_format(Reply(text=text, token_characters=token_characters)) as bench:
        deltas = await bench.all()
    assert text_of(deltas) == text
    assert isinstance(deltas[-1], Finished)


async def test_bytes_may_be_split_anywhere_in_a_syllable(opened_format: Open) -> None:
    whole = Reply(text=KOREAN, token_characters=len(KOREAN))
    # Every size up to two syllables' worth of escapes, then in steps without a common factor up to the longest event.
    sizes = (*range(1, 25), *range(29, 400, 23))
    async with opened_format(*(replace(whole, piece_bytes=size) for size in sizes)) as bench:
        for _ in sizes:
            assert text_of(await bench.all()) == KOREAN


async def test_one_byte_at_a_time_is_the_same_reply(opened: Open) -> None:
    call = ScriptedCall(id="a", name="timer", arguments='{"label": "라면"}')
    reply = Reply(reasoning="흠.", text=KOREAN, tool_calls=(call,))
    async with opened(reply, replace(reply, piece_bytes=1)) as bench:
        first, second = [await bench.all() for _ in range(2)]
    assert first == second
    assert "라면" in str(first[-1])


@pytest.mark.parametrize("status", [301, 302, 307, 308])
async def test_no_redirect_takes_the_key_elsewhere(opened: Open, status: int) -> None:
    async with ModelServer() as elsewhere:
        moved = Reply(status=status, body="", headers=(("location", f"{elsewhere.base_url}/chat/completions"),))
        async with opened(moved) as bench:
            error, deltas = await bench.failure()
    assert (error.code, error.status) == (ErrorCode.INVALID_RESPONSE, status)
    assert deltas == []
    assert len(bench.server.chats) == 1
    assert elsewhere.requests == []


async def test_a_compressed_reply_is_read(opened: Open) -> None:
    async with opened(Reply(text=KOREAN, compressed=True)) as bench:
        deltas: list[ModelDelta] = await bench.all()
    assert text_of(deltas) == KOREAN
    assert deltas[-1] == Finished(reason=Finish.STOP)


@pytest.mark.parametrize(
    ("reply", "code", "status", "wait_s"),
    [
        (Reply(text=""), ErrorCode.EMPTY_RESPONSE, None, None),
        (Reply(text="", finish="content_filter"), ErrorCode.CONTENT_REFUSED, None, None),
        (Reply(body=PAGE, content_type="text/html"), ErrorCode.INVALID_RESPONSE, None, None),
        (Reply(body="", content_type=EVENTS), ErrorCode.INCOMPLETE, None, None),
        (Reply(fault=Fault.RESET), ErrorCode.NETWORK, None, None),
        (Reply(fault=Fault.ERROR_EVENT, error={"message": "busy", "code": 429}), ErrorCode.RATE_LIMITED, 429, None),
        (refusal(400, "no"), ErrorCode.INVALID_REQUEST, 400, None),
        (refusal(401, "no"), ErrorCode.AUTHENTICATION, 401, None),
        (refusal(429, "slow down", retry_after="3"), ErrorCode.RATE_LIMITED, 429, 3.0),
        (refusal(503, "no"), ErrorCode.OVERLOADED, 503, None),
        (Reply(status=502, body=PAGE), ErrorCode.OVERLOADED, 502, None),
    ],
)
async def test_every_kind_takes_one_fault_of_each_sort_as_its_format_does(
    opened: Open, reply: Reply, code: ErrorCode, status: int | None, wait_s: float | None
) -> None:
    async with opened(reply) as bench:
        error, _ = await bench.failure()
    assert (error.code, error.status, error.retry_after_s, error.provider) == (code, status, wait_s, "mine")
    assert len(bench.server.chats) == 1


@pytest.mark.parametrize(
    "trouble",
    [
        refusal(500, "no"),
        refusal(429, "no", retry_after="1"),
        Reply(fault=Fault.RESET),
        Reply(fault=Fault.HANG_UP),
        Reply(fault=Fault.GARBAGE),
        Reply(fault=Fault.ERROR_EVENT),
        Reply(body=PAGE, content_type="text/html"),
    ],
)
async def test_after_trouble_the_next_request_is_answered(opened: Open, trouble: Reply) -> None:
    async with opened(trouble, Reply(text="Yes.")) as bench:
        await bench.failure()
        assert text_of(await bench.all()) == "Yes."
