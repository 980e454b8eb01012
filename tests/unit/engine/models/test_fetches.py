"""Weights are fetched beside everything else, and whoever asks meanwhile is told how long it takes."""

import asyncio
import hashlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from assistant.core import updates as up
from assistant.core.errors import ModelFileError, SoriError
from assistant.core.live_settings import LiveSettings
from assistant.core.settings import Settings
from assistant.engine.models.fetches import ModelFetches
from assistant.host.model_store import open_store
from assistant.weights.manifest import Model, WeightFile
from tests.fakes.weights.weights_server import WeightsServer, weights_server

WEIGHTS = bytes(range(256)) * 2000


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[WeightsServer]:
    monkeypatch.delenv("SORI_MODELS", raising=False)
    with weights_server() as running:
        running.files["mind.gguf"] = WEIGHTS
        yield running


def fetches_of(home: Path, server: WeightsServer, updates: list[up.Update]) -> ModelFetches:
    digest = hashlib.sha256(WEIGHTS).hexdigest()
    file = WeightFile(name="mind.gguf", size=len(WEIGHTS), sha256=digest, parts=(), url=server.url("mind.gguf"))
    model = Model(name="mind", title="", purpose="llm", licence="", languages=("ko",), home="", files=(file,))
    store = open_store(home, manifest={"mind": model}, pause=lambda _: None, record=lambda _: None)
    return ModelFetches(store, LiveSettings(Settings(language="ko")), updates.append)


async def test_who_asks_while_it_is_fetched_is_told_so_and_it_is_fetched_once(
    tmp_path: Path, server: WeightsServer
) -> None:
    updates: list[up.Update] = []
    fetches = fetches_of(tmp_path, server, updates)
    ended: list[SoriError | None] = []
    fetches.ended.add(ended.append)
    for _ in range(2):
        with pytest.raises(ModelFileError) as told:
            await fetches.have("mind")
        assert told.value.reason in ("model_on_its_way", "model_on_its_way_soon")
    await fetches.ensure("mind")
    await fetches.have("mind")
    assert ended == [None]
    assert server.requests == [""]
    last = updates[-1]
    assert isinstance(last, up.EngineProgressed)
    assert last.fraction == 1


async def test_a_pause_holds_until_it_is_begun_again(tmp_path: Path, server: WeightsServer) -> None:
    fetches = fetches_of(tmp_path, server, [])
    fetches.pause("mind")
    with pytest.raises(ModelFileError) as told:
        await fetches.have("mind")
    assert told.value.reason == "model_paused"
    later = fetches_of(tmp_path, server, [])
    with pytest.raises(ModelFileError):
        await later.have("mind")
    assert server.requests == []
    later.begin("mind")
    await later.ensure("mind")
    assert await later.here("mind")


async def test_a_fetch_that_fails_is_told_and_can_be_begun_again(tmp_path: Path, server: WeightsServer) -> None:
    fetches = fetches_of(tmp_path, server, [])
    ended: list[SoriError | None] = []
    fetches.ended.add(ended.append)
    content = server.files.pop("mind.gguf")
    with pytest.raises(ModelFileError):
        await fetches.ensure("mind")
    assert [error is None for error in ended] == [False]
    server.files["mind.gguf"] = content
    await fetches.ensure("mind")
    assert await fetches.here("mind")


async def test_leaving_ends_a_fetch_and_keeps_what_has_arrived(tmp_path: Path, server: WeightsServer) -> None:
    server.stalled, server.cut_after = True, 100_000
    fetches = fetches_of(tmp_path, server, [])
    begun = asyncio.Event()
    fetches.changed.add(lambda _: begun.set())
    fetches.begin("mind")
    await begun.wait()
    await fetches.close()
    assert fetches.progress("mind") is None
    server.go_on.set()
