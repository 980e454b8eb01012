from pathlib import Path

import pytest

from assistant.core.errors import StorageError
from assistant.core.records.memory import MemoryChange, Scope
from assistant.memory.facts import Fact
from assistant.memory.journal import MemoryJournal
from assistant.memory.memory_file import MemoryFile
from tests.fakes.clock import FakeClock


class Shelf:
    def __init__(self, folder: Path) -> None:
        self.told: list[MemoryChange] = []
        self.journal = MemoryJournal(self.told.append)
        self.own = self._watched(folder / "user.md", Scope.PERSONAL)
        self.shared = self._watched(folder / "memory.md", Scope.WORKSPACE)

    def _watched(self, path: Path, scope: Scope) -> MemoryFile:
        file = MemoryFile(path, FakeClock(), lambda: 4_000)
        self.journal.watch(file, scope)
        return file


@pytest.fixture
def shelf(tmp_path: Path) -> Shelf:
    return Shelf(tmp_path)


async def test_each_change_is_told_with_its_scope_and_its_message(shelf: Shelf) -> None:
    await shelf.own.add("one cat", source="message-1")
    await shelf.own.add("One cat.")
    await shelf.shared.add("we ship on Friday")
    await shelf.own.remove("cat")
    told = [(each.scope, each.text, each.removed, each.source) for each in shelf.told]
    assert told == [
        (Scope.PERSONAL, "one cat", False, "message-1"),
        (Scope.WORKSPACE, "we ship on Friday", False, ""),
        (Scope.PERSONAL, "one cat", True, "message-1"),
    ]
    assert len({each.id for each in shelf.told}) == 3


async def test_any_change_is_undone_and_the_rest_stays(shelf: Shelf) -> None:
    await shelf.own.add("one cat", source="message-1")
    await shelf.own.add("two dogs")
    shelf.own.path.write_text("# me\n" + shelf.own.path.read_text("utf-8"), "utf-8")
    assert await shelf.journal.undo(shelf.told[0].id) == shelf.told[0]
    assert [fact.text for fact in await shelf.own.facts()] == ["two dogs"]
    assert shelf.own.path.read_text("utf-8").startswith("# me\n")
    assert await shelf.journal.undo(shelf.told[0].id) is None


async def test_a_forgotten_fact_comes_back_with_its_source(shelf: Shelf) -> None:
    await shelf.own.add("one cat", source="message-1")
    before = await shelf.own.facts()
    await shelf.own.remove("cat")
    assert await shelf.journal.undo() == shelf.told[-1]
    assert await shelf.own.facts() == before
    assert before[0].source == "message-1"


async def test_the_newest_remembered_fact_is_undone_whatever_its_memory(shelf: Shelf) -> None:
    await shelf.own.add("one cat")
    await shelf.shared.add("we ship on Friday")
    await shelf.own.remove("cat")
    undone = await shelf.journal.undo(only_added=True)
    assert undone is not None
    assert undone.text == "we ship on Friday"


@pytest.mark.parametrize("fact", ["one cat", "고양이를 한 마리 키워"])
async def test_forgetting_what_was_just_remembered_is_told_and_can_be_undone(shelf: Shelf, fact: str) -> None:
    await shelf.own.add("we ship on Friday")
    await shelf.own.add(fact, source="message-1")
    before = await shelf.own.facts()
    await shelf.journal.undo(only_added=True)
    told = shelf.told[-1]
    assert (told.text, told.removed) == (fact, True)
    assert await shelf.journal.undo(told.id) is not None
    assert await shelf.own.facts() == before


async def test_each_further_wish_to_forget_the_newest_goes_one_fact_back(shelf: Shelf) -> None:
    for fact in ("one cat", "two dogs", "three birds"):
        await shelf.own.add(fact)
    undone = [await shelf.journal.undo(only_added=True) for _ in range(3)]
    assert [each.text for each in undone if each] == ["three birds", "two dogs", "one cat"]
    assert await shelf.own.facts() == ()


