"""A model is adopted when it is here: the real engine, a real server of weights, a real settings file."""

import asyncio
import hashlib
import json
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from assistant.core.errors import SoriError
from assistant.core.live_settings import LiveSettings
from assistant.core.service.requests.models import AdoptModel
from assistant.core.settings import Provider, Settings
from assistant.engine.chat_wiring import Chat, build_chat
from assistant.engine.newcomer.adopting import Adoption
from assistant.host.model_store import open_store
from assistant.host.places import Places
from assistant.host.settings_file import read_settings
from assistant.host.texts import load_texts
from assistant.tasks import TaskSupervisor
from assistant.weights.manifest import Model, WeightFile
from tests.fakes.clock import FakeClock
from tests.fakes.front.asking import ask
from tests.fakes.system.volume import FakeVolume
from tests.fakes.weights.weights_server import WeightsServer, weights_server

WEIGHTS = bytes(range(256)) * 500


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[WeightsServer]:
    monkeypatch.delenv("SORI_MODELS", raising=False)
    with weights_server() as running:
        running.files["mind.gguf"] = WEIGHTS
        yield running


@dataclass
class Stand:
    """The domain, with what it changes."""

    chat: Chat
    places: Places
    jobs: TaskSupervisor
    adoption: Adoption

    @property
    def written(self) -> Settings:
        """What stands in the settings file."""
        return read_settings(self.places.config)

    async def adopt(self, reference: str) -> None:
        await ask(self.adoption, AdoptModel(model=reference))

    async def arrived(self, name: str) -> None:
        await self.chat.models.fetches.ensure(name)
        await self.jobs.settle()


@pytest.fixture
async def stand(tmp_path: Path, server: WeightsServer) -> AsyncIterator[Stand]:
    places = Places(tmp_path)
    places.config.write_text('language = "en"\n[llm]\nembedded_model = "qwen2.5-coder-1.5b"\n', encoding="utf-8")
    live = LiveSettings(read_settings(places.config))
    chat = await build_chat(tmp_path, live, load_texts("en"), clock=FakeClock(), volume=FakeVolume())
    digest = hashlib.sha256(WEIGHTS).hexdigest()
    file = WeightFile(name="mind.gguf", size=len(WEIGHTS), sha256=digest, parts=(), url=server.url("mind.gguf"))
    mind = Model(name="mind", title="", purpose="llm", licence="", languages=("ko",), home="", files=(file,))
    chat.models.fetches.store = open_store(
        tmp_path, manifest={"mind": mind}, pause=lambda _: None, record=lambda _: None
    )
    jobs = TaskSupervisor()
    yield Stand(chat, places, jobs, Adoption(chat, places.awaited_model, jobs))
    await jobs.close()
    await chat.close()


async def test_a_model_answers_once_it_has_been_fetched_and_not_before(stand: Stand, server: WeightsServer) -> None:
    server.stalled, server.cut_after = True, 1000
    await stand.adopt("embedded/mind")
    assert stand.written.llm.embedded_model == "qwen2.5-coder-1.5b"
    server.stalled = False
    server.go_on.set()
    await stand.arrived("mind")
    assert stand.written.llm.embedded_model == "mind"
    assert stand.adoption.awaited == ""


async def test_a_model_that_is_awaited_is_fetched_and_adopted_after_a_restart(stand: Stand) -> None:
    stand.places.awaited_model.write_text(json.dumps({"model": "mind"}))
    later = Adoption(stand.chat, stand.places.awaited_model, stand.jobs)
    await later.go_on()
    await stand.arrived("mind")
    assert stand.written.llm.embedded_model == "mind"


async def test_a_model_that_is_here_answers_at_once_and_takes_the_place_of_a_server(stand: Stand) -> None:
    await stand.chat.models.fetches.ensure("mind")
    stand.places.config.write_text(
        '[llm]\nprovider = "mine"\nmodel = "big"\n[[providers]]\nname = "mine"\nkind = "openai"\n', encoding="utf-8"
    )
    await stand.chat.settings.look()
    await stand.adopt("embedded/mind")
    llm = stand.written.llm
    assert (llm.embedded_model, llm.provider, llm.model) == ("mind", "", "")


async def test_a_server_that_was_found_is_written_down_and_answers(stand: Stand) -> None:
    found = Provider(name="ollama", kind="local", base_url="http://127.0.0.1:11434/v1")
    stand.chat.basis.live.find([found], [])
    stand.places.awaited_model.write_text(json.dumps({"model": "mind"}))
    await stand.adopt("ollama/qwen3:8b")
    settings = stand.written
    assert (settings.llm.provider, settings.llm.model) == ("ollama", "qwen3:8b")
    assert found in settings.providers
    assert stand.adoption.awaited == "", "what was awaited before does not take its place later"


async def test_a_fetch_that_fails_leaves_the_former_model(stand: Stand, server: WeightsServer) -> None:
    del server.files["mind.gguf"]
    await stand.adopt("embedded/mind")
    with pytest.raises(SoriError):
        await stand.arrived("mind")
    await asyncio.sleep(0)
    assert stand.written.llm.embedded_model == "qwen2.5-coder-1.5b"


@pytest.mark.parametrize("reference", ["nobody/big", "embedded/no-such-model"])
async def test_what_does_not_exist_is_refused(stand: Stand, reference: str) -> None:
    with pytest.raises(SoriError):
        await stand.adopt(reference)
    assert stand.written.llm.embedded_model == "qwen2.5-coder-1.5b"


@pytest.mark.parametrize("text", ["", "{", "[]", "null", '{"other": 1}'])
async def test_a_damaged_file_awaits_nothing(stand: Stand, text: str) -> None:
    stand.places.awaited_model.write_text(text)
    await stand.adoption.go_on()
    assert stand.adoption.awaited == ""
