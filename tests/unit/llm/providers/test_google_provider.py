import subprocess
import sys
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from assistant.core.errors import ErrorCode, ProviderError
from assistant.core.settings import Provider
from assistant.llm.backend import Finished, ModelMessage, ModelRequest
from assistant.llm.backend_needs import BackendNeeds
from assistant.llm.providers.google import create
from assistant.llm.sdk_backend import SdkBackend
from tests.fakes.ledger import MemoryLedger
from tests.fakes.model_server.server import DEFAULT, ModelServer
from tests.fakes.model_server.wire_google import GoogleWire

REQUEST = ModelRequest(model="gemini-2.5-flash", system="", messages=(ModelMessage(role="user", text="Hi."),))


def serving(script: Any = DEFAULT, **options: Any) -> ModelServer:
    return ModelServer(script, wire=GoogleWire(), **options)


@pytest.fixture
async def backend() -> AsyncIterator[SdkBackend]:
    backend = create(
        BackendNeeds(
            ledger=MemoryLedger(), key_of=lambda provider: f"key-of-{provider.name}", embedded_model=Path("absent")
        )
    )
    yield backend
    await backend.close()


def provider(server: ModelServer, name: str = "mine") -> Provider:
    return Provider(name=name, kind="google", base_url=server.base_url)


async def test_what_was_prepared_is_what_is_used(backend: SdkBackend) -> None:
    async with serving(api_key="key-of-mine") as server:
        await backend.prepare(provider(server))
        assert server.connections == 0
        deltas = [delta async for delta in backend.stream(provider(server), REQUEST)]
    assert isinstance(deltas[-1], Finished)


async def test_the_model_must_be_named_and_is_offered(backend: SdkBackend) -> None:
    async with serving(models=["gemini-a", "gemini-b"]) as server:
        with pytest.raises(ProviderError, match="gemini-a, gemini-b") as raised:
            await anext(backend.stream(provider(server), replace(REQUEST, model="")))
    assert raised.value.code is ErrorCode.MODEL_NOT_FOUND
    assert raised.value.message_key == "error.model_not_chosen"
    assert server.chats == []


async def test_a_missing_key_is_noticed_before_anything_is_loaded_or_sent() -> None:
    backend = create(BackendNeeds(ledger=MemoryLedger(), key_of=lambda _: "", embedded_model=Path("absent")))
    google = Provider(name="mine", kind="google", api_key_env="GEMINI_API_KEY")
    for attempt in (backend.prepare(google), anext(backend.stream(google, REQUEST))):
        with pytest.raises(ProviderError) as raised:
            await attempt
        assert raised.value.message_key == "error.api_key_missing"
    await backend.close()


def test_the_sdk_is_not_loaded_until_it_is_needed() -> None:
    code = "import sys, assistant.llm.providers.google; sys.exit('google.genai' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
