import sqlite3
from dataclasses import replace
from pathlib import Path

import pytest

from assistant.core.errors import SoriError
from assistant.core.records.people import BankAccount, Person
from assistant.storage.database import Database
from assistant.storage.migrations.backups import back_up
from assistant.storage.people import PeopleStore
from tests.fakes.clock import FakeClock

MOTHER = Person(
    name="박영희",
    relation="엄마",
    aliases=("울 엄마",),
    accounts=(
        BankAccount(bank="국민", number="123-45-678901"),
        BankAccount(bank="신한", number="110", holder="김철수"),
    ),
    phone="010-1234-5678",
    email="mother@example.com",
    birthday="1962-03-04",
    note="전화 받기 어려우심",
)


@pytest.fixture
def store(database: Database, clock: FakeClock) -> PeopleStore:
    return PeopleStore(database, clock)


async def test_what_is_kept_of_somebody_comes_back_whole(store: PeopleStore) -> None:
    (mother,) = await store.add([MOTHER])
    assert mother == replace(MOTHER, id=mother.id) == await store.get(mother.id)
    changed = await store.change(replace(mother, relation="어머니", accounts=()))
    assert await store.all() == (changed,)


async def test_people_are_listed_by_name(store: PeopleStore) -> None:
    await store.add([Person(name=name) for name in ("하은", "Minji", "김철수")])
    assert [each.name for each in await store.all()] == ["Minji", "김철수", "하은"]


async def test_of_several_none_is_added_if_one_cannot_be_kept(store: PeopleStore) -> None:
    with pytest.raises(SoriError):
        await store.add([MOTHER, Person(name="")])
    assert await store.all() == ()


async def test_somebody_who_was_removed_can_be_restored_until_the_purge(store: PeopleStore) -> None:
    (mother,) = await store.add([MOTHER])
    assert await store.remove(mother.id)
    assert not await store.remove(mother.id)
    assert await store.all() == ()
    for lost in (store.get(mother.id), store.change(mother)):
        with pytest.raises(SoriError, match="no person"):
            await lost
    assert await store.restore(mother.id)
    assert not await store.restore(mother.id)
    assert await store.all() == (mother,)
    await store.remove(mother.id)
    assert await store.purge() == 1
    assert not await store.restore(mother.id)


async def test_a_purge_leaves_a_tombstone_and_no_words_in_the_file_or_its_backups(
    store: PeopleStore, database: Database, clock: FakeClock
) -> None:
    (mother,) = await store.add([MOTHER])
    await database.write(lambda connection: connection.execute("SELECT 1"))
    backup = await database.read(lambda connection: back_up(connection, database.path, 23, clock.now()))
    await store.remove(mother.id)
    await store.purge(mother.id)
    buried = await database.read(
        lambda connection: connection.execute("SELECT id, of_table FROM tombstones").fetchall()
    )
    assert buried == [(mother.id, "people")]
    for path in (database.path, backup):
        assert "678901" not in path.read_bytes().decode("latin-1")
    with sqlite3.connect(backup) as connection:
        assert connection.execute("SELECT COUNT(*) FROM people").fetchone() == (0,)


async def test_two_devices_can_tell_which_change_is_newer(store: PeopleStore, database: Database) -> None:
    (mother,) = await store.add([MOTHER])
    await store.change(replace(mother, phone=""))
    query = "SELECT revision, changed > added, device, changed_by FROM people"
    assert await database.read(lambda connection: connection.execute(query).fetchall()) == [(2, 1, 1, 1)]


async def test_everybody_can_be_erased(store: PeopleStore, tmp_path: Path) -> None:
    await store.add([MOTHER, Person(name="철수")])
    await store.erase_all()
    assert await store.all() == ()
    assert "678901" not in (tmp_path / "sori.db").read_bytes().decode("latin-1")
