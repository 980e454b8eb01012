import asyncio
import os
import sys
from pathlib import Path

import pytest

from assistant.core.errors import StorageError
from assistant.core.settings import MemorySettings
from assistant.memory import set_aside
from assistant.memory.memory_file import MemoryFile
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


async def test_a_full_memory_takes_a_new_fact_and_the_oldest_ones_are_still_found(tmp_path: Path) -> None:
    memory = memory_in(tmp_path, most=128)
    for name in ("Bori", "Nabi", "Coco"):
        noted = await memory.add(f"I have a cat named {name}")
    assert [fact.text for fact in noted.archived] == ["I have a cat named Bori"]
    assert [fact.text for fact in await memory.facts()] == ["I have a cat named Nabi", "I have a cat named Coco"]
    assert [fact.text for fact in await memory_in(tmp_path).search("cat")] == [
        f"I have a cat named {name}" for name in ("Bori", "Nabi", "Coco")
    ]
    longer = await memory.add("a dog whose name is much longer than the whole memory has room for" * 3)
    assert (len(longer.archived), len(await memory.facts())) == (2, 1)


async def test_whoever_makes_room_later_lets_the_file_grow_until_then(tmp_path: Path) -> None:
    memory = memory_in(tmp_path, most=60)
    memory.full.add(lambda: None)
    assert [(await memory.add(f"cat number {number}")).archived for number in range(3)] == [(), (), ()]
    assert len(await memory.facts()) == 3
    assert [fact.text for fact in await memory.archive_oldest()] == ["cat number 0", "cat number 1"]


async def test_a_new_value_replaces_an_archived_one_and_forgetting_reaches_the_archive(tmp_path: Path) -> None:
    memory = memory_in(tmp_path, most=60)
    for text in ("My birthday is March 2", "I have a cat named Bori", "My birthday is March 5"):
        await memory.add(text)
    assert [fact.text for fact in await memory.search("birthday")] == ["My birthday is March 5"]
    assert [fact.text for fact in await memory.former()] == ["My birthday is March 2"]
    assert [fact.text for fact in await memory.remove("cat")] == ["I have a cat named Bori"]
    assert await memory.search("cat") == ()


async def test_facts_that_many_processes_add_at_once_are_all_kept(tmp_path: Path) -> None:
    path = tmp_path / "user.md"
    script = (
        "import asyncio, sys; from pathlib import Path; from assistant.host.clock import SystemClock\n"
        "from assistant.memory.memory_file import MemoryFile\n"
        "file = MemoryFile(Path(sys.argv[1]), SystemClock(), lambda: 4000)\n"
        "[asyncio.run(file.add(f'process {sys.argv[2]} fact {n}')) for n in range(5)]"
    )
    running = [
        await asyncio.create_subprocess_exec(sys.executable, "-c", script, str(path), str(number))
        for number in range(8)
    ]
    own = MemoryFile(path, FakeClock(), lambda: 4_000)
    for number in range(5):
        await own.add(f"process 8 fact {number}")
    assert [await process.wait() for process in running] == [0] * 8
    wanted = {f"process {process} fact {number}" for process in range(9) for number in range(5)}
    assert {fact.text for fact in await own.facts()} == wanted


async def test_a_hand_edit_between_reading_and_writing_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    memory = memory_in(tmp_path)
    await memory.add("one cat")
    edits = iter(["# by hand\n- one cat\n"])

    def edited_meanwhile(path: Path) -> str:
        content = set_aside.text_of(path)
        for edit in edits:
            path.write_text(edit, "utf-8")
        return content

    monkeypatch.setattr("assistant.memory.memory_file.text_of", edited_meanwhile)
    await memory.add("two dogs")
    assert memory.path.read_text("utf-8").startswith("# by hand\n- one cat\n- two dogs")


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-8"])
async def test_a_file_that_notepad_has_saved_is_read_and_kept(tmp_path: Path, encoding: str) -> None:
    memory = memory_in(tmp_path)
    memory.path.parent.mkdir()
    memory.path.write_bytes("# 나\r\n- 고양이 보리\r\n".encode(encoding))
    await memory.add("개 초코")
    assert [fact.text for fact in await memory.facts()] == ["고양이 보리", "개 초코"]
    assert memory.path.read_text("utf-8").startswith("# 나\n- 고양이 보리\n- 개 초코")


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
    assert {each.name for each in memory.path.parent.iterdir()} == {"user.md", ".user.md.lock"}


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


async def test_what_is_forgotten_is_forgotten_with_its_former_values(tmp_path: Path) -> None:
    memory = memory_in(tmp_path)
    for text in ("My birthday is March 2", "My birthday is March 5", "I live in Seoul", "I moved to Busan"):
        await memory.add(text)
    await memory.remove("birthday")
    assert [fact.text for fact in await memory.former()] == ["I live in Seoul"]


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
    memory.unreadable.add(lambda error: told.append(error.path))
    await memory.add("one cat")
    for content in (b"\xff", b"\xff\xff", b"- one dog\n", b"\xff"):
        memory.path.write_bytes(content)
        try:
            assert [fact.text for fact in await memory.facts()] == ["one dog"]
        except StorageError:
            assert content.startswith(b"\xff")
    assert told == [str(memory.path)] * 2
