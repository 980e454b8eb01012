"""Which models the local backend has, and which servers it leaves alone."""

from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from pathlib import Path

import pytest

from assistant.core.errors import ModelFileError, ProviderError
from assistant.core.live_settings import LiveSettings
from assistant.core.settings import LlmSettings, Provider, Settings
from assistant.llm.backend import Finished, ModelRequest, ServerState, TextDelta
from assistant.llm.embedded.own_models import PLACEHOLDER_MODEL
from assistant.llm.providers.local import LocalBackend, create
from assistant.llm.router import BackendRegistry
from tests.fakes.backend_bench import REQUEST, needs
from tests.fakes.model_server.server import ModelServer, Reply


@pytest.fixture
async def backend() -> AsyncIterator[LocalBackend]:
    backend = create(replace(needs(), embedded_model=Path("some-model.gguf")))
    yield backend
    await backend.close()


async def test_the_embedded_server_has_one_and_need_not_run_to_name_it(backend: LocalBackend) -> None:
    assert await backend.models(Provider(name="embedded", kind="local")) == ("some-model",)
    assert backend.embedded.state is ServerState.STOPPED


async def test_a_server_of_ones_own_lists_its_own(backend: LocalBackend) -> None:
    async with ModelServer(models=["qwen3:8b", "bge-m3"]) as server:
        provider = Provider(name="ollama", kind="local", base_url=server.base_url)
        assert await backend.models(provider) == ("qwen3:8b",)


@pytest.mark.parametrize("kind", ["local", "openai"])
async def test_a_call_that_a_server_of_ones_own_left_in_the_text_is_a_call(kind: str) -> None:
    text = '<tool_call>\n{"name": "clock", "arguments": {}}\n</tool_call>'
    async with ModelServer((Reply(text=text),)) as server:
        provider = Provider(name="mine", kind=kind, base_url=server.base_url)
        backend = BackendRegistry.discovered(needs()).backend_for(provider)
        deltas = [delta async for delta in backend.stream(provider, REQUEST)]
        await backend.close()
    assert [delta for delta in deltas if isinstance(delta, TextDelta) and delta.text.strip()] == []
    assert isinstance(deltas[-1], Finished)
    assert [call.name for call in deltas[-1].tool_calls] == ["clock"]


async def test_a_server_of_ones_own_is_not_made_to_read_ahead(backend: LocalBackend) -> None:
    async def compose() -> ModelRequest:
        raise AssertionError("nobody wants it")

    async with ModelServer(models=["qwen3:8b"]) as server:
        provider = Provider(name="ollama", kind="local", base_url=server.base_url)
        await backend.read_ahead(provider, compose)
        assert server.requests == []


EMBEDDED = Provider(name="embedded", kind="local")


@pytest.mark.models
async def test_another_model_of_the_folder_takes_the_place_of_the_one_that_is_loaded(
    tmp_path: Path, model_path: Callable[[str], Path]
) -> None:
    for name in ("one", "two"):
        (tmp_path / name).symlink_to(model_path(PLACEHOLDER_MODEL))
    backend = create(
        replace(
            needs(),
            embedded_model=tmp_path / "one",
            embedded_place=lambda name: tmp_path / name,
            settings=LiveSettings(Settings(llm=LlmSettings(context_tokens=512))),
        )
    )
    await backend.prepare(EMBEDDED, "")
    first = backend.embedded.pid
    await backend.prepare(EMBEDDED, "one")
    assert backend.embedded.pid == first
    await backend.prepare(EMBEDDED, "two")
    assert (backend.embedded.model_name, backend.embedded.running) == ("two", True)
    assert backend.embedded.pid != first
    with pytest.raises(ModelFileError):
        await backend.prepare(EMBEDDED, "three")
    assert (backend.embedded.model_name, backend.embedded.running) == ("two", True)
    await backend.close()


async def test_a_model_that_was_moved_is_served_from_its_new_place(tmp_path: Path) -> None:
    moved = tmp_path / "mine.gguf"
    moved.write_bytes(b"weights")
    backend = create(replace(needs(), embedded_model=tmp_path / "mine", embedded_place=lambda _: moved))
    with pytest.raises(ModelFileError, match="cannot load"):
        await backend.prepare(EMBEDDED, "mine")
    assert backend.embedded.model == moved
    await backend.close()


async def test_a_server_that_was_given_one_model_has_no_other(backend: LocalBackend) -> None:
    with pytest.raises(ProviderError):
        await backend.prepare(EMBEDDED, "other")
