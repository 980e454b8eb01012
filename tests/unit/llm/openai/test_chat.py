import json
from collections.abc import AsyncIterator
from contextlib import aclosing
from dataclasses import replace
from typing import Any

import pytest

from assistant.core.errors import ErrorCode, ProviderError
from assistant.llm.backend import (
    Finish,
    Finished,
    ModelDelta,
    ModelMessage,
    ModelRequest,
    TextDelta,
    ThoughtDelta,
    ToolSchema,
    Usage,
)
from assistant.llm.openai.chat import OpenAIChat
from assistant.llm.transport.endpoint import Endpoint
from tests.fakes.model_server.server import Fault, ModelServer, RecordedRequest, Reply, refusal

REQUEST = ModelRequest(
    model="m", system="", messages=(ModelMessage(role="user", text="Hi."),), max_output_tokens=8, extra={"seed": 7}
)


@pytest.fixture
async def chat() -> AsyncIterator[OpenAIChat]:
    chat = OpenAIChat()
    yield chat
    await chat.close()


def endpoint(server: ModelServer, key: str = "") -> Endpoint:
    return Endpoint(provider="mine", base_url=server.base_url, key=key)


async def ask(chat: OpenAIChat, where: Endpoint, request: ModelRequest = REQUEST) -> list[ModelDelta]:
    return [delta async for delta in chat.stream(where, request)]


async def test_the_request_is_sent_as_it_was_composed(chat: OpenAIChat) -> None:
    async with ModelServer() as server:
        await ask(chat, endpoint(server, "k"))
    (asked,) = server.chats
    assert asked.body == {
        "model": "m",
        "messages": [{"role": "user", "content": "Hi."}],
        "max_completion_tokens": 8,
        "seed": 7,
        "stream": True,
        "stream_options": {"include_usage": True},
    }
    assert asked.headers["authorization"] == "Bearer k"


