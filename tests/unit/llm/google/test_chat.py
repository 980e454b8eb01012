import gc
import sys
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from dataclasses import replace
from typing import Any

import pytest

from assistant.core.errors import ErrorCode, ProviderError
from assistant.llm.backend import (
    Finish,
    Finished,
    ModelAttachment,
    ModelDelta,
    ModelMessage,
    ModelRequest,
    ModelToolCall,
    ToolSchema,
    Usage,
)
from assistant.llm.google.chat import GoogleChat
from assistant.llm.transport.endpoint import Endpoint
from tests.fakes.model_server.server import DEFAULT, Fault, ModelServer, RecordedRequest, Reply, ScriptedCall
from tests.fakes.model_server.wire_google import GoogleReply, GoogleWire, events, failure, retry_info, said

REQUEST = ModelRequest(model="gemini-2.5-flash", system="", messages=(ModelMessage(role="user", text="Hi."),))
SIGNATURE = "c2lnbmVk+/8="


def serving(script: Any = DEFAULT, **options: Any) -> ModelServer:
    return ModelServer(script, wire=GoogleWire(), **options)


@pytest.fixture
async def chat() -> AsyncIterator[GoogleChat]:
    chat = GoogleChat()
    yield chat
    await chat.close()


def endpoint(server: ModelServer, key: str = "k") -> Endpoint:
    return Endpoint(provider="mine", base_url=server.base_url, key=key)


async def ask(chat: GoogleChat, where: Endpoint, request: ModelRequest = REQUEST) -> list[ModelDelta]:
    return [delta async for delta in chat.stream(where, request)]


async def refused(chat: GoogleChat, where: Endpoint, request: ModelRequest = REQUEST) -> ProviderError:
    with pytest.raises(ProviderError) as raised:
        await ask(chat, where, request)
    return raised.value


async def test_the_request_is_sent_as_it_was_composed(chat: GoogleChat) -> None:
    city = {"type": "object", "properties": {"city": {"type": ["string", "null"]}}, "required": ["city"]}
    request = replace(
        REQUEST,
        system="You are Sori.",
        tools=(ToolSchema(name="clock", description="Tells the time.", parameters=city),),
        messages=(ModelMessage(role="user", text="Hi.", attachments=(ModelAttachment(mime_type="a/b", data="+/8="),)),),
        temperature=0.5,
        max_output_tokens=8,
        reasoning=True,
    )
    async with serving() as server:
        await ask(chat, endpoint(server), request)
    (asked,) = server.chats
    assert asked.path == "/v1/models/gemini-2.5-flash:streamGenerateContent?alt=sse"
    assert asked.headers["x-goog-api-key"] == "k"
    parameters = {
        "type": "OBJECT",
        "properties": {"city": {"type": "STRING", "nullable": True}},
        "required": ["city"],
    }
    declaration = {"name": "clock", "description": "Tells the time.", "parameters": parameters}
    (content,) = asked.body["contents"]
    inline = content["parts"][1]["inlineData"]
    assert content["role"] == "user"
    # The SDK writes the names of inner fields and base64 in their other spellings, which the API takes as well.
    assert inline == {"mime_type": "a/b", "data": "-_8="}
    assert asked.body["systemInstruction"]["parts"] == [{"text": "You are Sori."}]
    assert asked.body["tools"] == [{"functionDeclarations": [declaration]}]
    assert asked.body["generationConfig"] == {
        "temperature": 0.5,
        "maxOutputTokens": 8,
        "thinkingConfig": {"include_thoughts": True, "thinking_budget": 4096},
    }


async def test_what_is_unset_is_not_sent(chat: GoogleChat) -> None:
    async with serving() as server:
        await ask(chat, endpoint(server))
    assert server.chats[0].body.get("generationConfig", {}) == {}
    assert server.chats[0].body.keys() <= {"contents", "generationConfig"}


async def test_extra_is_merged_last_by_the_sdks_names_or_the_apis(chat: GoogleChat) -> None:
    extra = {
        "top_k": 3,
        "topP": 0.5,
        "temperature": 1.5,
        "generationConfig": {"seed": 7},
        "safetySettings": [{"category": "HARM_CATEGORY_HARASSMENT", "threshold": "BLOCK_NONE"}],
        "labels": {"a": "b"},
        "http_options": {"base_url": "http://127.0.0.1:1"},
        "unheardOf": True,
    }
    async with serving() as server:
        await ask(chat, endpoint(server), replace(REQUEST, temperature=0.1, extra=extra))
    body = server.chats[0].body
    assert body["generationConfig"] == {"topK": 3, "topP": 0.5, "temperature": 1.5, "seed": 7}
    assert body["safetySettings"] == extra["safetySettings"]
    assert body["unheardOf"] is True


