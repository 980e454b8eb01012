from pathlib import Path

import pytest

from assistant.core.errors import StorageError
from assistant.memory.memory_file import MemoryFile
from assistant.memory.snapshots import MOST_SNAPSHOTS, snapshot_path
from tests.fakes.clock import FakeClock


@pytest.fixture
def memory(tmp_path: Path) -> MemoryFile:
    path = tmp_path / "user.md"
    path.write_text("# Me\n- I live in Seoul\n- I have a cat named Nabi\n", encoding="utf-8")
    return MemoryFile(path, FakeClock(), lambda: 4_000)


async def test_a_shorter_memory_keeps_the_users_own_lines_and_a_copy_of_the_original(memory: MemoryFile) -> None:
    original = memory.path.read_text("utf-8")
    assert await memory.replace_facts(await memory.facts(), ["Seoul, cat Nabi"])
    assert memory.path.read_text("utf-8") == "# Me\n- Seoul, cat Nabi <!-- 2026-11-22 -->\n"
    (snapshot,) = await memory.snapshots()
    assert (snapshot.path.name, snapshot.content) == ("user.md.snapshot", original)
    assert [fact.text for fact in snapshot.facts] == ["I live in Seoul", "I have a cat named Nabi"]


async def test_a_memory_that_changed_in_the_meantime_is_not_replaced(memory: MemoryFile) -> None:
    before = await memory.facts()
    await memory.remove("cat")
    assert not await memory.replace_facts(before, ["Seoul"])
    assert len(await memory.facts()) == 1
    assert await memory.snapshots() == ()


async def test_a_fact_that_is_added_in_the_meantime_stays_beside_the_shorter_ones(memory: MemoryFile) -> None:
    before = await memory.facts()
    added = (await memory.add("I like Busan", source="m-1")).fact
    assert await memory.replace_facts(before, ["Seoul, cat Nabi"])
    assert [fact.text for fact in await memory.facts()] == ["Seoul, cat Nabi", "I like Busan"]
    assert added in await memory.facts()
    assert added not in await memory.archived()


async def test_a_fact_in_the_same_words_keeps_its_source_and_day(memory: MemoryFile) -> None:
    added = (await memory.add("I like Busan", source="m-1")).fact
    assert await memory.replace_facts(await memory.facts(), ["Seoul, cat Nabi", "I like Busan"])
    assert (await memory.facts())[-1] == added
    assert [fact.text for fact in await memory.archived()] == ["I live in Seoul", "I have a cat named Nabi"]


async def test_a_forgotten_fact_is_in_no_copy_and_the_copies_keep_their_times(memory: MemoryFile) -> None:
    for number in range(2):
        await memory.replace_facts(await memory.facts(), [f"short {number}", "I have a cat named Nabi"])
    saved = [each.saved_at for each in await memory.snapshots()]
    await memory.remove("nabi")
    assert [len(each.facts) for each in await memory.snapshots()] == [1, 1]
    assert [each.saved_at for each in await memory.snapshots()] == saved
    assert not [each for each in memory.path.parent.iterdir() if "Nabi" in each.read_text("utf-8")]
    assert (await memory.snapshots())[0].content.startswith("# Me\n")


async def test_a_copy_is_restored_and_what_it_replaces_is_kept(memory: MemoryFile) -> None:
    original = memory.path.read_text("utf-8")
    await memory.replace_facts(await memory.facts(), ["short"])
    shorter = memory.path.read_text("utf-8")
    await memory.restore((await memory.snapshots())[0])
    assert memory.path.read_text("utf-8") == original
    assert [each.content for each in await memory.snapshots()] == [shorter, original]


async def test_earlier_copies_are_kept_up_to_a_number(memory: MemoryFile) -> None:
    for number in range(MOST_SNAPSHOTS + 3):
        await memory.replace_facts(await memory.facts(), [f"fact {number}"])
    found = await memory.snapshots()
    assert len(found) == MOST_SNAPSHOTS
    assert [each.facts[0].text for each in found[:2]] == ["fact 21", "fact 20"]
    assert found[1].path == snapshot_path(memory.path, 1)


async def test_without_a_copy_nothing_is_replaced(memory: MemoryFile) -> None:
    original = memory.path.read_text("utf-8")
    snapshot_path(memory.path, 0).mkdir()
    with pytest.raises(StorageError):
        await memory.replace_facts(await memory.facts(), ["short"])
    assert memory.path.read_text("utf-8") == original
