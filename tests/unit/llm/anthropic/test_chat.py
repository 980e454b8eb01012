import asyncio
import json
from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from typing import Any

import pytest

from assistant.core.errors import ErrorCode, ProviderError
from assistant.llm.anthropic.chat import AnthropicChat
from assistant.llm.backend import Finish, Finished, ModelDelta, ModelMessage, ModelRequest, TextDelta, Usage
from assistant.llm.transport.endpoint import Endpoint
from tests.fakes.model_server.server import DEFAULT, ModelServer, RecordedRequest, Reply, refusal
from tests.fakes.model_server.wire_anthropic import SIGNATURE, AnthropicWire

REQUEST = ModelRequest(model="claude-opus-4-1", system="", messages=(ModelMessage(role="user", text="Hi."),))
SHORT = replace(REQUEST, max_output_tokens=8)
WARM = replace(SHORT, model="qwen3-8b", temperature=0.3)
"""To a model that is not Anthropic's, whose server may have a version of the API with a temperature."""
Refuses = Callable[[dict[str, Any]], str]


@pytest.fixture
async def chat() -> AsyncIterator[AnthropicChat]:
    chat = AnthropicChat()
    yield chat
    await chat.close()


def serving(script: Any = DEFAULT, **wire: Any) -> ModelServer:
    return ModelServer(script, wire=AnthropicWire(**wire))


def refusing(refuses: Refuses) -> Callable[[RecordedRequest], Reply]:
    """A script that answers 400 with the words that ``refuses`` finds for a request, if any."""

    def script(request: RecordedRequest) -> Reply:
        words = refuses(request.body)
        return refusal(400, words) if words else Reply()

    return script


def endpoint(server: ModelServer, key: str = "k") -> Endpoint:
    return Endpoint(provider="mine", base_url=server.base_url, key=key)


async def ask(chat: AnthropicChat, where: Endpoint, request: ModelRequest = REQUEST) -> list[ModelDelta]:
    return [delta async for delta in chat.stream(where, request)]


async def test_the_longest_answer_is_asked_of_the_models_endpoint_once(chat: AnthropicChat) -> None:
    async with serving(max_tokens=32_000) as server:
        await asyncio.gather(*(ask(chat, endpoint(server)) for _ in range(3)))
    assert [each.path for each in server.requests].count("/v1/models/claude-opus-4-1") == 1
    assert [each.body["max_tokens"] for each in server.chats] == [32_000] * 3


async def test_a_limit_of_ones_own_asks_for_none(chat: AnthropicChat) -> None:
    async with serving() as server:
        await ask(chat, endpoint(server), SHORT)
    assert [each.path for each in server.requests] == ["/v1/messages"]
    assert server.chats[0].body["max_tokens"] == 8


async def test_without_a_models_endpoint_the_longest_answer_is_probed_once_for_all(chat: AnthropicChat) -> None:
    async with serving(max_tokens=None, longest=64_000) as server:
        await asyncio.gather(*(ask(chat, endpoint(server)) for _ in range(3)))
    assert [each.body["max_tokens"] for each in server.chats] == [999_999_999, 64_000, 64_000, 64_000]


async def test_a_server_that_takes_the_probe_has_answered_it(chat: AnthropicChat) -> None:
    async with serving(max_tokens=None, longest=0) as server:
        assert isinstance((await ask(chat, endpoint(server)))[-1], Finished)
        await ask(chat, endpoint(server))
    assert [each.body["max_tokens"] for each in server.chats] == [999_999_999] * 2


async def test_a_maximum_that_cannot_be_read_is_8192_and_not_remembered(chat: AnthropicChat) -> None:
    script = refusing(lambda body: "max_tokens: too many" if body["max_tokens"] > 9000 else "")
    async with serving(script, max_tokens=None, longest=0) as server:
        for _ in range(2):
            await ask(chat, endpoint(server))
    assert [each.body["max_tokens"] for each in server.chats] == [999_999_999, 8192] * 2


