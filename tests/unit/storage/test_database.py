import asyncio
import os
import sqlite3
import sys
from contextlib import closing
from pathlib import Path

import pytest

from assistant.core.errors import StorageError
from assistant.storage.database import Database
from assistant.storage.migrations.steps import LATEST, MIGRATIONS, Migration
from tests.fakes.clock import FakeClock

CLOCK = FakeClock()
LATER = (*MIGRATIONS, Migration(number=LATEST + 1, name="later", statements=("CREATE TABLE later (a INTEGER) STRICT",)))


def add_conversation(connection: sqlite3.Connection) -> None:
    columns = "(id, device, revision, added, changed, changed_by, created_at)"
    connection.execute(" ".join(("INSERT INTO conversations", columns, "VALUES ('c', 1, 1, 1, 1, 1, 'now')")))


def count(connection: sqlite3.Connection) -> int:
    return int(connection.execute("SELECT COUNT(*) FROM conversations").fetchone()[0])


async def test_a_new_file_gets_the_latest_shape_and_full_durability(tmp_path: Path) -> None:
    database = await Database.open(tmp_path / "folder" / "sori.db", CLOCK)

    def facts(connection: sqlite3.Connection) -> list[object]:
        return [connection.execute(f"PRAGMA {name}").fetchone()[0] for name in ("journal_mode", "foreign_keys")]

    assert await database.read(facts) == ["wal", 1]
    await database.write(add_conversation)
    assert await database.read(lambda connection: connection.execute("PRAGMA synchronous").fetchone()[0]) == 2
    assert database.set_aside is None
    assert database.backup is None
    await database.close()


async def test_a_failed_write_changes_nothing(tmp_path: Path) -> None:
    database = await Database.open(tmp_path / "sori.db", CLOCK)

    def half(connection: sqlite3.Connection) -> None:
        add_conversation(connection)
        add_conversation(connection)

    with pytest.raises(StorageError):
        await database.write(half)
    assert await database.read(count) == 0
    await database.write(add_conversation)
    assert await database.read(count) == 1
    await database.close()


async def test_an_older_file_is_copied_before_it_is_migrated(tmp_path: Path) -> None:
    path = tmp_path / "sori.db"
    database = await Database.open(path, CLOCK)
    await database.write(add_conversation)
    await database.close()

    database = await Database.open(path, CLOCK, LATER)

    assert await database.read(count) == 1
    await database.read(lambda connection: connection.execute("SELECT * FROM later"))
    assert database.backup is not None
    await database.close()
    with closing(sqlite3.connect(database.backup)) as copy:
        assert count(copy) == 1
        assert copy.execute("SELECT MAX(number) FROM migrations").fetchone() == (LATEST,)


async def test_a_step_that_fails_leaves_the_old_shape(tmp_path: Path) -> None:
    path = tmp_path / "sori.db"
    await (await Database.open(path, CLOCK)).close()
    broken = Migration(number=LATEST + 1, name="broken", statements=("CREATE TABLE half (a)", "no such statement"))

    with pytest.raises(StorageError):
        await Database.open(path, CLOCK, (*MIGRATIONS, broken))

    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("SELECT MAX(number) FROM migrations").fetchone() == (LATEST,)
        assert connection.execute("SELECT COUNT(*) FROM sqlite_master WHERE name = 'half'").fetchone() == (0,)


async def test_a_file_of_a_newer_version_is_refused_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "sori.db"
    await (await Database.open(path, CLOCK, LATER)).close()
    before = path.read_bytes()

    with pytest.raises(StorageError) as caught:
        await Database.open(path, CLOCK)

    assert caught.value.message_key == "error.storage_newer"
    assert caught.value.path == str(path)
    assert path.read_bytes() == before


@pytest.mark.parametrize("content", [b"this is no database " * 500, None], ids=["foreign", "damaged"])
async def test_a_damaged_file_is_set_aside_whole_and_a_new_one_opened(tmp_path: Path, content: bytes | None) -> None:
    path = tmp_path / "sori.db"
    if content is None:
        database = await Database.open(path, CLOCK)
        await database.write(add_conversation)
        await database.close()
        whole = bytearray(path.read_bytes())
        whole[4096 : len(whole)] = b"\xff" * (len(whole) - 4096)
        content = bytes(whole)
    path.write_bytes(content)

    database = await Database.open(path, CLOCK)

    assert database.set_aside is not None
    assert database.set_aside.name.startswith("sori.db.damaged-20261122-150500")
    assert database.set_aside.read_bytes() == content
    assert await database.read(count) == 0
    await database.close()