async def test_a_line_that_the_user_has_changed_is_left_alone(shelf: Shelf) -> None:
    await shelf.own.add("one cat")
    shelf.own.path.write_text("- two cats\n", "utf-8")
    assert await shelf.journal.undo(shelf.told[0].id) is None
    assert await shelf.own.facts() == (Fact(text="two cats"),)
    assert await shelf.journal.undo() is None


async def test_a_source_stays_with_a_line_that_the_user_edits(shelf: Shelf) -> None:
    await shelf.own.add("one cat", source="0198-ab")
    text = shelf.own.path.read_text("utf-8")
    shelf.own.path.write_text(text.replace("one cat", "one old cat"), "utf-8")
    (fact,) = await shelf.own.facts()
    assert (fact.text, fact.source) == ("one old cat", "0198-ab")


async def test_an_undo_that_cannot_be_written_is_reported(shelf: Shelf, monkeypatch: pytest.MonkeyPatch) -> None:
    await shelf.own.add("one cat")

    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr("os.fsync", fail)
        with pytest.raises(StorageError):
            await shelf.journal.undo()
    assert await shelf.journal.undo() is not None


async def test_a_replaced_fact_is_told_as_one_change_and_comes_back(shelf: Shelf) -> None:
    await shelf.own.add("My birthday is March 2")
    before = shelf.own.path.read_text("utf-8")
    await shelf.own.add("My birthday is March 5", source="message-2")
    assert len(shelf.told) == 2
    change = shelf.told[-1]
    assert (change.text, change.former, change.removed) == ("My birthday is March 5", "My birthday is March 2", False)
    assert await shelf.journal.undo(change.id) == change
    assert shelf.own.path.read_text("utf-8") == before


async def test_a_replaced_fact_that_the_user_has_written_again_is_left_alone(shelf: Shelf) -> None:
    await shelf.own.add("My birthday is March 2")
    before = shelf.own.path.read_text("utf-8")
    await shelf.own.add("My birthday is March 5")
    shelf.own.path.write_text(before + shelf.own.path.read_text("utf-8"), "utf-8")
    assert await shelf.journal.undo(shelf.told[-1].id) is None


async def test_changes_are_undone_after_a_restart_and_what_was_forgotten_stands_nowhere(tmp_path: Path) -> None:
    def started() -> tuple[MemoryFile, MemoryJournal]:
        file, journal = (
            MemoryFile(tmp_path / "memory" / "user.md", FakeClock(), lambda: 4_000),
            MemoryJournal(home=tmp_path),
        )
        journal.watch(file, Scope.PERSONAL)
        return file, journal

    file, _ = started()
    for text in ("My birthday is March 2", "My birthday is March 5", "one cat"):
        await file.add(text)
    await file.remove("cat")
    assert b"cat" not in b"".join(each.read_bytes() for each in (tmp_path / "memory").iterdir())
    undone = [await started()[1].undo() for _ in range(4)]
    assert [each and (each.text, each.former) for each in undone] == [
        ("My birthday is March 5", "My birthday is March 2"),
        ("My birthday is March 2", ""),
        None,
        None,
    ]
    assert await file.facts() == ()


async def test_a_damaged_list_of_changes_loses_no_other_change(tmp_path: Path) -> None:
    file, journal = (
        MemoryFile(tmp_path / "memory" / "user.md", FakeClock(), lambda: 4_000),
        MemoryJournal(home=tmp_path),
    )
    journal.watch(file, Scope.PERSONAL)
    await file.add("one cat")
    with (tmp_path / "memory" / "changes.jsonl").open("a", encoding="utf-8") as changes:
        changes.write('{"id": "x"\n[]\n{"id": 3}\n')
    undone = await journal.undo()
    assert undone is not None
    assert undone.text == "one cat"
