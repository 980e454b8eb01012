"""Copies that were made before a migration: what is deleted is deleted from them too, and they do not stay for ever."""

import sqlite3
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import pytest

from assistant.storage.conversation_list import ConversationList
from assistant.storage.database import Database
from assistant.storage.migrations.backups import KEPT_FOR
from tests.fakes.clock import START, FakeClock
from tests.unit.storage.migrations.test_every_version import NAMES, laid_down


def copies(folder: Path) -> list[Path]:
    return sorted(each for each in folder.iterdir() if "backup" in each.name)


def everything_in(folder: Path) -> bytes:
    return b"".join(each.read_bytes() for each in folder.iterdir())


@pytest.mark.parametrize("name", NAMES)
async def test_a_conversation_that_is_deleted_later_is_gone_from_the_copy_and_the_rest_is_there(
    tmp_path: Path, name: str
) -> None:
    clock = FakeClock()
    database = await Database.open(laid_down(name, tmp_path), clock)
    conversations = ConversationList(database, clock)
    assert database.backup is not None
    assert "화분에".encode() in database.backup.read_bytes()

    await conversations.delete("garden")
    assert "garden" in await conversations.purge("garden")

    left = everything_in(tmp_path)
    for word in ("화분에", "무화과", "식물의", "이 꽃은", "꽃.png"):
        assert word.encode() not in left
    await database.close()
    with closing(sqlite3.connect(database.backup)) as copy:
        assert copy.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        said = {row[0] for row in copy.execute("SELECT id FROM messages WHERE conversation = 'trip'")}
    assert said == {"m4", "m5", "m6", "m7"}


async def test_what_was_hidden_when_the_copy_was_made_is_purged_from_it_at_the_next_start(tmp_path: Path) -> None:
    clock = FakeClock()
    database = await Database.open(laid_down("version-4", tmp_path), clock)
    assert await ConversationList(database, clock).purge() == ("secret",)
    assert "아무에게도".encode() not in everything_in(tmp_path)
    await database.close()


async def test_a_copy_that_cannot_be_changed_is_removed(tmp_path: Path) -> None:
    clock = FakeClock()
    database = await Database.open(laid_down("version-4", tmp_path), clock)
    assert database.backup is not None
    database.backup.write_bytes("아무에게도 말하지 마".encode() * 900)
    assert await ConversationList(database, clock).purge() == ("secret",)
    assert copies(tmp_path) == []
    await database.close()


async def test_a_deletion_that_was_taken_back_leaves_the_copy_as_it_is(tmp_path: Path) -> None:
    clock = FakeClock()
    database = await Database.open(laid_down("version-3", tmp_path), clock)
    conversations = ConversationList(database, clock)
    await conversations.delete("garden")
    await conversations.restore("garden")
    assert await conversations.purge("garden") == ()
    assert database.backup is not None
    assert "화분에".encode() in database.backup.read_bytes()
    await database.close()


@pytest.mark.parametrize(("later", "left"), [(KEPT_FOR, 1), (KEPT_FOR + timedelta(minutes=1), 0)])
async def test_a_copy_goes_after_a_month(tmp_path: Path, later: timedelta, left: int) -> None:
    path = laid_down("version-4", tmp_path)
    await (await Database.open(path, FakeClock())).close()
    await (await Database.open(path, FakeClock(START + later))).close()
    assert len(copies(tmp_path)) == left


async def test_what_a_crash_left_of_a_copy_goes_at_the_next_start_and_other_files_stay(tmp_path: Path) -> None:
    path = laid_down("version-4", tmp_path)
    cut_off = tmp_path / "sori.db.backup-v4-20261122-150400-000000.partial"
    mine = tmp_path / "sori.db.backup-von-mir"
    for each in (cut_off, cut_off.with_name(cut_off.name + "-journal"), mine):
        each.write_bytes(b"half")
    database = await Database.open(path, FakeClock())
    assert copies(tmp_path) == sorted(each for each in (database.backup, mine) if each is not None)
    await database.close()