async def test_another_refusal_of_the_probe_is_raised_at_once_and_the_next_request_probes_again(
    chat: AnthropicChat,
) -> None:
    async with serving([refusal(401, "no"), Reply()], max_tokens=None, longest=0) as server:
        with pytest.raises(ProviderError) as raised:
            await ask(chat, endpoint(server))
        assert raised.value.code is ErrorCode.AUTHENTICATION
        assert len(server.chats) == 1
        await ask(chat, endpoint(server))
    assert server.chats[1].body["max_tokens"] == 999_999_999


def takes_no_temperature(body: dict[str, Any]) -> str:
    return "temperature: Extra inputs are not permitted" if "temperature" in body else ""


async def test_what_did_not_help_is_not_remembered(chat: AnthropicChat) -> None:
    refuses = ["The temperature sensor of this server is broken."]
    async with serving(refusing(lambda _: refuses[0])) as server:
        with pytest.raises(ProviderError):
            await ask(chat, endpoint(server), WARM)
        refuses[0] = ""
        await ask(chat, endpoint(server), WARM)
    assert ["temperature" in each.body for each in server.chats] == [True, False, True]


async def test_what_the_probe_was_refused_is_not_tried_again_after_it(chat: AnthropicChat) -> None:
    def refuses(body: dict[str, Any]) -> str:
        asked = body["max_tokens"]
        return takes_no_temperature(body) or (f"max_tokens: {asked} > 64000, the maximum" if asked > 64_000 else "")

    async with serving(refusing(refuses), max_tokens=None, longest=0) as server:
        await ask(chat, endpoint(server), replace(WARM, max_output_tokens=None))
    tried = [each.body["max_tokens"] for each in server.chats if "temperature" in each.body]
    assert tried == [999_999_999]
    assert server.chats[-1].body["max_tokens"] == 64_000


async def test_a_version_without_temperature_is_learnt_from_one_refusal_for_every_model(chat: AnthropicChat) -> None:
    models = ["qwen3-8b", "qwen3-8b", "glm-4.7", "llama-4"]
    async with serving(refusing(takes_no_temperature)) as server:
        for model in models:
            await ask(chat, endpoint(server), replace(WARM, model=model))
    assert ["temperature" in each.body for each in server.chats] == [True, False, False, False, False]


@pytest.mark.parametrize("model", ["claude-opus-4-1", "claude-haiku-5-5", "anthropic.claude-sonnet-5-v1:0"])
async def test_the_version_that_is_named_has_no_temperature_for_anthropics_models(
    chat: AnthropicChat, model: str
) -> None:
    async with serving(refusing(takes_no_temperature)) as server:
        await ask(chat, endpoint(server), replace(WARM, model=model))
        (asked,) = server.chats
    assert (asked.headers["anthropic-version"], "temperature" in asked.body) == ("2026-10-21", False)


async def test_a_model_that_thinks_otherwise_is_learnt_from_its_refusal(chat: AnthropicChat) -> None:
    def adaptive_only(body: dict[str, Any]) -> str:
        enabled = body.get("thinking", {}).get("type") == "enabled"
        return '"thinking.type.enabled" is not supported for this model.' if enabled else takes_no_temperature(body)

    async with serving(refusing(adaptive_only)) as server:
        for _ in range(2):
            await ask(chat, endpoint(server), replace(SHORT, reasoning=True))
    kinds = [each.body["thinking"]["type"] for each in server.chats]
    assert kinds == ["enabled", "adaptive", "adaptive"]


async def test_the_models_endpoint_tells_how_a_model_thinks(chat: AnthropicChat) -> None:
    types = {"adaptive": {"supported": True}, "enabled": {"supported": False}}
    async with serving(capabilities={"thinking": {"types": types}}) as server:
        await ask(chat, endpoint(server), replace(REQUEST, reasoning=True))
    assert [each.body["thinking"] for each in server.chats] == [{"type": "adaptive", "display": "summarized"}]


