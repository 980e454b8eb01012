"""Folders that one device removes and another one changes while they are apart: all of a folder stays, or nothing."""

import asyncio
import random
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import suppress
from itertools import permutations
from pathlib import Path

import pytest

from assistant.core.errors import StorageError
from assistant.storage.sync.differences import FOLDER, SyncDifferences
from assistant.storage.sync.text_bases import TextBase
from assistant.sync.folders import come_back, folder_that_stays
from assistant.sync.store import Change
from tests.fakes.sync.account import Home, MemoryAccount

WORK = "workspaces/work"
COOK = f"{WORK}/agents/cook"
MAID = f"{WORK}/agents/maid"
FILES = {
    f"{WORK}/workspace.toml": 'name = "일"\n',
    f"{WORK}/memory.md": "- 회의는 월요일\n",
    f"{COOK}/agent.toml": 'display_name = "요리사"\n',
    f"{COOK}/memory.md": "- 매운 것을 좋아한다\n- 새우는 못 먹는다\n",
    f"{COOK}/persona.md": "차분하다.\n친절하다.\n",
    f"{MAID}/agent.toml": 'display_name = "집사"\n',
}
BASES = {path: TextBase(number=1, text=text) for path, text in FILES.items()}


class Meeting(MemoryAccount):
    """An account that another device reaches just before the changes of one arrive."""

    meanwhile: Callable[[], Awaitable[None]] | None = None

    async def push(self, changes: Sequence[Change]) -> list[int | None]:
        meanwhile, self.meanwhile = self.meanwhile, None
        if meanwhile is not None:
            await meanwhile()
        return await super().push(changes)


@pytest.fixture
def account() -> Meeting:
    return Meeting()


@pytest.fixture
async def homes(tmp_path: Path, account: Meeting) -> AsyncIterator[list[Home]]:
    """Three devices that have the same files."""
    homes = [await Home.open(tmp_path / name, account) for name in ("one", "two", "three")]
    for path, text in FILES.items():
        homes[0].file(path).write_text(text)
    await synced(homes)
    yield homes
    for home in homes:
        await home.database.close()


async def synced(homes: Sequence[Home]) -> None:
    for home in homes:
        # A missing file counts as removed when it was missed for some time.
        await home.syncing._waiting_texts()
        home.clock.advance(3)
        await home.sync()


def remove(home: Home, folder: str) -> None:
    """As ``Workspaces`` does it."""
    place = home.path / folder
    aside = place.parent / ".removed"
    aside.mkdir(exist_ok=True)
    place.rename(aside / f"{place.name} {len(list(aside.iterdir()))}")


def here(home: Home) -> dict[str, str]:
    paths = [each for pattern in ("*/*", "*/agents/*/*") for each in (home.path / "workspaces").glob(pattern)]
    shared = [each for each in paths if each.is_file() and not str(each.relative_to(home.path)).count("/.")]
    return {each.relative_to(home.path).as_posix(): each.read_text() for each in shared}


async def folders_told(home: Home) -> list[tuple[str, bool]]:
    """The folders of which the user was told, and whether they had been removed here."""
    found = await SyncDifferences(home.database).all()
    return [(each.name, not each.ours["text"]) for each in found if each.table == FOLDER]


ORDERS = [*permutations(range(3))]


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize(
    "edited", [f"{COOK}/persona.md", f"{COOK}/agent.toml", f"{COOK}/memory.md", f"{COOK}/prompt.md"]
)
async def test_an_agent_that_is_removed_and_changed_is_whole_on_every_device(
    homes: list[Home], order: Sequence[int], edited: str
) -> None:
    remove(homes[0], COOK)
    text = FILES.get(edited, "") + "# 새 줄\n"
    homes[1].file(edited).write_text(text)
    await synced([homes[each] for each in order])
    await synced(homes * 2)
    for home in homes:
        assert here(home) == FILES | {edited: text}
        assert await home.syncing._count() == 0
    told = [await folders_told(home) for home in homes]
    assert told == ([[], [(COOK, False)], []] if order.index(0) < order.index(1) else [[(COOK, True)], [], []])


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("edited", [f"{WORK}/memory.md", f"{COOK}/persona.md", f"{MAID}/prompt.md"])
async def test_a_workspace_that_is_removed_and_changed_is_whole_on_every_device(
    homes: list[Home], order: Sequence[int], edited: str
) -> None:
    remove(homes[0], WORK)
    text = FILES.get(edited, "") + "- 새 줄\n"
    homes[1].file(edited).write_text(text)
    await synced([homes[each] for each in order])
    await synced(homes * 2)
    for home in homes:
        assert here(home) == FILES | {edited: text}
    told = [await folders_told(home) for home in homes]
    assert told == ([[], [(WORK, False)], []] if order.index(0) < order.index(1) else [[(WORK, True)], [], []])


@pytest.mark.parametrize("order", ORDERS)
async def test_a_removed_agent_stays_removed_whatever_was_changed_outside_its_folder(
    homes: list[Home], order: Sequence[int]
) -> None:
    remove(homes[0], COOK)
    homes[1].file(f"{MAID}/persona.md").write_text("엄격하다.\n")
    homes[2].file(f"{WORK}/memory.md").write_text("- 회의는 화요일\n")
    await synced([homes[each] for each in order])
    await synced(homes * 2)
    left = {path: text for path, text in FILES.items() if not path.startswith(COOK)}
    changed = {f"{MAID}/persona.md": "엄격하다.\n", f"{WORK}/memory.md": "- 회의는 화요일\n"}
    for home in homes:
        assert here(home) == left | changed
        assert await folders_told(home) == []