NO_BASE64 = ModelMessage(role="user", text="", attachments=(ModelAttachment(mime_type="a/b", data="?"),))


@pytest.mark.parametrize(
    "change",
    [{"extra": {"top_k": "many"}}, {"model": "a?b"}, {"messages": (NO_BASE64,)}],
    ids=["extra", "model", "data"],
)
async def test_a_request_that_cannot_be_made_is_refused_before_it_is_sent(
    chat: GoogleChat, change: dict[str, Any]
) -> None:
    async with serving() as server:
        error = await refused(chat, endpoint(server), replace(REQUEST, **change))
    assert error.code is ErrorCode.INVALID_REQUEST
    assert server.requests == []


async def test_a_conversation_with_tools_gives_signatures_and_ids_back(chat: GoogleChat) -> None:
    calls = (ScriptedCall(id="one", name="clock"), ScriptedCall(id="two", name="timer"))
    script = [GoogleReply(text="Well.", tool_calls=calls, signature=SIGNATURE), GoogleReply(text="Yes.", signature="")]
    request = replace(REQUEST, model="gemini-3-pro")
    async with serving(script) as server:
        finished = (await ask(chat, endpoint(server), request))[-1]
        assert isinstance(finished, Finished)
        said_before = ModelMessage(
            role="assistant", text="Well.", tool_calls=finished.tool_calls, signatures=finished.signatures
        )
        results = tuple(ModelMessage(role="tool", text="3", tool_call_id=call.id) for call in finished.tool_calls)
        await ask(chat, endpoint(server), replace(request, messages=(*request.messages, said_before, *results)))
    _, model, function = server.chats[1].body["contents"]
    assert [part.get("functionCall", {}).get("id") for part in model["parts"]] == [None, "one", "two"]
    assert model["parts"][1]["thoughtSignature"].replace("-", "+").replace("_", "/") == SIGNATURE
    assert "thoughtSignature" not in model["parts"][2]
    assert [part["functionResponse"] for part in function["parts"]] == [
        {"id": "one", "name": "clock", "response": {"result": "3"}},
        {"id": "two", "name": "timer", "response": {"result": "3"}},
    ]


async def test_a_conversation_with_another_providers_calls_goes_on_with_the_third_generation(chat: GoogleChat) -> None:
    call = ModelToolCall(id="toolu_1", name="clock", arguments={})
    foreign = {"type": "thinking", "thinking": "Hm.", "signature": "x"}
    history = (
        *REQUEST.messages,
        ModelMessage(role="assistant", text="", tool_calls=(call,), signatures=(foreign,)),
        ModelMessage(role="tool", text="3", tool_call_id="toolu_1"),
    )
    async with serving() as server:
        for model in ("gemini-3-pro", "gemini-flash-latest"):
            deltas = await ask(chat, endpoint(server), replace(REQUEST, model=model, messages=history))
            assert isinstance(deltas[-1], Finished)


async def test_that_a_model_wants_signatures_is_learnt_once(chat: GoogleChat) -> None:
    def script(asked: RecordedRequest) -> Reply:
        signed = "thoughtSignature" in str(asked.body)
        return (
            Reply() if signed else failure(400, "Function call is missing a thought_signature in functionCall parts.")
        )

    call = ModelToolCall(id="a", name="clock", arguments={})
    history = (*REQUEST.messages, ModelMessage(role="assistant", text="", tool_calls=(call,)))
    async with serving(script) as server:
        for _ in range(2):
            await ask(chat, endpoint(server), replace(REQUEST, model="gemini-flash-latest", messages=history))
    assert len(server.chats) == 3


