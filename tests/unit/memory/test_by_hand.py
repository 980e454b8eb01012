"""Facts that the user changes, forgets and brings back by hand."""

from pathlib import Path

import pytest

from assistant.core.records.memory import MemoryChange, Scope
from assistant.memory.journal import MemoryJournal
from assistant.memory.memory_file import MemoryFile
from tests.fakes.clock import FakeClock


@pytest.fixture
def told() -> list[MemoryChange]:
    return []


@pytest.fixture
def journal(tmp_path: Path, told: list[MemoryChange]) -> MemoryJournal:
    return MemoryJournal(told.append, tmp_path)


@pytest.fixture
def file(tmp_path: Path, journal: MemoryJournal) -> MemoryFile:
    made = MemoryFile(tmp_path / "memory" / "user.md", FakeClock(), lambda: 4_000)
    journal.watch(made, Scope.PERSONAL)
    return made


async def texts_of(file: MemoryFile) -> list[str]:
    return [each.text for each in await file.facts()]


@pytest.mark.parametrize(
    ("text", "other"),
    [
        ("고양이 이름은 나비야", "고양이 이름은 나비야 그리고 강아지는 콩이야"),
        ("커피를 좋아해", "커피를 좋아해요 아주"),
        ("one cat", "one cat and two dogs"),
        ("I live in Seoul", "I live in Seoul and work in Incheon"),
        ("매운 걸 못 먹어", "엄마도 매운 걸 못 먹어"),
        ("my sister is Mina", "my sister is Mina's friend"),
    ],
)
async def test_exactly_one_fact_is_forgotten_also_where_another_has_all_its_words(
    file: MemoryFile, text: str, other: str
) -> None:
    file.path.parent.mkdir()
    file.path.write_text(f"# 나\n- {text}\n- {other}\n", "utf-8")
    gone = await file.remove_fact(text)
    assert gone is not None
    assert await texts_of(file) == [other]
    assert file.path.read_text("utf-8").startswith("# 나\n")


async def test_a_forgotten_fact_is_nowhere_any_more_and_comes_back_by_undo(
    file: MemoryFile, journal: MemoryJournal, told: list[MemoryChange]
) -> None:
    await file.add("my code name is Falke", source="message-1")
    await file.replace_facts(await file.facts(), ["my code name is Falke", "shorter"])
    await file.remove_fact("my code name is Falke")
    everywhere = "".join(each.read_text("utf-8") for each in file.path.parent.iterdir() if each.is_file())
    assert "Falke" not in everywhere
    assert await journal.undo(told[-1].id) is not None
    assert "my code name is Falke" in await texts_of(file)


async def test_a_fact_that_was_changed_by_hand_is_the_users_own_and_can_be_undone(
    file: MemoryFile, journal: MemoryJournal, told: list[MemoryChange]
) -> None:
    await file.add("one cat", source="message-1", unasked=True)
    changed = await file.change_fact("one cat", "  two   cats <!-- x -->")
    assert changed is not None
    assert (changed.text, changed.unasked, changed.source) == ("two cats x", False, "message-1")
    assert (told[-1].former, told[-1].text) == ("one cat", "two cats x")
    await journal.undo(told[-1].id)
    assert await texts_of(file) == ["one cat"]


async def test_nothing_happens_to_a_fact_that_is_gone(file: MemoryFile, told: list[MemoryChange]) -> None:
    assert await file.change_fact("one cat", "two cats") is None
    assert await file.remove_fact("one cat") is None
    assert told == []


async def test_the_history_has_what_was_changed_but_not_the_words_that_were_forgotten(
    file: MemoryFile, journal: MemoryJournal, tmp_path: Path
) -> None:
    await file.add("one cat")
    await file.change_fact("one cat", "two cats")
    await file.add("a secret of mine")
    await file.remove_fact("a secret of mine")
    newest, added, changed, first = await journal.past()
    assert newest.removed
    assert newest.undoable
    assert changed.replaced
    assert (first.after is None, changed.after and changed.after.text) == (False, "two cats")
    assert newest.at_s >= first.at_s > 1_600_000_000
    later = MemoryJournal(home=tmp_path)
    later.watch(file, Scope.PERSONAL)
    newest, added, changed, first = await later.past()
    assert (newest.before, newest.undoable, added.after) == (None, False, None)
    assert changed.after is not None


async def test_all_facts_are_erased_with_their_history_and_other_lines_stay(
    file: MemoryFile, journal: MemoryJournal
) -> None:
    await file.add("one cat")
    await file.add("two dogs")
    file.path.write_text("# me\n" + file.path.read_text("utf-8"), "utf-8")
    assert await file.remove_all() == 2
    journal.forget_all()
    assert await journal.past() == ()
    assert file.path.read_text("utf-8") == "# me\n"