@pytest.mark.parametrize("order", ORDERS)
async def test_what_comes_back_never_replaces_what_a_third_device_has_changed(
    homes: list[Home], order: Sequence[int]
) -> None:
    remove(homes[0], COOK)
    edits = {f"{COOK}/persona.md": "명랑하다.\n", f"{COOK}/agent.toml": 'display_name = "셰프"\n'}
    for home, (path, text) in zip(homes[1:], edits.items(), strict=True):
        home.file(path).write_text(text)
    await synced([homes[each] for each in order])
    await synced(homes * 3)
    for home in homes:
        assert here(home) == FILES | edits


@pytest.mark.parametrize("edited", [f"{COOK}/persona.md", f"{COOK}/prompt.md"])
async def test_a_change_that_arrives_just_before_the_removal_brings_all_back(
    homes: list[Home], account: Meeting, edited: str
) -> None:
    remove(homes[0], COOK)
    homes[1].file(edited).write_text("명랑하다.\n")
    account.meanwhile = homes[1].sync
    await synced(homes * 3)
    for home in homes:
        assert here(home) == FILES | {edited: "명랑하다.\n"}


async def test_an_agent_of_the_same_name_that_is_made_later_gets_nothing_of_the_former_one(homes: list[Home]) -> None:
    remove(homes[0], COOK)
    await synced(homes)
    homes[1].file(f"{COOK}/agent.toml").write_text('display_name = "새 요리사"\n')
    await synced(homes * 2)
    for home in homes:
        assert {path for path in here(home) if path.startswith(COOK)} == {f"{COOK}/agent.toml"}
        assert await folders_told(home) == []


@pytest.mark.parametrize("seed", range(6))
async def test_whatever_three_devices_do_every_folder_is_whole_in_the_end(
    homes: list[Home], account: Meeting, seed: int
) -> None:
    chance = random.Random(seed)
    for step in range(60):
        home = chance.choice(homes)
        known = [path for path in here(home) if path.endswith(("persona.md", "agent.toml"))]
        match chance.randrange(8):
            case 0 | 1 if known:
                home.file(chance.choice(known)).write_text(f"# {step}\n")
            case 2 if known:
                path = chance.choice(known)
                home.file(f"{path.rpartition('/')[0]}/prompt.md").write_text(f"# {step}\n")
            case 3 if known:
                remove(home, chance.choice(known).rpartition("/")[0])
            case 4 if known and chance.random() < 0.3:
                remove(home, WORK)
            case 5 if not known:
                for path, text in FILES.items():
                    home.file(path).write_text(text)
            case _:
                others = [each for each in homes if each is not home]
                account.meanwhile = chance.choice(others).sync if chance.random() < 0.5 else None
                account.failing = chance.choices(["", "", "", "before"], k=2)
                with suppress(StorageError):
                    await synced([home])
                account.failing, account.meanwhile = [], None
    await synced(homes * 4)
    contents = [here(home) for home in homes]
    assert contents[0] == contents[1] == contents[2]
    folders = {path.rpartition("/")[0] for path in contents[0]}
    assert {f"{each}/agent.toml" for each in folders if each != WORK} <= contents[0].keys()
    assert not folders or f"{WORK}/workspace.toml" in contents[0]


async def test_of_memory_that_is_no_folder_the_changed_lines_stay(homes: list[Home]) -> None:
    files = [home.file("memory/user.md") for home in homes]
    await asyncio.to_thread(files[0].write_text, "- 하나\n")
    await synced(homes)
    files[0].unlink()
    files[1].write_text("- 하나\n- 둘\n")
    await synced(homes * 2)
    assert {each.read_text() for each in files} == {"- 둘\n"}


def test_a_removal_counts_where_nothing_was_changed() -> None:
    assert folder_that_stays(f"{COOK}/agent.toml", BASES, FILES) == ""
    assert come_back(f"{COOK}/persona.md", BASES, FILES) == ("", ())


def test_a_removed_file_stays_with_a_changed_one_of_its_folder() -> None:
    changed = FILES | {f"{COOK}/persona.md": "x"}
    assert folder_that_stays(f"{COOK}/agent.toml", BASES, changed) == COOK
    assert folder_that_stays(f"{MAID}/agent.toml", BASES, changed) == ""
    assert folder_that_stays(f"{WORK}/workspace.toml", BASES, changed) == WORK
    assert folder_that_stays("memory/user.md", BASES, changed | {"memory/user.md": "x"}) == ""


def test_every_agent_stays_with_its_workspace() -> None:
    bases = BASES | {f"{WORK}/workspace.toml": TextBase(number=2)}
    assert folder_that_stays(f"{MAID}/agent.toml", bases, FILES) == WORK


def test_with_a_changed_file_come_those_that_were_removed_here() -> None:
    gone = FILES | {path: "" for path in FILES if path.startswith(COOK)}
    files = tuple(path for path in FILES if path.startswith(COOK))
    assert come_back(f"{COOK}/persona.md", BASES, gone) == (COOK, files)
    assert come_back(f"{MAID}/agent.toml", BASES, gone) == ("", ())
    assert come_back(f"{WORK}/memory.md", BASES, gone) == ("", ())
    assert come_back(f"{COOK}/persona.md", BASES, dict.fromkeys(FILES, "")) == (WORK, tuple(sorted(FILES)))