async def test_signatures_that_are_refused_are_left_out_of_that_request_only(chat: GoogleChat) -> None:
    def script(asked: RecordedRequest) -> Reply:
        refused = SIGNATURE.rstrip("=")[:6] in str(asked.body)
        return failure(400, "Thought signature is not valid.") if refused else Reply()

    mark = {"type": "google.text", "start": 0, "end": 3, "signature": SIGNATURE}
    history = (*REQUEST.messages, ModelMessage(role="assistant", text="Yes", signatures=(mark,)), *REQUEST.messages)
    async with serving(script) as server:
        for _ in range(2):
            assert await ask(chat, endpoint(server), replace(REQUEST, messages=history))
    assert len(server.chats) == 4


@pytest.mark.parametrize(
    ("model", "takes", "forms"),
    [
        ("gemini-3-pro", {"thinking_budget"}, ["thinking_level", "thinking_budget", "thinking_budget"]),
        ("gemini-flash-latest", {"thinking_level"}, ["thinking_budget", "thinking_level", "thinking_level"]),
        ("gemini-2.5-flash", set(), ["thinking_budget", "thinking_level", None, None]),
    ],
)
async def test_another_way_of_thinking_is_learnt_from_its_refusal(
    chat: GoogleChat, model: str, takes: set[str], forms: list[str | None]
) -> None:
    def form_of(asked: RecordedRequest) -> str | None:
        names = asked.body.get("generationConfig", {}).get("thinkingConfig", {}).keys() - {"include_thoughts"}
        return next(iter(names), None)

    def script(asked: RecordedRequest) -> Reply:
        form = form_of(asked)
        return failure(400, f"{form} is not supported for this model.") if form not in {None, *takes} else Reply()

    async with serving(script) as server:
        for _ in range(2):
            await ask(chat, endpoint(server), replace(REQUEST, model=model, reasoning=True))
    assert [form_of(each) for each in server.chats] == forms


async def test_what_did_not_help_is_not_remembered(chat: GoogleChat) -> None:
    broken = True

    def script(_: RecordedRequest) -> Reply:
        return failure(400, "Thinking is not supported today.") if broken else Reply()

    request = replace(REQUEST, model="gemini-3-pro", reasoning=True)
    async with serving(script) as server:
        await refused(chat, endpoint(server), request)
        broken = False
        await ask(chat, endpoint(server), request)
    assert "thinkingConfig" in server.chats[-1].body["generationConfig"]


async def test_a_level_that_a_model_does_not_know_becomes_the_nearest(chat: GoogleChat) -> None:
    def level_of(asked: RecordedRequest) -> str:
        return str(asked.body["generationConfig"]["thinkingConfig"]["thinking_level"])

    def script(asked: RecordedRequest) -> Reply:
        level = level_of(asked)
        refused = failure(400, f"Thinking level {level} is not supported for this model.")
        return Reply() if level in {"LOW", "HIGH"} else refused

    request = replace(REQUEST, model="gemini-3-pro", reasoning=True)
    async with serving(script) as server:
        for effort in ("medium", "minimal", "medium"):
            await ask(chat, endpoint(server), replace(request, reasoning_effort=effort))
    assert [level_of(each) for each in server.chats] == ["MEDIUM", "HIGH", "MINIMAL", "LOW", "HIGH"]


async def test_a_reason_to_stop_that_nobody_knows_yet_is_a_plain_stop(chat: GoogleChat) -> None:
    async with serving([Reply(text="Yes.", finish="QUITE_NEW")]) as server:
        assert (await ask(chat, endpoint(server)))[-1] == Finished(reason=Finish.STOP)


async def test_a_bad_key_is_an_authentication_error(chat: GoogleChat) -> None:
    async with serving(api_key="good") as server:
        error = await refused(chat, endpoint(server, "bad"))
    assert (error.code, error.status) == (ErrorCode.AUTHENTICATION, 400)


async def test_the_wait_in_the_body_is_told_and_nothing_is_tried_again(chat: GoogleChat) -> None:
    async with serving([failure(429, "slow down", retry_info("12.5s"))]) as server:
        error = await refused(chat, endpoint(server))
    assert (error.code, error.retry_after_s) == (ErrorCode.RATE_LIMITED, 12.5)
    assert len(server.chats) == 1


async def test_an_error_inside_the_stream_keeps_its_status(chat: GoogleChat) -> None:
    gone = {
        "error": {"code": 429, "message": "slow down", "status": "RESOURCE_EXHAUSTED", "details": [retry_info("3s")]}
    }
    async with serving([events(said({"text": "Well"}), gone)]) as server:
        error = await refused(chat, endpoint(server))
    assert (error.code, error.status, error.retry_after_s) == (ErrorCode.RATE_LIMITED, 429, 3.0)


