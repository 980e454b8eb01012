import asyncio
import os
from pathlib import Path

import pytest

from assistant.core.errors import StorageError
from assistant.core.settings import MemorySettings
from assistant.memory import former
from assistant.memory.memory_file import MemoryFile, MemoryFullError
from assistant.memory.personal import PersonalMemory, within
from tests.fakes.clock import FakeClock


def memory_in(folder: Path, most: int = 4_000) -> MemoryFile:
    return MemoryFile(folder / "memory" / "user.md", FakeClock(), lambda: most)


async def test_a_fact_is_there_for_the_next_process(tmp_path: Path) -> None:
    noted = await memory_in(tmp_path).add("나는 땅콩 알레르기가 있다")
    assert not noted.known
    assert [fact.text for fact in await memory_in(tmp_path).facts()] == ["나는 땅콩 알레르기가 있다"]


async def test_nearly_the_same_fact_is_not_added_twice(tmp_path: Path) -> None:
    memory = memory_in(tmp_path)
    first = await memory.add("나는 땅콩 알레르기가 있다")
    again = await memory.add("땅콩 알레르기 있다")
    assert again.known
    assert again.fact == first.fact
    assert len(await memory.facts()) == 1


async def test_what_the_user_writes_by_hand_counts_at_once_and_stays(tmp_path: Path) -> None:
    memory = memory_in(tmp_path)
    await memory.add("커피를 안 마신다")
    by_hand = "# 나에 대해\n\n- 생일은 5월 3일\n"
    memory.path.write_text(by_hand + memory.path.read_text("utf-8"), "utf-8")
    assert [fact.text for fact in await memory.facts()] == ["생일은 5월 3일", "커피를 안 마신다"]
    assert [fact.text for fact in await memory.remove("커피")] == ["커피를 안 마신다"]
    assert memory.path.read_text("utf-8") == by_hand


async def test_only_the_newest_fact_is_taken_back(tmp_path: Path) -> None:
    memory = memory_in(tmp_path)
    await memory.add("one cat")
    await memory.add("two dogs")
    assert [fact.text for fact in await memory.remove_newest()] == ["two dogs"]
    assert [fact.text for fact in await memory.facts()] == ["one cat"]


async def test_facts_that_are_added_at_once_are_all_kept(tmp_path: Path) -> None:
    memory = memory_in(tmp_path)
    await asyncio.gather(*(memory.add(f"number {number}") for number in range(20)))
    assert {fact.text for fact in await memory.facts()} == {f"number {number}" for number in range(20)}


async def test_a_full_memory_says_so_and_keeps_what_it_has(tmp_path: Path) -> None:
    memory = memory_in(tmp_path, most=60)
    await memory.add("a cat named Bori")
    with pytest.raises(MemoryFullError) as caught:
        await memory.add("a dog whose name is much longer than there is room for")
    assert caught.value.values["most"] == "60"
    assert [fact.text for fact in await memory.facts()] == ["a cat named Bori"]


async def test_a_file_that_is_no_text_is_named_and_not_written_over(tmp_path: Path) -> None:
    memory = memory_in(tmp_path)
    memory.path.parent.mkdir()
    memory.path.write_bytes(b"- caf\xe9\n")
    for attempt in (memory.facts(), memory.add("x"), memory.remove("x")):
        with pytest.raises(StorageError, match=r"user\.md"):
            await attempt
    assert memory.path.read_bytes() == b"- caf\xe9\n"


