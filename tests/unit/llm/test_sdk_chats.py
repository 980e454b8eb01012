"""The chats of all wire formats: one client for each provider, and the keys and addresses that are refused."""

from collections.abc import AsyncIterator, Callable
from contextlib import aclosing
from dataclasses import dataclass, replace
from typing import Any

import pytest

from assistant.core.errors import ErrorCode, ProviderError
from assistant.llm.anthropic.chat import AnthropicChat
from assistant.llm.backend import Finished, ModelDelta, ModelMessage, ModelRequest
from assistant.llm.google.chat import GoogleChat
from assistant.llm.openai.chat import OpenAIChat
from assistant.llm.sdk_chat import SdkChat
from assistant.llm.transport.endpoint import Endpoint
from tests.fakes.model_server.server import DEFAULT, Fault, ModelServer, Reply
from tests.fakes.model_server.wire import Wire
from tests.fakes.model_server.wire_anthropic import AnthropicWire
from tests.fakes.model_server.wire_google import GoogleWire
from tests.fakes.model_server.wire_openai import OpenAIWire

REQUEST = ModelRequest(model="m", system="", messages=(ModelMessage(role="user", text="Hi."),), max_output_tokens=8)


@dataclass(frozen=True, slots=True)
class Format:
    make: Callable[[], SdkChat]
    wire: Callable[[], Wire]

    def serving(self, script: Any = DEFAULT) -> ModelServer:
        return ModelServer(script, wire=self.wire())


FORMATS = {
    "openai": Format(OpenAIChat, OpenAIWire),
    "anthropic": Format(AnthropicChat, AnthropicWire),
    "google": Format(GoogleChat, GoogleWire),
}


@pytest.fixture(params=FORMATS)
def spoken(request: pytest.FixtureRequest) -> Format:
    return FORMATS[request.param]


@pytest.fixture
async def chat(spoken: Format) -> AsyncIterator[SdkChat]:
    chat = spoken.make()
    yield chat
    await chat.close()


def endpoint(server: ModelServer, key: str = "k") -> Endpoint:
    return Endpoint(provider="mine", base_url=server.base_url, key=key)


def keys(server: ModelServer) -> list[str]:
    return [server.wire.key(asked) for asked in server.chats]


async def ask(chat: SdkChat, where: Endpoint) -> list[ModelDelta]:
    return [delta async for delta in chat.stream(where, REQUEST)]


async def test_another_key_takes_another_client_and_the_old_stream_goes_on(spoken: Format, chat: SdkChat) -> None:
    async with (
        spoken.serving([Reply(text="One two three.", tokens_per_second=50)]) as server,
        aclosing(chat.stream(endpoint(server, "old"), REQUEST)) as stream,
    ):
        await anext(stream)
        await ask(chat, endpoint(server, "new"))
        rest = [delta async for delta in stream]
    assert isinstance(rest[-1], Finished)
    assert keys(server) == ["old", "new"]


async def test_two_providers_at_one_address_keep_their_keys_apart(spoken: Format, chat: SdkChat) -> None:
    async with spoken.serving() as server:
        one, two = endpoint(server, "one"), replace(endpoint(server, "two"), provider="other")
        for where in (one, two, one):
            await ask(chat, where)
    assert keys(server) == ["one", "two", "one"]
    assert server.connections == 2


async def test_a_client_is_made_before_the_first_request(spoken: Format, chat: SdkChat) -> None:
    async with spoken.serving() as server:
        await chat.prepare(endpoint(server))
        assert server.requests == []
        await ask(chat, endpoint(server))
    assert server.connections == 1


async def test_closing_hangs_up(spoken: Format, chat: SdkChat) -> None:
    async with spoken.serving([Reply(fault=Fault.STALL)]) as server:
        stream = chat.stream(endpoint(server), REQUEST)
        await anext(stream)
        await chat.close()
        await server.chats[0].over.wait()
        with pytest.raises(ProviderError):
            [delta async for delta in stream]


@pytest.mark.parametrize("key", ["키", "two\nlines"])
async def test_a_malformed_key_is_refused_before_anything_is_sent(spoken: Format, chat: SdkChat, key: str) -> None:
    async with spoken.serving() as server:
        with pytest.raises(ProviderError) as raised:
            await ask(chat, endpoint(server, key))
    assert raised.value.code is ErrorCode.AUTHENTICATION
    assert server.requests == []


@pytest.mark.parametrize("address", ["not an address", "ftp://127.0.0.1/v1", "http://[::1/v1", "//x"])
async def test_a_malformed_address_is_an_invalid_request(chat: SdkChat, address: str) -> None:
    with pytest.raises(ProviderError) as raised:
        await ask(chat, Endpoint(provider="mine", base_url=address))
    assert raised.value.code is ErrorCode.INVALID_REQUEST
