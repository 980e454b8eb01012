import asyncio
import time
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest

from assistant.core.errors import ErrorCode, ProviderError
from assistant.core.settings import Provider
from assistant.llm.attachments.fitting import OPENAI
from assistant.llm.backend import ModelMessage, ModelRequest
from assistant.llm.backend_needs import BackendNeeds
from assistant.llm.sdk_backend import DeferredChat, SdkBackend
from assistant.llm.transport.endpoint import Endpoint
from tests.fakes.backend_bench import KEY
from tests.fakes.ledger import MemoryLedger
from tests.fakes.model_server.server import ModelServer, RecordedRequest, Reply, refusal

REQUEST = ModelRequest(model="", system="", messages=(ModelMessage(role="user", text="Hi."),))


@pytest.fixture
async def servers() -> AsyncIterator[DeferredChat]:
    servers = DeferredChat("assistant.llm.openai.chat", "OpenAIChat")
    yield servers
    await servers.close()


async def ask(servers: DeferredChat, server: ModelServer, request: ModelRequest = REQUEST) -> None:
    where = Endpoint(provider="mine", base_url=server.base_url)
    request = await servers.named(where, request)
    async for _ in (await servers.load()).stream(where, request):
        pass


async def test_the_only_model_of_a_server_is_its_default_and_looked_up_once(servers: DeferredChat) -> None:
    async with ModelServer(models=["only"]) as server:
        await ask(servers, server)
        await ask(servers, server)
    assert [asked.body["model"] for asked in server.chats] == ["only", "only"]
    assert len(server.requests) == 3


async def test_a_named_model_is_asked_for_without_a_look_at_the_list(servers: DeferredChat) -> None:
    async with ModelServer(models=["a", "b"]) as server:
        await ask(servers, server, replace(REQUEST, model="b"))
    assert [asked.path for asked in server.requests] == ["/v1/chat/completions"]


async def test_of_several_models_one_must_be_chosen(servers: DeferredChat) -> None:
    async with ModelServer(models=["a", "b"]) as server:
        with pytest.raises(ProviderError, match="a, b") as raised:
            await ask(servers, server)
    assert raised.value.code is ErrorCode.MODEL_NOT_FOUND
    assert raised.value.message_key == "error.model_not_chosen"
    assert server.chats == []


async def test_the_sdk_is_imported_while_a_keyring_waits_for_the_user(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    loaded = tmp_path / "loaded"
    (tmp_path / "importing_chat.py").write_text(
        f"from pathlib import Path\nfrom assistant.llm.openai.chat import OpenAIChat\nPath({str(loaded)!r}).touch()\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))

    def unlocked(_: Provider) -> str:
        """The user's answer, which comes when the import is through; nobody waits for it for ever."""
        for _attempt in range(3000):
            if loaded.exists():
                return KEY
            time.sleep(0.01)
        return ""

    chat = DeferredChat("importing_chat", "OpenAIChat")
    needs = BackendNeeds(key_of=unlocked, ledger=MemoryLedger(), embedded_model=tmp_path)
    backend = SdkBackend(needs, chat, base_urls={"openai": "http://127.0.0.1:9/v1"}, accepts={"openai": OPENAI})
    await backend.prepare(Provider(name="mine", kind="openai"))
    await backend.close()


async def test_two_sdks_are_imported_one_after_the_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log = tmp_path / "log"
    for name in ("first_sdk", "second_sdk"):
        (tmp_path / f"{name}.py").write_text(
            "import time\nfrom pathlib import Path\nfrom assistant.llm.openai.chat import OpenAIChat\n"
            f"with Path({str(log)!r}).open('a') as log:\n"
            "    print('begins', file=log, flush=True)\n    time.sleep(0.05)\n    print('ends', file=log, flush=True)\n"
        )
    monkeypatch.syspath_prepend(str(tmp_path))
    await asyncio.gather(*(DeferredChat(name, "OpenAIChat").load() for name in ("first_sdk", "second_sdk")))
    assert await asyncio.to_thread(log.read_text) == "begins\nends\n" * 2


class Listless(ModelServer):
    """A server that lists no models."""

    def reply_to(self, request: RecordedRequest) -> Reply:
        return refusal(404, "no") if request.path.endswith("/models") else super().reply_to(request)


async def test_a_server_without_a_list_is_asked_all_the_same(servers: DeferredChat) -> None:
    async with Listless() as server:
        await ask(servers, server)
    assert server.chats[0].body["model"] == "default"
