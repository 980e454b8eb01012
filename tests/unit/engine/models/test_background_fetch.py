"""Models are fetched beside everything else, and nobody waits for a download that is no longer wanted."""

import asyncio
from pathlib import Path

import filelock
import pytest

from assistant.core.errors import ModelFileError
from assistant.engine.models.background_fetch import fetch_models
from assistant.host.model_store import open_store
from assistant.weights.manifest import Model, WeightFile
from assistant.weights.progress import FetchProgress
from assistant.weights.store import ModelStore


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModelStore:
    """A store that lacks the only model there is, which has no source."""
    monkeypatch.delenv("SORI_MODELS", raising=False)
    file = WeightFile(name="model.bin", size=10, sha256="0" * 64, parts=(), url="")
    model = Model(name="voice", title="", purpose="tts", licence="", languages=("ko",), home="", files=(file,))
    return open_store(tmp_path, manifest={"voice": model}, pause=lambda _: None)


async def test_what_goes_wrong_reaches_whoever_waits(store: ModelStore) -> None:
    with pytest.raises(ModelFileError):
        await fetch_models(store, ["voice"], lambda _: None)


async def test_fetching_that_nobody_waits_for_ends(store: ModelStore) -> None:
    told: list[FetchProgress] = []
    begun = asyncio.Event()

    def progress(state: FetchProgress) -> None:
        told.append(state)
        begun.set()

    (store.folder / ".locks").mkdir(parents=True)
    with filelock.FileLock(store.folder / ".locks" / "voice.lock"):
        fetching = asyncio.create_task(fetch_models(store, ["voice"], progress))
        await begun.wait()
        fetching.cancel()
        with pytest.raises(asyncio.CancelledError):
            await fetching
        await asyncio.get_running_loop().shutdown_default_executor()
    assert {state.model for state in told} == {"voice"}
