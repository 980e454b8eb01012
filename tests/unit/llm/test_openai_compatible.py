from collections.abc import AsyncIterator
from dataclasses import replace

import pytest

from assistant.core.errors import ErrorCode, ProviderError
from assistant.core.settings import Provider
from assistant.llm.backend import ModelMessage, ModelRequest
from assistant.llm.openai_compatible import CompatibleServers, endpoint_of
from assistant.llm.openai_format import Endpoint
from tests.fakes.model_server import ModelServer, RecordedRequest, Reply, refusal

REQUEST = ModelRequest(model="", system="", messages=(ModelMessage(role="user", text="Hi."),))


@pytest.fixture
async def servers() -> AsyncIterator[CompatibleServers]:
    servers = CompatibleServers()
    yield servers
    await servers.close()


async def ask(servers: CompatibleServers, server: ModelServer, request: ModelRequest = REQUEST) -> None:
    where = Endpoint(provider="mine", base_url=server.base_url)
    async for _ in servers.stream(where, request):
        pass


async def test_the_only_model_of_a_server_is_its_default_and_looked_up_once(servers: CompatibleServers) -> None:
    async with ModelServer(models=["only"]) as server:
        await ask(servers, server)
        await ask(servers, server)
    assert [asked.body["model"] for asked in server.chats] == ["only", "only"]
    assert len(server.requests) == 3


async def test_a_named_model_is_asked_for_without_a_look_at_the_list(servers: CompatibleServers) -> None:
    async with ModelServer(models=["a", "b"]) as server:
        await ask(servers, server, replace(REQUEST, model="b"))
    assert [asked.path for asked in server.requests] == ["/v1/chat/completions"]


async def test_of_several_models_one_must_be_chosen(servers: CompatibleServers) -> None:
    async with ModelServer(models=["a", "b"]) as server:
        with pytest.raises(ProviderError, match="a, b") as raised:
            await ask(servers, server)
    assert raised.value.code is ErrorCode.MODEL_NOT_FOUND
    assert raised.value.message_key == "error.model_not_chosen"
    assert server.chats == []


class Listless(ModelServer):
    """A server that lists no models."""

    def reply_to(self, request: RecordedRequest) -> Reply:
        return refusal(404, "no") if request.path.endswith("/models") else super().reply_to(request)


async def test_a_server_without_a_list_is_asked_all_the_same(servers: CompatibleServers) -> None:
    async with Listless() as server:
        await ask(servers, server)
    assert server.chats[0].body["model"] == "default"


@pytest.mark.parametrize(
    "provider",
    [
        Provider(name="mine", kind="openai"),
        Provider(name="mine", kind="openai", api_key_env="MINE_KEY"),
        Provider(name="mine", kind="openai", base_url="http://127.0.0.1:1/v1", api_key_env="MINE_KEY"),
    ],
)
def test_a_missing_key_is_noticed_before_anything_is_sent(provider: Provider) -> None:
    with pytest.raises(ProviderError) as raised:
        endpoint_of(provider, "", base_url="https://api.example.org/v1")
    assert raised.value.code is ErrorCode.AUTHENTICATION
    assert raised.value.message_key == "error.api_key_missing"


def test_a_server_of_ones_own_needs_no_key() -> None:
    provider = Provider(name="mine", kind="openai", base_url="http://127.0.0.1:1/v1")
    assert endpoint_of(provider, "").key == ""


def test_blanks_around_a_key_are_not_part_of_it() -> None:
    assert endpoint_of(Provider(name="mine", kind="openai"), " sk-1\n", base_url="https://x/v1").key == "sk-1"