async def test_nothing_of_the_environment_goes_to_another_server(
    chat: OpenAIChat, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID"):
        monkeypatch.setenv(name, "of-another-server")
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:1/v1")
    monkeypatch.setenv("OPENAI_CUSTOM_HEADERS", "Authorization: Bearer of-another-server")
    async with ModelServer() as server:
        await ask(chat, endpoint(server))
    (asked,) = server.chats
    assert "authorization" not in asked.headers
    assert "of-another-server" not in asked.headers.values()


async def test_loopback_is_never_asked_for_through_a_proxy(chat: OpenAIChat, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")
    for name in ("NO_PROXY", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
    async with ModelServer() as server:
        assert await ask(chat, endpoint(server))


@pytest.mark.parametrize(
    ("refused", "sent"),
    [
        (frozenset({"stream_options"}), {"max_completion_tokens"}),
        (frozenset({"max_completion_tokens"}), {"stream_options", "max_tokens"}),
        (frozenset({"stream_options", "max_completion_tokens"}), {"max_tokens"}),
    ],
)
async def test_a_parameter_that_a_server_does_not_know_is_asked_of_it_once(
    chat: OpenAIChat, refused: frozenset[str], sent: set[str]
) -> None:
    async with ModelServer(refuse=refused) as server:
        first = await ask(chat, endpoint(server))
        tries = len(server.chats)
        await ask(chat, endpoint(server))
    assert isinstance(first[-1], Finished)
    assert len(server.chats) == tries + 1
    assert server.chats[-1].body.keys() - {"model", "messages", "stream", "seed"} == sent


async def test_a_model_that_thinks_unseen_shows_life_as_soon_as_its_answer_begins(chat: OpenAIChat) -> None:
    async with (
        ModelServer([Reply(first_token_s=600)]) as server,
        aclosing(chat.stream(endpoint(server), replace(REQUEST, reasoning=True))) as stream,
    ):
        assert await anext(stream) == ThoughtDelta(text="")


def unsupported(param: str, message: str) -> Reply:
    return refusal(400, message, code="unsupported_value", param=param)


async def test_a_reasoning_model_that_refuses_a_temperature_is_sent_none_from_then_on(chat: OpenAIChat) -> None:
    def script(asked: RecordedRequest) -> Reply:
        words = "Unsupported value: 'temperature' does not support 0.3 with this model."
        return unsupported("temperature", words) if "temperature" in asked.body else Reply()

    async with ModelServer(script) as server:
        for model in ("o9", "o9", "other"):
            await ask(chat, endpoint(server), replace(REQUEST, model=model, temperature=0.3))
    assert ["temperature" in each.body for each in server.chats] == [True, False, False, True, False]


async def test_an_effort_that_a_model_does_not_know_becomes_the_nearest_that_it_names(chat: OpenAIChat) -> None:
    def script(asked: RecordedRequest) -> Reply:
        effort = asked.body["reasoning_effort"]
        words = (
            f"'reasoning_effort' does not support '{effort}' with this model. Supported values are: 'low' and 'high'."
        )
        return Reply() if effort in {"low", "high"} else unsupported("reasoning_effort", words)

    async with ModelServer(script) as server:
        for effort in ("minimal", "minimal", "medium"):
            await ask(chat, endpoint(server), replace(REQUEST, reasoning=True, reasoning_effort=effort))
    assert [each.body["reasoning_effort"] for each in server.chats] == ["minimal", "low", "low", "high"]


async def test_a_model_that_cannot_think_is_asked_without_an_effort(chat: OpenAIChat) -> None:
    async with ModelServer(refuse=frozenset({"reasoning_effort"})) as server:
        for _ in range(2):
            assert await ask(chat, endpoint(server), replace(REQUEST, reasoning=True))
    assert ["reasoning_effort" in each.body for each in server.chats] == [True, False, False]


async def test_a_model_that_wants_a_developer_is_sent_one(chat: OpenAIChat) -> None:
    def script(asked: RecordedRequest) -> Reply:
        words = "Unsupported value: 'messages[0].role' does not support 'system' with this model."
        return unsupported("messages[0].role", words) if asked.body["messages"][0]["role"] == "system" else Reply()

    async with ModelServer(script) as server:
        for _ in range(2):
            assert await ask(chat, endpoint(server), replace(REQUEST, system="You are Sori."))
    assert [each.body["messages"][0]["role"] for each in server.chats] == ["system", "developer", "developer"]
    assert server.chats[-1].body["messages"][0]["content"] == "You are Sori."


@pytest.mark.parametrize(
    ("words", "beside_tools"),
    [
        ("To use function tools, use /v1/responses or set reasoning_effort to 'none'.", "none"),
        ("Please use /v1/responses instead.", None),
    ],
)
async def test_a_model_that_calls_tools_only_without_thought_thinks_where_there_are_none(
    chat: OpenAIChat, words: str, beside_tools: str | None
) -> None:
    def script(asked: RecordedRequest) -> Reply:
        if "tools" not in asked.body or asked.body.get("reasoning_effort") == beside_tools:
            return Reply()
        return unsupported("reasoning_effort", f"Function tools with reasoning_effort are not supported. {words}")

    tool = ToolSchema(name="clock", description="Tells.", parameters={"type": "object", "properties": {}})
    thinks = replace(REQUEST, reasoning=True)
    async with ModelServer(script) as server:
        for request in (replace(thinks, tools=(tool,)), replace(REQUEST, tools=(tool,)), thinks):
            assert await ask(chat, endpoint(server), request)
    efforts = [each.body.get("reasoning_effort") for each in server.chats]
    assert efforts == ["medium", beside_tools, beside_tools, "medium"]


async def test_an_answer_that_may_not_be_so_long_is_an_error_and_no_other_name_is_tried(chat: OpenAIChat) -> None:
    def script(asked: RecordedRequest) -> Reply:
        words = "max_tokens is too large: 999999. This model supports at most 16384 completion tokens."
        too_long = asked.body.get("max_completion_tokens", 0) > 16384
        return refusal(400, words, code="invalid_value", param="max_completion_tokens") if too_long else Reply()

    async with ModelServer(script) as server:
        with pytest.raises(ProviderError) as raised:
            await ask(chat, endpoint(server), replace(REQUEST, max_output_tokens=999_999))
        assert await ask(chat, endpoint(server))
    assert "16384" in raised.value.detail
    assert [each.body["max_completion_tokens"] for each in server.chats] == [999_999, 8]


async def test_what_did_not_help_is_not_remembered(chat: OpenAIChat) -> None:
    broken = True

    def script(asked: RecordedRequest) -> Reply:
        return unsupported("temperature", "The temperature sensor of this server is broken.") if broken else Reply()

    async with ModelServer(script) as server:
        with pytest.raises(ProviderError):
            await ask(chat, endpoint(server), replace(REQUEST, temperature=0.3))
        broken = False
        await ask(chat, endpoint(server), replace(REQUEST, temperature=0.3))
    assert ["temperature" in each.body for each in server.chats] == [True, False, True]


async def test_what_the_user_set_in_extra_is_never_changed(chat: OpenAIChat) -> None:
    async with ModelServer(refuse=frozenset({"temperature"})) as server:
        with pytest.raises(ProviderError) as raised:
            await ask(chat, endpoint(server), replace(REQUEST, extra={"temperature": 2}))
    assert raised.value.code is ErrorCode.INVALID_REQUEST
    assert len(server.chats) == 1


async def test_a_refusal_of_anything_else_is_an_error(chat: OpenAIChat) -> None:
    async with ModelServer(refuse=frozenset({"seed"})) as server:
        with pytest.raises(ProviderError) as raised:
            await ask(chat, endpoint(server))
    assert raised.value.code is ErrorCode.INVALID_REQUEST
    assert len(server.chats) == 1


async def test_a_server_that_does_not_stream_is_understood(chat: OpenAIChat) -> None:
    message = {"role": "assistant", "content": "안녕하세요."}
    whole = {
        "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 3, "completion_tokens": 4, "total_tokens": 7},
    }
    async with ModelServer([Reply(body=json.dumps(whole))]) as server:
        deltas = await ask(chat, endpoint(server))
    assert deltas == [
        TextDelta(text="안녕하세요."),
        Usage(input=3, output=4, total=7),
        Finished(reason=Finish.STOP),
    ]


@pytest.mark.parametrize(
    "body", [{"error": {"message": "busy", "code": 429}}, {"error": {"message": "Rate limit hit"}}]
)
async def test_an_error_told_with_status_200_is_an_error(chat: OpenAIChat, body: dict[str, Any]) -> None:
    async with ModelServer([Reply(body=json.dumps(body))]) as server:
        with pytest.raises(ProviderError) as raised:
            await ask(chat, endpoint(server))
    assert raised.value.code is ErrorCode.RATE_LIMITED


async def test_a_reply_is_whole_however_the_connection_ends_after_its_finish(chat: OpenAIChat) -> None:
    async with ModelServer([Reply(text="Yes.", usage=False, hold_open_s=600)]) as server:
        deltas = await ask(chat, endpoint(server))
    assert deltas[-1] == Finished(reason=Finish.STOP)


async def test_the_models_of_a_server_can_be_listed(chat: OpenAIChat) -> None:
    async with ModelServer(models=["a", "b"]) as server:
        assert await chat.model_names(endpoint(server)) == ("a", "b")


# Sori's own server


def own(server: ModelServer, *, is_up: bool = True) -> Endpoint:
    return replace(endpoint(server), reuses_connections=False, is_up=lambda: is_up)


async def test_sori_s_own_server_is_asked_once_more_when_it_closes_the_connection_without_an_answer(
    chat: OpenAIChat,
) -> None:
    async with ModelServer([Reply(fault=Fault.HANG_UP), Reply(text="Hello.")]) as server:
        deltas = await ask(chat, own(server))
    assert "".join(delta.text for delta in deltas if isinstance(delta, TextDelta)) == "Hello."
    first, second = server.chats
    assert first.body == second.body


@pytest.mark.parametrize("case", ["twice", "not running", "another server", "begun"])
async def test_it_is_not_asked_again_in_any_other_case(chat: OpenAIChat, case: str) -> None:
    begun = Reply(fault=Fault.CUT, fault_after=1)
    dropped = begun if case == "begun" else Reply(fault=Fault.HANG_UP)
    async with ModelServer([dropped, dropped, Reply()]) as server:
        where = endpoint(server) if case == "another server" else own(server, is_up=case != "not running")
        with pytest.raises(ProviderError) as caught:
            await ask(chat, where)
    assert caught.value.code is (ErrorCode.INCOMPLETE if case == "begun" else ErrorCode.NETWORK)
    assert len(server.chats) == (2 if case == "twice" else 1)
