"""Projects stay like the folders of the user."""

import asyncio
import os
import sqlite3
import unicodedata
from collections.abc import AsyncIterator, Callable, Collection
from pathlib import Path

import pytest

from assistant.core.errors import SoriError, StorageError
from assistant.core.knowledge.files import FileState
from assistant.core.knowledge.texts import RECOGNISED, SCANNED_PAGES, BlockKind, ExtractedText
from assistant.knowledge.idle_times import AlwaysIdle, IdleTimes
from assistant.knowledge.projects import following, pipeline, project_rows, reading_rows
from assistant.knowledge.projects.scanning import Scan, scan
from assistant.knowledge.reading.blocks import plain_blocks
from assistant.knowledge.reading.reader import UnreadableFileError, tell_nobody
from tests.fakes.clock import FakeClock
from tests.fakes.plain_reader import PlainReader
from tests.unit.knowledge.projects.conftest import by_name, opened, settled


async def test_a_folder_is_read_and_its_passages_are_found(tmp_path: Path, docs: Path) -> None:
    async with opened(tmp_path / "home") as projects:
        made = await projects.add("회사", "default", [str(docs)])
        await settled(projects)
        files = await by_name(projects, made.id)
        assert {name: file.state for name, file in files.items()} == {
            "leave.md": "ready",
            "sub/lunch.txt": "ready",
            "sub/parking.txt": "ready",
        }
        found = await projects.search("주차 parking", (made.id,))
        assert (found[0].name, found[0].passage.text) == ("sub/parking.txt", "Parking costs 3,000 won a day.")
        assert await projects.text_of(files["leave.md"].id) == "# 휴가\n연차는 15일이에요."


async def test_a_folder_is_followed_though_its_client_left_while_it_was_compared(tmp_path: Path, docs: Path) -> None:
    async with opened(tmp_path / "home") as projects:
        told: asyncio.Queue[str] = asyncio.Queue()
        projects.changed.add(told.put_nowait)
        adding = asyncio.ensure_future(projects.add("회사", "default", [str(docs)]))
        while not await projects.database.read(project_rows.folders):
            assert not adding.done()
        adding.cancel()
        with pytest.raises(asyncio.CancelledError):
            await adding
        async with asyncio.timeout(20):
            while not await told.get():
                pass
        (made,) = await projects.listed()
        assert "leave.md" in await by_name(projects, made.id)


async def test_a_full_disk_is_told_once_and_reading_goes_on_when_there_is_room(
    tmp_path: Path, docs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pipeline, "_AGAIN_S", 0.01)
    (docs / "long.txt").write_text("A sentence of a long text.\n" * 4_000, encoding="utf-8")
    told: asyncio.Queue[StorageError] = asyncio.Queue()
    async with opened(tmp_path / "home") as projects:
        made = await projects.add("회사", "default", [str(docs)])
        await projects.database.write(lambda db: db.execute("PRAGMA max_page_count = 1").fetchall())
        projects.pipeline.stopped.add(told.put_nowait)
        await projects.read_here()
        assert (await told.get()).message_key == "error.storage_full"
        held = (await projects.find(made.id)).held
        assert held is not None
        assert held.key == "error.storage_full"
        await projects.database.write(lambda db: db.execute("PRAGMA max_page_count = 100000").fetchall())
        await projects.pipeline.done()
        assert {each.state for each in await projects.files(made.id)} == {FileState.READY}
        assert told.empty()
        assert (await projects.find(made.id)).held is None


async def test_the_file_that_is_read_next_is_found_without_sorting_all_that_wait(tmp_path: Path, docs: Path) -> None:
    def plan(db: sqlite3.Connection) -> str:
        asked: list[str] = []
        db.set_trace_callback(asked.append)
        reading_rows.next_waiting(db)
        db.set_trace_callback(None)
        return str(db.execute(f"EXPLAIN QUERY PLAN {asked[0]}").fetchall())

    async with opened(tmp_path / "home") as projects:
        await projects.add("회사", "default", [str(docs)])
        steps = await projects.database.read(plan)
    assert "USING INDEX files_next" in steps
    assert "TEMP B-TREE" not in steps


