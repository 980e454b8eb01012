"""Every ability of a backend survives a wrapper, and the wrapper that the product puts around Sori's own server."""

import pytest

from assistant.agent.model_choice import EMBEDDED
from assistant.core.errors import ProviderError
from assistant.core.settings import Provider
from assistant.engine.models.embedded_backends import EmbeddedBackends
from assistant.llm.backend import (
    ForwardingBackend,
    ImageRequest,
    ModelRequest,
    ProviderBackend,
    TranscriptionRequest,
)
from assistant.llm.router import BackendRegistry
from tests.fakes.backend import FakeBackend, says
from tests.fakes.recording_backend import ABILITIES, RecordingBackend

REQUEST = ModelRequest(model="m", system="", messages=())


class Bare(ProviderBackend):
    """A backend without abilities."""


class NoFetches:
    """Nothing has to be fetched."""

    async def ensure(self, name: str) -> None:
        pass

    have = ensure


@pytest.mark.parametrize("name", ABILITIES)
@pytest.mark.parametrize("wiring", ["wrapper", "product"])
async def test_a_wrapper_passes_every_member_on(name: str, wiring: str) -> None:
    inner = RecordingBackend()
    registry = BackendRegistry({"local": inner})
    product = EmbeddedBackends(registry, NoFetches(), lambda: "m", wait=False)  # type: ignore[arg-type]
    backend = ForwardingBackend(inner) if wiring == "wrapper" else product.backend_for(EMBEDDED)
    assert await inner.is_reached(backend, name, EMBEDDED)


async def test_without_an_ability_a_backend_says_so() -> None:
    backend = Bare()
    elsewhere = Provider(name="p", kind="openai", base_url="https://example.com/v1")
    await backend.prepare(elsewhere)
    assert await backend.count_tokens(elsewhere, "m", "text") is None
    assert not await backend.is_at_work(elsewhere)
    refused = {
        "no_model_list": backend.models(elsewhere),
        "no_images": backend.image(elsewhere, ImageRequest(model="m", prompt="a cat")),
        "no_transcription": backend.transcribe(elsewhere, TranscriptionRequest(model="m", wav=b"")),
    }
    for key, asked in refused.items():
        with pytest.raises(ProviderError) as raised:
            await asked
        assert raised.value.message_key == f"error.{key}"


async def test_a_fake_has_the_same_members() -> None:
    deltas = [each async for each in FakeBackend(says("네")).stream(EMBEDDED, REQUEST)]
    assert deltas
