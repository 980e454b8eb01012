"""Which models the local backend has, and which servers it leaves alone."""

from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest

from assistant.core.settings import Provider
from assistant.llm.backend import ListsModels, ModelRequest, ServerState
from assistant.llm.providers.local import LocalBackend, create
from tests.fakes.backend_bench import needs
from tests.fakes.model_server import ModelServer


@pytest.fixture
async def backend() -> AsyncIterator[LocalBackend]:
    backend = create(replace(needs(), embedded_model=Path("some-model.gguf")))
    yield backend
    await backend.close()


async def test_the_embedded_server_has_one_and_need_not_run_to_name_it(backend: LocalBackend) -> None:
    assert isinstance(backend, ListsModels)
    assert await backend.models(Provider(name="embedded", kind="local")) == ("some-model",)
    assert backend.embedded.state is ServerState.STOPPED


async def test_a_server_of_ones_own_lists_its_own(backend: LocalBackend) -> None:
    async with ModelServer(models=["qwen3:8b", "bge-m3"]) as server:
        provider = Provider(name="ollama", kind="local", base_url=server.base_url)
        assert await backend.models(provider) == ("qwen3:8b",)


async def test_a_server_of_ones_own_is_not_made_to_read_ahead(backend: LocalBackend) -> None:
    async def compose() -> ModelRequest:
        raise AssertionError("nobody wants it")

    async with ModelServer(models=["qwen3:8b"]) as server:
        provider = Provider(name="ollama", kind="local", base_url=server.base_url)
        await backend.read_ahead(provider, compose)
        assert server.requests == []
