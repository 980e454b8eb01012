"""What is told of the files that came, changed and went in the last days."""

import sqlite3
from datetime import UTC, datetime, timedelta
from pathlib import Path

from assistant.core.knowledge.files import FilesOfChange, ProjectChanges
from assistant.knowledge.idle_times import AlwaysIdle
from assistant.knowledge.projects.projects import Projects
from assistant.knowledge.projects.schema import STEPS
from tests.fakes.clock import START, FakeClock
from tests.unit.knowledge.projects.conftest import opened

DAY_S = 86_400
WEEK = START - timedelta(days=7)


def at(projects: Projects) -> FakeClock:
    """Let all parts of the projects have a clock that the test moves."""
    projects.clock = projects.following.clock = projects.copies.clock = clock = FakeClock(START - timedelta(days=30))
    return clock


async def compared(projects: Projects) -> None:
    await projects._compare()


def told(found: tuple[ProjectChanges, ...]) -> dict[str, tuple[list[str], list[str], list[str]]]:
    """The names by project: those that came, changed and went."""
    return {
        each.project: (sorted(each.added.names), sorted(each.changed.names), sorted(each.removed.names))
        for each in found
    }


async def test_of_a_week_each_file_is_told_once_as_what_happened_to_it(tmp_path: Path, docs: Path) -> None:
    async with opened(tmp_path / "home") as projects:
        clock = at(projects)
        (docs / ".gitignore").write_text("*.log\n", encoding="utf-8")
        made = await projects.add("회사", "default", [str(docs)])
        await projects.add("비밀", "집", [str(docs / "sub")])
        clock.advance(10 * DAY_S)
        for name in ("new.md", "came-and-changed.md", "came-and-went.md", "left-alone.log"):
            (docs / name).write_text(name, encoding="utf-8")
        (docs / "sub" / "lunch.txt").write_text("Lunch is at noon.", encoding="utf-8")
        (docs / "sub" / "parking.txt").rename(docs / "moved.txt")
        await compared(projects)
        clock.advance(DAY_S)
        (docs / "came-and-changed.md").write_text("changed since", encoding="utf-8")
        for name in ("came-and-went.md", "left-alone.log", "leave.md"):
            (docs / name).unlink()
        await compared(projects)
        since = START - timedelta(days=21)
        (company,) = await projects.changes_since("default", since)
        assert told((company,)) == {"회사": (["came-and-changed.md", "new.md"], ["sub/lunch.txt"], ["leave.md"])}
        assert told(await projects.changes_since("집", since)) == {"비밀": ([], ["lunch.txt"], ["parking.txt"])}
        assert await projects.changes_since("다른 곳", since) == ()
        # The same moment in another time zone.
        assert await projects.changes_since("default", since.astimezone(UTC)) == (company,)
        assert await projects.changes_since("default", WEEK) == ()
        await projects.remove(made.id)
        assert await projects.changes_since("default", since) == ()


async def test_many_files_are_counted_and_the_newest_are_named(tmp_path: Path, docs: Path) -> None:
    async with opened(tmp_path / "home") as projects:
        clock = at(projects)
        await projects.add("회사", "default", [str(docs)])
        clock.advance(25 * DAY_S)
        for number in range(20):
            (docs / f"{number:02}.md").write_text(f"{number}", encoding="utf-8")
        await compared(projects)
        (found,) = await projects.changes_since("default", WEEK)
        assert found.added == FilesOfChange(20, ("00.md", "01.md", "02.md"))


async def test_a_copy_that_the_user_removes_went_and_one_that_is_brought_back_did_not(
    tmp_path: Path, docs: Path
) -> None:
    async with opened(tmp_path / "home") as projects:
        clock = at(projects)
        made = await projects.add("회사", "default")
        gone, back = [await projects.add_copy(made.id, str(docs / each)) for each in ("leave.md", "sub/lunch.txt")]
        clock.advance(25 * DAY_S)
        for each in (gone, back):
            await projects.remove_file(each.id)
        await projects.read_again(made.id, back.id)
        await projects.erase_removed()
        assert told(await projects.changes_since("default", WEEK)) == {"회사": ([], [], ["leave.md"])}


async def test_the_names_of_files_that_went_are_forgotten_after_a_month(tmp_path: Path, docs: Path) -> None:
    async with opened(tmp_path / "home") as projects:
        clock = at(projects)
        await projects.add("회사", "default", [str(docs)])
        clock.advance(DAY_S)
        (docs / "leave.md").unlink()
        await compared(projects)
        clock.advance(32 * DAY_S)
        await projects.start(AlwaysIdle())
        assert await projects.database.read(lambda db: db.execute("SELECT name FROM gone").fetchall()) == []


def test_files_of_an_older_sori_came_when_they_were_found_first_if_nothing_has_changed_since() -> None:
    db = sqlite3.connect(":memory:")
    for step in STEPS[:3]:
        for statement in step.statements:
            db.execute(statement)
    db.execute("INSERT INTO projects (id, name, workspace, made_at) VALUES ('p', 'p', 'default', '')")
    found = datetime(2026, 11, 20, tzinfo=UTC).isoformat()
    for identity, version in (("same", 0), ("changed", 1)):
        db.execute(
            """INSERT INTO files (id, project, place, name, state, changed_at, version)
            VALUES (?, 'p', ?, ?, 'ready', ?, ?)""",
            (identity, identity.encode(), identity, found, version),
        )
    for statement in STEPS[3].statements:
        db.execute(statement)
    assert dict(db.execute("SELECT id, added_at FROM files").fetchall()) == {"same": found, "changed": ""}