async def test_a_blocked_prompt_is_refused_content(chat: GoogleChat) -> None:
    async with serving([events({"promptFeedback": {"blockReason": "PROHIBITED_CONTENT"}})]) as server:
        error = await refused(chat, endpoint(server))
    assert error.code is ErrorCode.CONTENT_REFUSED


async def test_an_unreadable_reason_leaves_the_status(chat: GoogleChat) -> None:
    async with serving([Reply(status=503, body="\ud55c<html>", content_type="text/html")]) as server:
        error = await refused(chat, endpoint(server))
    assert (error.code, error.status) == (ErrorCode.OVERLOADED, 503)


async def test_a_page_names_the_address_that_sent_it(chat: GoogleChat) -> None:
    async with serving([Reply(body="<html>", content_type="text/html")]) as server:
        error = await refused(chat, endpoint(server))
    assert error.code is ErrorCode.INVALID_RESPONSE
    assert server.base_url in error.detail


@pytest.mark.parametrize(("suffix", "version"), [("/v1", "v1"), ("/v1/", "v1"), ("", "v1"), ("/v1beta", "v1beta")])
async def test_an_address_may_name_the_version(chat: GoogleChat, suffix: str, version: str) -> None:
    async with serving() as server:
        where = replace(endpoint(server), base_url=server.base_url.removesuffix("/v1") + suffix)
        if version == "v1":
            await ask(chat, where)
        else:
            await refused(chat, where)
    assert server.requests[0].path.startswith(f"/{version}/models/")


async def test_nothing_of_the_environment_goes_to_another_server(
    chat: GoogleChat, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("GOOGLE_API_KEY", "GEMINI_API_KEY", "GOOGLE_CLOUD_PROJECT"):
        monkeypatch.setenv(name, "of-another-server")
    monkeypatch.setenv("GOOGLE_GENAI_USE_VERTEXAI", "true")
    monkeypatch.setenv("GOOGLE_GENAI_API_VERSION", "v9")
    monkeypatch.setenv("GOOGLE_GEMINI_BASE_URL", "http://127.0.0.1:1")
    async with serving() as server:
        await ask(chat, endpoint(server, ""))
    (asked,) = server.chats
    assert "x-goog-api-key" not in asked.headers
    assert "of-another-server" not in asked.headers.values()


async def test_loopback_is_never_asked_for_through_a_proxy(chat: GoogleChat, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")
    for name in ("NO_PROXY", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
    async with serving() as server:
        assert await ask(chat, endpoint(server))


@pytest.mark.parametrize(
    "reply",
    [
        Reply(text="One two three four.", fault=Fault.STALL, fault_after=3),
        Reply(text="word " * 5000),
        Reply(text="One two three four.", tokens_per_second=20),
        Reply(hold_open_s=600),
    ],
)
async def test_a_stream_that_is_left_early_leaves_nothing_behind(chat: GoogleChat, reply: Reply) -> None:
    abandoned: list[AsyncGenerator[Any, Any]] = []
    hooks = sys.get_asyncgen_hooks()
    sys.set_asyncgen_hooks(firstiter=hooks.firstiter, finalizer=abandoned.append)
    try:
        async with serving([reply]) as server:
            async with aclosing(chat.stream(endpoint(server), REQUEST)) as stream:
                await anext(stream)
                if reply.hold_open_s:
                    [delta async for delta in stream]
            gc.collect()
            asked = await server.request()
            await asked.over.wait()
    finally:
        sys.set_asyncgen_hooks(firstiter=hooks.firstiter, finalizer=hooks.finalizer)
    assert abandoned == []
    assert asked.disconnected_at is not None


async def test_the_models_that_generate_content_can_be_listed(chat: GoogleChat) -> None:
    async with serving(models=["a", "b"]) as server:
        assert await chat.model_names(endpoint(server)) == ("a", "b")


async def test_thought_counts_as_output(chat: GoogleChat) -> None:
    async with serving([GoogleReply(text="Yes.", thought_tokens=9)]) as server:
        *_, usage, finished = await ask(chat, endpoint(server))
    assert finished == Finished(reason=Finish.STOP)
    assert isinstance(usage, Usage)
    assert usage.output
    assert usage.output > 9
