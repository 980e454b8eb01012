"""Weights are fetched beside everything else, and whoever asks meanwhile is told how long it takes."""

import asyncio
import hashlib
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from assistant.core import updates as up
from assistant.core.errors import ModelFileError, SoriError
from assistant.core.live_settings import LiveSettings
from assistant.core.settings import Settings
from assistant.engine.models.fetch_retry import FetchRetry
from assistant.engine.models.fetches import ModelFetches
from assistant.host.model_store import open_store
from assistant.weights.manifest import Model, WeightFile
from tests.fakes.clock import FakeClock, pass_waits
from tests.fakes.weights.weights_server import WeightsServer, weights_server

WEIGHTS = bytes(range(256)) * 2000


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[WeightsServer]:
    monkeypatch.delenv("SORI_MODELS", raising=False)
    with weights_server() as running:
        running.files["mind.gguf"] = WEIGHTS
        yield running


class Network:
    """A way to other computers that a test takes away."""

    def __init__(self) -> None:
        self.is_there = True

    def __call__(self) -> bool:
        return self.is_there


def fetches_of(
    home: Path,
    server: WeightsServer,
    updates: list[up.Update],
    clock: FakeClock | None = None,
    route: Callable[[], bool] = lambda: True,
) -> ModelFetches:
    digest = hashlib.sha256(WEIGHTS).hexdigest()
    file = WeightFile(name="mind.gguf", size=len(WEIGHTS), sha256=digest, parts=(), url=server.url("mind.gguf"))
    model = Model(name="mind", title="", purpose="llm", licence="", languages=("ko",), home="", files=(file,))
    store = open_store(home, manifest={"mind": model}, pause=lambda _: None, record=lambda _: None)
    live = LiveSettings(Settings(language="ko"))
    return ModelFetches(store, live, updates.append, clock=clock or FakeClock(), route=route)


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


async def failed_by_the_network(fetches: ModelFetches, server: WeightsServer) -> None:
    """Let a fetch fail, because every connection breaks off."""
    server.cuts, server.cut_after = 1_000_000, 0
    with pytest.raises(ModelFileError):
        await fetches.ensure("mind")


async def reason_for_who_asks(fetches: ModelFetches) -> str:
    with pytest.raises(SoriError) as told:
        await fetches.have("mind")
    return told.value.reason


async def test_nothing_is_promised_after_the_network_has_failed_a_fetch(tmp_path: Path, server: WeightsServer) -> None:
    updates: list[up.Update] = []
    fetches = fetches_of(tmp_path, server, updates)
    await failed_by_the_network(fetches, server)
    shown = len(updates)
    for _ in range(3):
        assert await reason_for_who_asks(fetches) == "model_waits_for_network"
        with pytest.raises(ModelFileError):
            await fetches.ensure("mind")
    assert fetches.progress("mind") is None
    assert [each for each in updates[shown:] if isinstance(each, up.EngineProgressed) and each.fraction < 1] == []
    await fetches.close()


async def test_a_fetch_goes_on_by_itself_when_the_network_is_back_and_tells_so_once(
    tmp_path: Path, server: WeightsServer
) -> None:
    clock, network = FakeClock(), Network()
    network.is_there = False
    fetches = fetches_of(tmp_path, server, [], clock, network)
    ended: list[SoriError | None] = []
    resumed: list[str] = []
    arrived = asyncio.Event()
    fetches.ended.add(ended.append)
    fetches.ended.add(lambda error: arrived.set() if error is None else None)
    fetches.resumed.add(resumed.append)
    await failed_by_the_network(fetches, server)
    await clock.until_sleeping()
    asked = len(server.requests)
    clock.advance(3)
    await clock.until_sleeping()
    assert len(server.requests) == asked, "without a way nobody is asked"
    server.cuts = 0
    network.is_there = True
    clock.advance(3)
    await arrived.wait()
    assert resumed == ["mind"]
    assert [error is None for error in ended] == [False, True]
    await fetches.have("mind")


async def test_attempts_that_bring_nothing_are_told_once(tmp_path: Path, server: WeightsServer) -> None:
    fetches = fetches_of(tmp_path, server, [])
    ended: list[SoriError | None] = []
    fetches.ended.add(ended.append)
    for _ in range(3):
        await failed_by_the_network(fetches, server)
    assert len(ended) == 1
    await fetches.close()


async def test_attempts_become_rare_until_the_network_is_back() -> None:
    clock, network = FakeClock(), Network()
    retry = FetchRetry(clock, network)
    pauses = [sum(await pass_waits(clock, asyncio.create_task(retry.wait()))) for _ in range(7)]
    assert pauses == [15, 30, 60, 120, 240, 300, 300]
    network.is_there = False
    task = asyncio.create_task(retry.wait())
    await clock.until_sleeping()
    network.is_there = True
    assert await pass_waits(clock, task) == [3]
    assert sum(await pass_waits(clock, asyncio.create_task(retry.wait()))) == 15, "after that it counts anew"


async def test_what_no_attempt_can_mend_is_not_tried_again_and_keeps_its_reason(
    tmp_path: Path, server: WeightsServer
) -> None:
    clock = FakeClock()
    fetches = fetches_of(tmp_path, server, [], clock)
    del server.files["mind.gguf"]
    with pytest.raises(ModelFileError):
        await fetches.ensure("mind")
    trouble = fetches.trouble("mind")
    assert trouble is not None
    assert trouble.reason == "model_unavailable"
    assert clock.sleeping == 0
    assert await reason_for_who_asks(fetches) == "model_unavailable"
    await fetches.close()


async def test_a_pause_ends_the_attempts(tmp_path: Path, server: WeightsServer) -> None:
    clock = FakeClock()
    fetches = fetches_of(tmp_path, server, [], clock)
    await failed_by_the_network(fetches, server)
    await clock.until_sleeping()
    fetches.pause("mind")
    assert fetches.trouble("mind") is None
    asked = len(server.requests)
    for _ in range(10):
        clock.advance(100)
        await asyncio.sleep(0)
    assert len(server.requests) == asked
    assert await reason_for_who_asks(fetches) == "model_paused"


async def test_the_button_tries_at_once(tmp_path: Path, server: WeightsServer) -> None:
    fetches = fetches_of(tmp_path, server, [])
    await failed_by_the_network(fetches, server)
    server.cuts = 0
    fetches.begin("mind")
    assert fetches.trouble("mind") is None
    await fetches.ensure("mind")
    assert await fetches.here("mind")
    await fetches.close()