@pytest.mark.parametrize("broken", ["write", "fsync", "replace"])
async def test_a_failure_at_any_step_leaves_the_old_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, broken: str
) -> None:
    memory = memory_in(tmp_path)
    await memory.add("one cat")
    before = memory.path.read_bytes()

    def fail(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    if broken == "replace":
        monkeypatch.setattr(Path, "replace", fail)
    else:
        monkeypatch.setattr(os, {"write": "fdopen", "fsync": "fsync"}[broken], fail)
    with pytest.raises(StorageError):
        await memory.add("two dogs")
    monkeypatch.undo()
    assert memory.path.read_bytes() == before
    assert [each.name for each in memory.path.parent.iterdir()] == ["user.md"]


async def test_a_memory_that_is_off_gives_no_facts_and_keeps_its_file(tmp_path: Path) -> None:
    settings = [MemorySettings()]
    memory = PersonalMemory(tmp_path / "user.md", FakeClock(), lambda: settings[0])
    await memory.add("one cat")
    settings[0] = MemorySettings(personal=False)
    assert await memory.facts() == ()
    assert [fact.text for fact in await memory.file.facts()] == ["one cat"]


def test_the_newest_facts_stay_where_there_is_little_room() -> None:
    facts = ("aaaa", "bbbb", "cccc")
    assert within(facts, 9) == facts[1:]
    assert within(facts, 3) == ()


async def test_a_new_value_replaces_the_old_line_which_is_kept(tmp_path: Path) -> None:
    memory = memory_in(tmp_path)
    await memory.add("내 생일은 3월 2일이야")
    await memory.add("나는 재즈를 좋아해")
    noted = await memory.add("내 생일은 3월 5일이야")
    assert (noted.known, noted.former and noted.former.text) == (False, "내 생일은 3월 2일이야")
    assert [fact.text for fact in await memory.facts()] == ["나는 재즈를 좋아해", "내 생일은 3월 5일이야"]
    assert [fact.text for fact in await memory_in(tmp_path).former()] == ["내 생일은 3월 2일이야"]


async def test_a_new_value_finds_room_in_a_full_memory_but_not_a_longer_one(tmp_path: Path) -> None:
    memory = memory_in(tmp_path, most=60)
    await memory.add("My birthday is March 2")
    memory.path.write_text(f"# {'x' * 60}\n{memory.path.read_text('utf-8')}", "utf-8")
    assert (await memory.add("My birthday is March 5")).former is not None
    with pytest.raises(MemoryFullError):
        await memory.add("My birthday is actually the fifth day of April")
    assert [fact.text for fact in await memory.facts()] == ["My birthday is March 5"]


async def test_what_is_forgotten_is_forgotten_with_its_former_values(tmp_path: Path) -> None:
    memory = memory_in(tmp_path)
    for text in ("My birthday is March 2", "My birthday is March 5", "I live in Seoul", "I moved to Busan"):
        await memory.add(text)
    await memory.remove("birthday")
    assert [fact.text for fact in await memory.former()] == ["I live in Seoul"]


async def test_only_the_newest_former_facts_are_kept(tmp_path: Path) -> None:
    memory = memory_in(tmp_path)
    for day in range(former.MOST_FORMER + 3):
        await memory.add(f"My weight is {day + 1} kg")
    kept = [fact.text for fact in await memory.former()]
    assert (len(kept), kept[-1]) == (former.MOST_FORMER, f"My weight is {former.MOST_FORMER + 2} kg")


async def test_a_fact_that_was_noted_unasked_is_approved_when_the_user_asks_for_it(tmp_path: Path) -> None:
    memory = memory_in(tmp_path)
    assert (await memory.add("one cat", source="m-1", unasked=True)).fact.unasked
    assert "unasked from m-1 -->" in memory.path.read_text("utf-8")
    assert (await memory.add("one cat", unasked=True)).fact.unasked
    assert (await memory.facts())[0].unasked
    assert not (await memory.add("one cat")).fact.unasked
    (fact,) = await memory.facts()
    assert (fact.unasked, fact.source) == (False, "m-1")


async def test_a_summary_of_facts_that_nobody_approved_is_not_approved(tmp_path: Path) -> None:
    memory = memory_in(tmp_path)
    await memory.add("a cat named Bori", unasked=True)
    await memory.replace_facts(await memory.facts(), ["cat"])
    assert (await memory.facts())[0].unasked


async def test_a_file_that_cannot_be_read_is_told_once_until_it_is_mended(tmp_path: Path) -> None:
    memory, told = memory_in(tmp_path), list[str]()
    memory.on_unreadable = lambda error: told.append(error.path)
    await memory.add("one cat")
    for content in (b"\xff", b"\xff\xff", b"- one dog\n", b"\xff"):
        memory.path.write_bytes(content)
        try:
            assert [fact.text for fact in await memory.facts()] == ["one dog"]
        except StorageError:
            assert content.startswith(b"\xff")
    assert told == [str(memory.path)] * 2
