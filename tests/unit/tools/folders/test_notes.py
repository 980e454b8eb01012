import os
from pathlib import Path

import pytest

from assistant.tools.builtin.knowledge.notes import note_tools
from assistant.tools.folders.notes import MOST_BYTES, NoteFolder, file_title
from assistant.tools.tool import ToolError
from tests.fakes.asking.served_call import served_call


@pytest.fixture
def notes(tmp_path: Path) -> NoteFolder:
    return NoteFolder(tmp_path / "notes")


def test_a_note_is_a_markdown_file_that_only_its_owner_reads(notes: NoteFolder, tmp_path: Path) -> None:
    assert notes.create("장보기 목록", "- 우유\n- 달걀") == "장보기 목록"
    path = tmp_path / "notes" / "장보기 목록.md"
    assert path.read_text(encoding="utf-8") == "- 우유\n- 달걀\n"
    if os.name == "posix":
        assert path.stat().st_mode & 0o777 == 0o600


def test_lines_are_added_and_edits_by_hand_are_kept(notes: NoteFolder, tmp_path: Path) -> None:
    notes.create("list", "- milk")
    (tmp_path / "notes" / "list.md").write_text("- milk\n- by hand", encoding="utf-8")
    notes.append("LIST", "- eggs")
    assert notes.read("list") == "- milk\n- by hand\n- eggs\n"


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "cp949"])
def test_a_note_that_notepad_has_saved_loses_nothing_when_a_line_is_added(
    notes: NoteFolder, tmp_path: Path, encoding: str
) -> None:
    notes.create("목록", "-")
    (tmp_path / "notes" / "목록.md").write_bytes("우유".encode(encoding))
    notes.append("목록", "달걀")
    assert (notes.read("목록"), len(notes.search("우유"))) == ("우유\n달걀\n", 1)


def test_a_note_that_is_no_text_is_not_written_over(notes: NoteFolder, tmp_path: Path) -> None:
    notes.create("sound", "-")
    path = tmp_path / "notes" / "sound.md"
    path.write_bytes(b"\x00\x01")
    with pytest.raises(ToolError, match="no_text"):
        notes.append("sound", "x")
    assert path.read_bytes() == b"\x00\x01"


def test_a_note_is_not_overwritten(notes: NoteFolder) -> None:
    notes.create("Plan", "first")
    with pytest.raises(ToolError, match="note_exists"):
        notes.create("plan", "second")
    assert notes.read("Plan") == "first\n"


def test_notes_are_listed_newest_first_and_searched(notes: NoteFolder, tmp_path: Path) -> None:
    notes.create("a", "Buy Milk today\nnothing")
    notes.create("b", "milk shake")
    os.utime(tmp_path / "notes" / "a.md", (1, 1))
    assert notes.titles() == ["b", "a"]
    assert [(found.title, found.line) for found in notes.search("milk")] == [
        ("b", "milk shake"),
        ("a", "Buy Milk today"),
    ]
    assert [found.title for found in notes.search("milk buy")] == ["a"]


def test_a_deleted_note_is_gone(notes: NoteFolder) -> None:
    notes.create("a", "text")
    notes.delete("a")
    assert notes.titles() == []
    with pytest.raises(ToolError, match="no_note title=a known=-"):
        notes.read("a")


@pytest.mark.parametrize(
    ("title", "name"),
    [("../../etc/passwd", "etc passwd"), ("a/b\\c:d", "a b c d"), ("  .hidden. ", "hidden"), ("CON", "CON note")],
)
def test_a_title_is_a_name_within_the_folder_on_every_system(title: str, name: str) -> None:
    assert file_title(title) == name


def test_a_title_of_nothing_is_refused() -> None:
    with pytest.raises(ToolError, match="title"):
        file_title(" ./. ")


@pytest.mark.skipif(os.name != "posix", reason="links need rights on Windows")
def test_a_link_is_no_note(notes: NoteFolder, tmp_path: Path) -> None:
    notes.create("a", "text")
    secret = tmp_path / "secret"
    secret.write_text("key")
    (tmp_path / "notes" / "linked.md").symlink_to(secret)
    assert notes.titles() == ["a"]
    with pytest.raises(ToolError):
        notes.append("linked", "more")
    assert secret.read_text() == "key"


async def test_the_tools_tell_what_was_done_and_what_is_wrong(notes: NoteFolder) -> None:
    tools = {each.name: each for each in note_tools(notes)}
    assert await tools["list_notes"].run({}, served_call()) == "There are no notes."
    assert await tools["create_note"].run({"title": "a", "text": "one"}, served_call()) == "Saved the note 'a'."
    assert await tools["append_to_note"].run({"title": "a", "text": "two"}, served_call()) == "Added to the note 'a'."
    assert await tools["read_note"].run({"title": "a"}, served_call()) == "one\ntwo\n"
    assert await tools["search_notes"].run({"words": "two"}, served_call()) == "a: two"
    assert await tools["search_notes"].run({"words": "ten"}, served_call()) == "No note contains these words."
    with pytest.raises(ToolError, match="note_too_long"):
        await tools["append_to_note"].run({"title": "a", "text": "x" * MOST_BYTES}, served_call())
    with pytest.raises(ToolError, match="words"):
        await tools["search_notes"].run({"words": " "}, served_call())
    assert await tools["delete_note"].run({"title": "a"}, served_call()) == "Deleted the note 'a'."