@pytest.mark.parametrize("error", [OSError("OS file watch limit reached."), RuntimeError("too many watchers")])
async def test_a_folder_whose_changes_the_system_does_not_tell_is_scanned_and_the_user_told(
    tmp_path: Path, docs: Path, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    def refused(*_: object, ignore_permission_denied: bool, **__: object) -> AsyncIterator[set[object]]:
        # With this flag the library reports no limit (watchfiles 1.3.0).
        assert not ignore_permission_denied
        raise error

    monkeypatch.setattr(following, "awatch", refused)
    told: asyncio.Queue[str] = asyncio.Queue()
    async with opened(tmp_path / "home") as projects:
        projects.following.polls.add(told.put_nowait)
        await projects.start(AlwaysIdle())
        await projects.add("회사", "default", [str(docs)])
        assert await told.get() == str(docs)


def _rename(docs: Path) -> None:
    (docs / "leave.md").rename(docs / "vacation.md")


def _move(docs: Path) -> None:
    (docs / "leave.md").rename(docs / "sub" / "leave.md")


def _move_folder(docs: Path) -> None:
    (docs / "sub").rename(docs / "부서")


def _move_to_another_disk(docs: Path) -> None:
    content = (docs / "leave.md").read_bytes()
    (docs / "leave.md").unlink()
    (docs / "copy.md").write_bytes(content)  # as a move between file systems does


@pytest.mark.parametrize(
    ("change", "before", "after"),
    [
        (_rename, "leave.md", "vacation.md"),
        (_move, "leave.md", "sub/leave.md"),
        (_move_folder, "sub/lunch.txt", "부서/lunch.txt"),
        (_move_to_another_disk, "leave.md", "copy.md"),
    ],
)
async def test_a_moved_file_keeps_its_id_and_is_not_read_again(
    tmp_path: Path, docs: Path, change: Callable[[Path], None], before: str, after: str
) -> None:
    reader = PlainReader()
    async with opened(tmp_path / "home", reader) as projects:
        made = await projects.add("회사", "default", [str(docs)])
        await settled(projects)
    known = reader.read_names.copy()
    change(docs)  # while Sori is off
    async with opened(tmp_path / "home", reader) as projects:
        old = (await by_name(projects, made.id))[before]
        await settled(projects)
        files = await by_name(projects, made.id)
        assert before not in files
        assert (files[after].id, files[after].state) == (old.id, "ready")
        assert reader.read_names == known
        assert [each.name for each in await projects.search(Path(after).stem, (made.id,))][:1] == [after]


def _rename_to(source: Path, target: Path) -> None:
    source.rename(target)


def _copy_and_delete(source: Path, target: Path) -> None:
    target.write_bytes(source.read_bytes())  # as a move between file systems does
    source.unlink()


@pytest.mark.parametrize("move", [_rename_to, _copy_and_delete])
@pytest.mark.parametrize(("source", "target"), [("docs/leave.md", "more/휴가.md"), ("more/car.md", "docs/sub/car.md")])
async def test_a_file_keeps_its_id_from_one_folder_of_a_project_to_another(
    tmp_path: Path, docs: Path, move: Callable[[Path, Path], None], source: str, target: str
) -> None:
    more, reader = tmp_path / "more", PlainReader()
    more.mkdir()
    (more / "car.md").write_text("The car is blue.")
    async with opened(tmp_path / "home", reader) as projects:
        made = await projects.add("회사", "default", [str(docs), str(more)])
        other = await projects.add("other", "default", [str(docs), str(more)])
        await settled(projects)
        before = {each.id: each.path for one in (made, other) for each in await projects.files(one.id)}
        move(tmp_path / source, tmp_path / target)
        known = reader.read_names.copy()
        await settled(projects)
        after = {each.id: each.path for one in (made, other) for each in await projects.files(one.id)}
        moved = {str(tmp_path / source): str(tmp_path / target)}
        assert after == {identity: moved.get(path, path) for identity, path in before.items()}
        assert reader.read_names == known
        assert (await projects.search(Path(target).stem, (made.id,)))[0].name.endswith(Path(target).name)


async def test_a_copy_in_another_folder_is_another_file(tmp_path: Path, docs: Path) -> None:
    more = tmp_path / "more"
    more.mkdir()
    async with opened(tmp_path / "home") as projects:
        made = await projects.add("회사", "default", [str(docs), str(more)])
        await settled(projects)
        old = (await by_name(projects, made.id))["leave.md"]
        (more / "copy.md").write_bytes((docs / "leave.md").read_bytes())
        await settled(projects)
        files = await by_name(projects, made.id)
        assert files["leave.md"].id == old.id != files["copy.md"].id


async def test_added_changed_and_deleted_files_follow_while_sori_is_off(tmp_path: Path, docs: Path) -> None:
    async with opened(tmp_path / "home") as projects:
        made = await projects.add("회사", "default", [str(docs)])
        await settled(projects)
    (docs / "leave.md").write_text("연차는 20일이에요.", encoding="utf-8")
    (docs / "new.md").write_text("동호회는 세 개예요.", encoding="utf-8")
    (docs / "sub" / "lunch.txt").unlink()
    async with opened(tmp_path / "home") as projects:
        await settled(projects)
        assert [*await by_name(projects, made.id)] == ["leave.md", "new.md", "sub/parking.txt"]
        assert (await projects.search("연차", (made.id,)))[0].passage.text == "연차는 20일이에요."
        assert await projects.search("cafeteria", (made.id,)) == ()


async def test_a_touched_file_is_not_read_again(tmp_path: Path, docs: Path) -> None:
    reader = PlainReader()
    async with opened(tmp_path / "home", reader) as projects:
        await projects.add("회사", "default", [str(docs)])
        await settled(projects)
        os.utime(docs / "leave.md", ns=(1, 1))
        await settled(projects)
        assert sorted(reader.read_names) == ["leave.md", "sub/lunch.txt", "sub/parking.txt"]


async def test_changes_follow_while_sori_runs(tmp_path: Path, docs: Path) -> None:
    async with opened(tmp_path / "home") as projects:
        await projects.start(AlwaysIdle())
        made = await projects.add("회사", "default", [str(docs)])

        async def until(wanted: dict[str, str]) -> None:
            for _ in range(400):
                states = {name: file.state.value for name, file in (await by_name(projects, made.id)).items()}
                if states == wanted:
                    return
                await asyncio.sleep(0.05)
            assert states == wanted

        await until({"leave.md": "ready", "sub/lunch.txt": "ready", "sub/parking.txt": "ready"})
        (docs / "sub").rename(docs / "부서")
        (docs / "새 문서.md").write_text("새 글", encoding="utf-8")
        await until(
            {"leave.md": "ready", "부서/lunch.txt": "ready", "부서/parking.txt": "ready", "새 문서.md": "ready"}
        )
        (docs / ".gitignore").write_text("부서/\n")
        (docs / "leave.md").unlink()
        await until({".gitignore": "skipped", "부서/": "skipped", "새 문서.md": "ready"})


def _to(old: Path, new: Path) -> None:
    old.rename(new)


async def test_a_folder_out_of_reach_keeps_its_files_and_says_so(tmp_path: Path, docs: Path) -> None:
    async with opened(tmp_path / "home") as projects:
        made = await projects.add("회사", "default", [str(docs)])
        await settled(projects)
        _to(docs, tmp_path / "unmounted")
        await settled(projects)
        file = (await by_name(projects, made.id))["leave.md"]
        assert (file.state, file.reason) == ("ready", "out_of_reach")
        assert await projects.search("연차", (made.id,))
        _to(tmp_path / "unmounted", docs)
        await settled(projects)
        assert (await by_name(projects, made.id))["leave.md"].reason == ""


async def test_an_empty_mount_point_is_no_deletion(tmp_path: Path, docs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "point").mkdir()
    async with opened(tmp_path / "home") as projects:
        made = await projects.add("회사", "default", [str(docs)])
        await settled(projects)
        _to(docs, tmp_path / "disk")
        _to(tmp_path / "point", docs)

        def on_another_device(root: Path, within: Collection[str]) -> Scan:
            found = scan(root, within)
            found.device += 1
            return found

        monkeypatch.setattr("assistant.knowledge.projects.following.scan", on_another_device)
        await settled(projects)
        assert len(await by_name(projects, made.id)) == 3


async def test_a_folder_that_may_not_be_listed_keeps_its_files(
    tmp_path: Path, docs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with opened(tmp_path / "home") as projects:
        made = await projects.add("회사", "default", [str(docs)])
        await settled(projects)
        scandir = os.scandir

        def refuse(path: Path) -> object:
            if Path(path).name == "sub":
                raise PermissionError(13, "no", str(path))
            return scandir(path)

        monkeypatch.setattr(os, "scandir", refuse)
        await settled(projects)
        assert "sub/lunch.txt" in await by_name(projects, made.id)


async def test_names_in_decomposed_letters_are_composed_and_the_file_is_found(tmp_path: Path) -> None:
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / unicodedata.normalize("NFD", "회의록.txt")).write_text("회의는 열 시예요.", encoding="utf-8")
    async with opened(tmp_path / "home") as projects:
        made = await projects.add("회사", "default", [str(docs)])
        await settled(projects)
        assert [*await by_name(projects, made.id)] == ["회의록.txt"]
        assert (await by_name(projects, made.id))["회의록.txt"].state == "ready"


async def test_names_that_are_no_text_do_no_harm(tmp_path: Path) -> None:
    docs = tmp_path / "docs"
    docs.mkdir()
    path = os.path.join(os.fsencode(docs), b"\xc8\xb8\xc0\xc7.txt")  # noqa: PTH118 - CP949, no str path
    with open(path, "w", encoding="utf-8") as file:  # noqa: ASYNC230, PTH123
        file.write("열 시")
    async with opened(tmp_path / "home") as projects:
        made = await projects.add("회사", "default", [str(docs)])
        await settled(projects)
        (file_,) = await projects.files(made.id)
        assert file_.state is FileState.READY
        file_.name.encode()


async def test_files_without_text_tell_why(tmp_path: Path, docs: Path) -> None:
    (docs / "empty.txt").touch()
    (docs / "broken.txt").write_bytes(b"\xff\xfe\xff")
    async with opened(tmp_path / "home") as projects:
        made = await projects.add("회사", "default", [str(docs)])
        await settled(projects)
        files = await by_name(projects, made.id)
        assert (files["empty.txt"].state, files["empty.txt"].reason) == ("skipped", "empty")
        assert (files["broken.txt"].state, files["broken.txt"].reason) == ("failed", "broken")
        (docs / "broken.txt").write_text("이제 글이에요")
        await settled(projects)
        assert (await by_name(projects, made.id))["broken.txt"].state == "ready"


async def test_one_task_alone_works_on_the_files_however_often_they_are_read(
    tmp_path: Path, docs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs, run = list[IdleTimes](), pipeline.Pipeline.run

    async def counted(counts: pipeline.Pipeline, pause: IdleTimes) -> None:
        runs.append(pause)
        await run(counts, pause)

    monkeypatch.setattr(pipeline.Pipeline, "run", counted)
    async with opened(tmp_path / "home") as projects:
        await projects.add("회사", "default", [str(docs)])
        for _ in range(3):
            await settled(projects)
    assert len(runs) == 1


async def test_files_that_were_not_read_come_first_in_every_page_of_the_list(tmp_path: Path, docs: Path) -> None:
    for name, content in (("b.txt", b"\xff"), ("빈.txt", b""), ("a.txt", b"text"), ("z.txt", b"\xff"), ("c.txt", b"")):
        (docs / name).write_bytes(content)
    wanted = ["b.txt", "z.txt", "c.txt", "빈.txt", "a.txt", "leave.md", "sub/lunch.txt", "sub/parking.txt"]
    async with opened(tmp_path / "home") as projects:
        made = await projects.add("회사", "default", [str(docs)])
        await settled(projects)
        assert [each.name for each in await projects.files(made.id)] == wanted
        after, listed = "", list[str]()
        while page := await projects.files(made.id, after=after, limit=3):
            after, listed = page[-1].id, [*listed, *(each.name for each in page)]
        assert listed == wanted


async def test_a_file_that_the_user_leaves_out_stays_out_until_it_is_wanted_again(tmp_path: Path, docs: Path) -> None:
    async with opened(tmp_path / "home") as projects:
        made = await projects.add("회사", "default", [str(docs)])
        await settled(projects)
        file = (await by_name(projects, made.id))["leave.md"]
        await projects.remove_file(file.id)
        (docs / "leave.md").write_text("연차는 30일이에요.", encoding="utf-8")
        await settled(projects)
        assert await projects.search("연차", (made.id,)) == ()
        assert (await projects.file(file.id)).reason == "removed"
        await projects.read_again(made.id, file.id)
        await settled(projects)
        assert (await projects.search("연차", (made.id,)))[0].passage.text == "연차는 30일이에요."


@pytest.mark.parametrize("how", ["undone", "added again", "erased"])
async def test_a_removed_copy_comes_back_until_it_is_erased(tmp_path: Path, docs: Path, how: str) -> None:
    async with opened(tmp_path / "home") as projects:
        made = await projects.add("회사", "default")
        copy = await projects.add_copy(made.id, str(docs / "leave.md"))
        await settled(projects)
        stored = projects.pipeline.store.path((await projects.file(copy.id)).digest)
        await projects.remove_file(copy.id)
        assert await projects.search("연차", (made.id,)) == ()
        assert stored.exists()
        if how == "undone":
            await projects.read_again(made.id, copy.id)
        elif how == "added again":
            assert (await projects.add_copy(made.id, str(docs / "leave.md"))).id == copy.id
        await projects.erase_removed()
        await settled(projects)
        assert stored.exists() == (how != "erased")
        found = [each.file for each in await projects.search("연차", (made.id,))]
        assert found == ([] if how == "erased" else [copy.id])


async def test_a_removed_copy_is_erased_after_its_time_unless_it_came_back(tmp_path: Path, docs: Path) -> None:
    async with opened(tmp_path / "home") as projects:
        projects.clock = clock = FakeClock()
        await projects.start(AlwaysIdle())
        made = await projects.add("회사", "default")
        names = ("leave.md", "sub/lunch.txt")
        gone, back = [await projects.add_copy(made.id, str(docs / each)) for each in names]
        for each in (gone, back):
            await projects.remove_file(each.id)
        await projects.read_again(made.id, back.id)
        await projects.remove_file(back.id)
        await projects.read_again(made.id, back.id)
        while clock.sleeping < 3:  # noqa: ASYNC110 - nothing tells of it
            await asyncio.sleep(0)
        clock.advance(60)
        while gone.id in {each.id for each in await projects.files(made.id)}:  # noqa: ASYNC110 - nothing tells of it
            await asyncio.sleep(0.01)
        assert [each.id for each in await projects.files(made.id)] == [back.id]


async def test_a_copy_stays_when_the_original_goes(tmp_path: Path, docs: Path) -> None:
    async with opened(tmp_path / "home") as projects:
        made = await projects.add("회사", "default")
        first = await projects.add_copy(made.id, str(docs / "leave.md"))
        again = await projects.add_copy(made.id, str(docs / "leave.md"))
        (docs / "leave.md").unlink()
        await settled(projects)
        assert first.id == again.id
        assert (await projects.search("연차", (made.id,)))[0].file == first.id


async def test_a_removed_project_can_be_restored_and_an_erased_one_leaves_nothing(tmp_path: Path, docs: Path) -> None:
    async with opened(tmp_path / "home") as projects:
        made = await projects.add("회사", "default", [str(docs)])
        await settled(projects)
        await projects.remove(made.id)
        assert await projects.all() == ()
        assert await projects.restore(made.id)
        assert [each.name for each in await projects.all()] == ["회사"]
        await projects.remove(made.id)
        await projects.erase_removed()
        assert not await projects.restore(made.id)
        assert await projects.index.files(made.id) == frozenset()
    for path in (tmp_path / "home").rglob("*"):
        if path.is_file():
            assert "연차는".encode() not in path.read_bytes(), path


@pytest.mark.parametrize("name", ["회사", " 회사 ", unicodedata.normalize("NFD", "회사")])
async def test_a_name_is_taken_however_it_is_written(tmp_path: Path, name: str) -> None:
    async with opened(tmp_path / "home") as projects:
        await projects.add("회사", "default")
        with pytest.raises(SoriError):
            await projects.add(name, "default")
        await projects.add(name, "home")


async def test_a_folder_that_does_not_exist_makes_no_project(tmp_path: Path) -> None:
    async with opened(tmp_path / "home") as projects:
        with pytest.raises(SoriError):
            await projects.add("회사", "default", [str(tmp_path / "없어요")])
        assert await projects.all() == ()


class _Scanner(PlainReader):
    """A reader whose recognition of letters can be installed later. The second page of a ``mixed`` file is a scan."""

    async def read(self, path: Path, name: str, progress: Callable[[float], None] = tell_nobody) -> ExtractedText:
        if name.endswith(".pdf") and not self.recognises and "mixed" not in name:
            raise UnreadableFileError("scanned")
        found = await super().read(path, name, progress)
        if "mixed" not in name:
            return found
        typed, _, scan = found.text.partition("\f")
        seen = typed + scan if self.recognises else typed
        notes = (RECOGNISED,) if self.recognises else (SCANNED_PAGES,)
        return ExtractedText(text=seen, blocks=plain_blocks(seen, BlockKind.TEXT), notes=notes)


async def test_scanned_files_and_pages_are_read_as_soon_as_their_letters_can_be_recognised(
    tmp_path: Path, docs: Path
) -> None:
    (docs / "스캔.pdf").write_text("보증 기간은 24개월이다.", encoding="utf-8")
    (docs / "mixed.pdf").write_text("표지이다.\f반품은 7일 안에 한다.", encoding="utf-8")
    reader = _Scanner()
    async with opened(tmp_path, reader) as projects:
        made = await projects.add("회사", "default", [str(docs)])
        await settled(projects)
        before = await by_name(projects, made.id)
        assert (before["스캔.pdf"].state, before["스캔.pdf"].reason) == (FileState.FAILED, "scanned")
        assert (before["mixed.pdf"].state, before["mixed.pdf"].notes) == (FileState.READY, (SCANNED_PAGES,))
        await projects.read_again(made.id, before["mixed.pdf"].id)
        await projects.pipeline.read_scans()
        await projects.pipeline.done()
        assert (await by_name(projects, made.id))["스캔.pdf"].reason == "scanned"
        reader.recognises = True
        projects.pipeline.wake()  # Whatever it is that begins work looks for the recognition too.
        await projects.pipeline.done()
        after = await by_name(projects, made.id)
        assert after["스캔.pdf"].state is FileState.READY
        assert after["mixed.pdf"].notes == (RECOGNISED,)
        assert "반품은 7일" in (await projects.search("반품", (made.id,)))[0].passage.text
        reads = list(reader.read_names)
        assert reads.count("leave.md") == 1
        await projects.pipeline.read_scans()
        await projects.pipeline.done()
        assert reader.read_names == reads


async def test_an_edited_file_is_read_before_the_files_of_a_new_folder(tmp_path: Path, docs: Path) -> None:
    edited, reader = docs / "long.txt", PlainReader()
    edited.write_text("A sentence of a long text.\n" * 100, encoding="utf-8")
    (tmp_path / "new").mkdir()
    for number in range(5):
        (tmp_path / "new" / f"{number}.txt").write_text("Short.", encoding="utf-8")
    async with opened(tmp_path, reader) as projects:
        made = await projects.add("회사", "default", [str(docs)])
        await settled(projects)
    async with opened(tmp_path, reader) as projects:
        edited.write_text("Another sentence.\n" * 200, encoding="utf-8")
        await projects.add_folder(made.id, str(tmp_path / "new"))
        reader.read_names.clear()
        await settled(projects)
        assert reader.read_names == ["long.txt", *(f"{number}.txt" for number in range(5))]
