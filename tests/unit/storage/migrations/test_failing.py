"""Migrations that are cut off: by a kill at any statement, by a full disk; and files that are refused."""

import asyncio
import os
import signal
import sqlite3
import sys
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from assistant.core.errors import StorageError
from assistant.storage.conversation_list import ConversationList
from assistant.storage.conversations import ConversationStore
from assistant.storage.database import Database
from assistant.storage.migrations.backups import back_up
from assistant.storage.migrations.compact_rows import make_rows_compact
from assistant.storage.migrations.steps import MIGRATIONS, Migration
from tests.fakes.clock import START, FakeClock
from tests.unit.storage.migrations.test_every_version import GARDEN, TRIP, laid_down

pytestmark = pytest.mark.long

ROOT = Path(__file__).parents[4]
KILLED = """
import asyncio, os, pathlib, signal, sqlite3, sys
from dataclasses import replace
from assistant.storage.database import Database
from assistant.storage.migrations.steps import MIGRATIONS
from tests.fakes.clock import FakeClock

path, number, fatal = pathlib.Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
*earlier, last = MIGRATIONS[:number]

def dying(connection):
    count = 0
    def look(statement):
        nonlocal count
        count += 1
        if count == fatal:
            os.kill(os.getpid(), signal.SIGKILL)
    connection.set_trace_callback(look)
    last.convert(connection)
    print(count, flush=True)
    os.kill(os.getpid(), signal.SIGKILL)

asyncio.run(Database.open(path, FakeClock(), (*earlier, replace(last, convert=dying))))
"""


async def killed_at(path: Path, number: int, statement: int) -> str:
    """Begin to migrate and die at a statement of step ``number``; 0 for behind all of them. What was printed."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        *("-c", KILLED, str(path), str(number), str(statement)),
        stdout=asyncio.subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    printed, _ = await process.communicate()
    assert process.returncode == -signal.SIGKILL
    return printed.decode().strip()


async def all_is_there(path: Path) -> None:
    clock = FakeClock()
    database = await Database.open(path, clock)
    store = await ConversationStore.open(database, clock)
    assert database.set_aside is None
    assert [message.id for message in await store.messages("garden")] == GARDEN
    assert [message.id for message in await store.messages("trip")] == TRIP
    assert (await store.messages("garden"))[3].attachments[1].read() == "무화과".encode()
    assert [entry.title for entry in await ConversationList(database, clock).entries()] == ["화분 물 주기", "봄 여행"]
    await database.close()


def copies(path: Path) -> list[str]:
    return sorted(each.name for each in path.parent.iterdir() if "backup" in each.name)


@pytest.mark.parametrize("version", [5, 6])
async def test_a_kill_at_any_statement_leaves_the_old_file_and_the_next_start_migrates_it(
    tmp_path: Path, version: int
) -> None:
    path = laid_down(f"version-{version}", tmp_path)
    statements = int(await killed_at(path, version + 1, 0))
    for statement in range(1, statements, 7):
        await killed_at(path, version + 1, statement)
        with closing(sqlite3.connect(path)) as connection:
            assert connection.execute("SELECT MAX(number) FROM migrations").fetchone() == (version,)
            assert connection.execute("SELECT COUNT(*) FROM messages").fetchone() == (10,)
            assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    await all_is_there(path)
    assert copies(path) == [f"sori.db.backup-v{version}-20261122-150500-000000"]


def last_step_after(disturb: Callable[[sqlite3.Connection], object]) -> tuple[Migration, ...]:
    """The steps up to the last one that runs code, with something happening before that one."""
    number = next(step.number for step in MIGRATIONS if step.convert is make_rows_compact)
    *earlier, last = (step for step in MIGRATIONS if step.number <= number)

    def disturbed(connection: sqlite3.Connection) -> None:
        disturb(connection)
        assert last.convert is not None
        last.convert(connection)

    return (*earlier, replace(last, convert=disturbed))


async def test_a_disk_that_fills_up_meanwhile_leaves_the_old_file_and_no_copy(tmp_path: Path) -> None:
    path = laid_down("version-6", tmp_path)

    def fill(connection: sqlite3.Connection) -> None:
        (pages,) = connection.execute("PRAGMA page_count").fetchone()
        connection.execute(f"PRAGMA max_page_count = {pages + 1}").fetchall()

    with pytest.raises(StorageError) as caught:
        await Database.open(path, FakeClock(), last_step_after(fill))
    assert caught.value.message_key == "error.storage_full"
    assert caught.value.path == str(path)
    # A copy at each attempt would fill the disk even more.
    assert copies(path) == []
    await all_is_there(path)


class FullDisk(sqlite3.Connection):
    """A connection beside which there is room for the beginning of a copy."""

    def backup(self, target: sqlite3.Connection, **_: object) -> None:
        target.execute("CREATE TABLE half (a)")
        target.execute("PRAGMA max_page_count = 3").fetchall()
        target.execute("INSERT INTO half VALUES (zeroblob(100000))")


async def test_a_copy_that_does_not_fit_on_the_disk_leaves_nothing_behind(tmp_path: Path) -> None:
    path = laid_down("version-5", tmp_path)
    with (
        closing(sqlite3.connect(path, factory=FullDisk)) as connection,
        pytest.raises(sqlite3.OperationalError, match="full"),
    ):
        back_up(connection, path, 5, START)
    assert copies(path) == []


@pytest.mark.parametrize("version", [5, 6])
async def test_an_earlier_program_refuses_the_new_shape_and_leaves_it_untouched(tmp_path: Path, version: int) -> None:
    path = laid_down(f"version-{version}", tmp_path)
    await (await Database.open(path, FakeClock())).close()
    before = path.read_bytes()
    with pytest.raises(StorageError) as caught:
        await Database.open(path, FakeClock(), MIGRATIONS[:version])
    assert caught.value.message_key == "error.storage_newer"
    assert path.read_bytes() == before


async def test_a_row_whose_date_cannot_be_read_keeps_its_place(tmp_path: Path) -> None:
    path = laid_down("version-5", tmp_path)
    with closing(sqlite3.connect(path, isolation_level=None)) as old:
        old.execute("UPDATE messages SET created_at = 'yesterday' WHERE id = 'm3'")
        old.execute("UPDATE messages SET created_at = '0001-01-01T00:00:00+00:00' WHERE id = 'm5'")
        old.execute("UPDATE messages SET created_at = '9999-12-31T00:00:00+00:00' WHERE id = 'm2'")
    await all_is_there(path)