async def test_thoughts_that_another_model_signed_are_taken_out_when_they_are_refused(chat: AnthropicChat) -> None:
    words = "messages.1.content.0: Invalid `signature` in `thinking` block"
    async with serving(refusing(lambda body: words if SIGNATURE in str(body) else "")) as server:
        thought = {"type": "thinking", "thinking": "Hm.", "signature": SIGNATURE}
        said = ModelMessage(role="assistant", text="Hello.", signatures=(thought,))
        request = replace(SHORT, reasoning=True, messages=(*REQUEST.messages, said, *REQUEST.messages))
        assert isinstance((await ask(chat, endpoint(server), request))[-1], Finished)
    assert server.chats[1].body["thinking"]["type"] == "enabled"


async def test_signed_thoughts_are_handed_on(chat: AnthropicChat) -> None:
    async with serving([Reply(reasoning="Hm.")]) as server:
        finished = (await ask(chat, endpoint(server)))[-1]
    thought = {"type": "thinking", "thinking": "Hm.", "signature": SIGNATURE}
    assert finished == Finished(reason=Finish.STOP, signatures=(thought,))


async def test_a_paused_turn_is_sent_back_and_goes_on(chat: AnthropicChat) -> None:
    async with serving([Reply(text="One ", finish="pause_turn"), Reply(text="two.")]) as server:
        deltas = await ask(chat, endpoint(server))
    assert "".join(each.text for each in deltas if isinstance(each, TextDelta)) == "One two."
    assert server.chats[1].body["messages"][1:] == [
        {"role": "assistant", "content": [{"type": "text", "text": "One "}]}
    ]


async def test_a_server_that_pauses_for_ever_is_given_up(chat: AnthropicChat) -> None:
    async with serving([Reply(text="Hm.", finish="pause_turn")]) as server:
        with pytest.raises(ProviderError) as raised:
            await ask(chat, endpoint(server))
    assert raised.value.code is ErrorCode.INCOMPLETE


async def test_nothing_of_the_environment_goes_to_another_server(
    chat: AnthropicChat, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"):
        monkeypatch.setenv(name, "of-another-server")
    monkeypatch.setenv("ANTHROPIC_BASE_URL", "http://127.0.0.1:1")
    monkeypatch.setenv("ANTHROPIC_CUSTOM_HEADERS", "Authorization: Bearer of-another-server")
    async with serving() as server:
        await ask(chat, endpoint(server, ""))
        await ask(chat, endpoint(server, "own"))
    assert not any("of-another-server" in str(each.headers) for each in server.requests)
    assert [each.headers.get("x-api-key") for each in server.chats] == [None, "own"]


async def test_a_server_that_does_not_stream_is_understood(chat: AnthropicChat) -> None:
    whole = {
        "type": "message",
        "content": [{"type": "text", "text": "안녕하세요."}],
        "stop_reason": "end_turn",
        "usage": {"input_tokens": 3, "output_tokens": 4},
    }
    async with serving([Reply(body=json.dumps(whole))]) as server:
        deltas = await ask(chat, endpoint(server))
    assert deltas == [TextDelta(text="안녕하세요."), Usage(input=3, output=4, total=7), Finished(reason=Finish.STOP)]


@pytest.mark.parametrize(
    ("kind", "code"),
    [
        ("overloaded_error", ErrorCode.OVERLOADED),
        ("rate_limit_error", ErrorCode.RATE_LIMITED),
        ("authentication_error", ErrorCode.AUTHENTICATION),
        ("invalid_request_error", ErrorCode.INVALID_REQUEST),
        ("request_too_large", ErrorCode.CONTEXT_TOO_LONG),
        ("a_new_error", ErrorCode.OVERLOADED),
    ],
)
async def test_an_error_told_with_status_200_has_the_meaning_of_its_type(
    chat: AnthropicChat, kind: str, code: ErrorCode
) -> None:
    body = json.dumps({"type": "error", "error": {"type": kind, "message": "no"}})
    event = Reply(body=f"event: error\ndata: {body}\n\n", content_type="text/event-stream")
    async with serving([event]) as server:
        with pytest.raises(ProviderError) as raised:
            await ask(chat, endpoint(server))
    assert raised.value.code is code


async def test_the_models_of_a_server_can_be_listed(chat: AnthropicChat) -> None:
    async with ModelServer(models=["a", "b"], wire=AnthropicWire()) as server:
        assert await chat.model_names(endpoint(server)) == ("a", "b")