async def test_a_path_that_cannot_be_opened_is_named(tmp_path: Path) -> None:
    folder = tmp_path / "sori.db"
    folder.mkdir()
    with pytest.raises(StorageError) as caught:
        await Database.open(folder, CLOCK)
    assert caught.value.path == str(folder)


async def test_a_folder_that_is_a_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "home").write_text("")
    with pytest.raises(StorageError) as caught:
        await Database.open(tmp_path / "home" / "sori.db", CLOCK)
    assert caught.value.message_key == "error.storage_cannot_open"


async def test_a_full_disk_is_said_in_its_own_words(tmp_path: Path) -> None:
    database = await Database.open(tmp_path / "sori.db", CLOCK)

    def fill(connection: sqlite3.Connection) -> None:
        add_conversation(connection)
        connection.execute("UPDATE conversations SET title = ?", ("x" * 4_000_000,))

    # The engine reports the same code when its own page limit is reached as when the disk is full.
    await database.read(lambda connection: connection.execute("PRAGMA max_page_count = 40").fetchall())
    with pytest.raises(StorageError) as caught:
        await database.write(fill)

    assert caught.value.message_key == "error.storage_full"
    assert caught.value.path == str(tmp_path / "sori.db")
    assert await database.read(count) == 0
    await database.close()


async def test_a_read_only_file_is_said_in_its_own_words(tmp_path: Path) -> None:
    database = await Database.open(tmp_path / "sori.db", CLOCK)
    await database.read(lambda connection: connection.execute("PRAGMA query_only = 1").fetchall())
    with pytest.raises(StorageError) as caught:
        await database.write(add_conversation)
    assert caught.value.message_key == "error.storage_read_only"
    await database.close()


async def test_only_the_first_of_two_processes_is_alone(tmp_path: Path) -> None:
    path = tmp_path / "sori.db"
    database = await Database.open(path, CLOCK)
    assert database.alone
    program = f"""
import asyncio, pathlib, sys
from assistant.storage.database import Database
from tests.fakes.clock import FakeClock
async def main():
    database = await Database.open(pathlib.Path({str(path)!r}), FakeClock())
    print(database.alone)
    await database.close()
asyncio.run(main())
"""
    root = Path(__file__).parents[3]

    async def other_process() -> bytes:
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            *("-c", program),
            stdout=asyncio.subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": str(root)},
        )
        return (await process.communicate())[0].strip()

    assert await other_process() == b"False"
    await database.close()
    assert await other_process() == b"True"


async def test_a_file_that_another_process_is_just_making_is_waited_for(tmp_path: Path) -> None:
    path = tmp_path / "sori.db"
    with closing(sqlite3.connect(path, isolation_level=None, check_same_thread=False)) as other:
        # SQLite refuses the change of the journal at once here, and does not wait for the timeout.
        other.execute("BEGIN IMMEDIATE")
        asyncio.get_running_loop().call_later(0.1, other.execute, "ROLLBACK")
        database = await Database.open(path, CLOCK)
    assert await database.read(lambda connection: connection.execute("PRAGMA journal_mode").fetchone()[0]) == "wal"
    await database.close()


def modes_beside(folder: Path) -> dict[str, int]:
    """What other users may do with the database's files."""
    return {each.name: each.stat().st_mode & 0o077 for each in folder.glob("sori.db*")}


@pytest.mark.skipif(os.name != "posix", reason="Windows keeps files private by the user's folder")
async def test_other_users_cannot_read_the_file_and_those_beside_it(tmp_path: Path) -> None:
    (tmp_path / "sori.db").touch(0o644)
    database = await Database.open(tmp_path / "sori.db", CLOCK)
    await database.write(add_conversation)
    modes = modes_beside(tmp_path)
    await database.close()
    assert {"sori.db", "sori.db-wal", "sori.db-shm", "sori.db.lock"} <= {*modes}
    assert {*modes.values()} == {0}
