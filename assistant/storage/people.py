"""Stores the people whom the user knows.

A deleted person is hidden at once and can be restored until it is purged, which overwrites it in the file and its
backups.
"""

import asyncio
import json
import sqlite3
from collections.abc import Callable, Sequence
from dataclasses import asdict
from typing import Any, TypeVar

from assistant.core.clock import Clock
from assistant.core.errors import ErrorCode, SoriError
from assistant.core.listeners import Listeners
from assistant.core.people.checking import checked
from assistant.core.records.people import BankAccount, Person
from assistant.storage.database import Database
from assistant.storage.identities import new_id
from assistant.storage.migrations.backups import forget
from assistant.storage.rows import THIS_DEVICE, Rows, SyncedTable, until_undone, write_rows

Result = TypeVar("Result")

_PEOPLE = SyncedTable(name="people", fixed=frozenset())
_COLUMNS = "id, name, relation, aliases, accounts, phone, email, birthday, note"
_ALL = f"SELECT {_COLUMNS} FROM people WHERE deleted_at = '' ORDER BY name, added, id"  # noqa: S608 - constants
_ONE = f"SELECT {_COLUMNS} FROM people WHERE id = ? AND deleted_at = ''"  # noqa: S608 - constants
_HIDDEN = f"""
SELECT id FROM people
    WHERE deleted_at != '' AND (id = :id OR (:id = '' AND (changed_by = {THIS_DEVICE} OR changed < :before)))
"""  # noqa: S608 - a constant


class PeopleStore:
    """Reads and writes people. Every method raises ``StorageError`` when the database cannot be read or written.

    Args:
        database: the open database.
        clock: gives the time of each write.

    Attributes:
        changed: told after each change of this process.
        known: all people, as they were read last; every change of this process reads them again.
    """

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database, self._clock = database, clock
        self.changed: Listeners[[], None] = Listeners()
        self.known: tuple[Person, ...] = ()

    async def all(self) -> tuple[Person, ...]:
        """All people by name."""

        def work(connection: sqlite3.Connection) -> tuple[Person, ...]:
            return tuple(_person(row) for row in connection.execute(_ALL))

        self.known = await self._database.read(work)
        return self.known

    async def _write(self, work: Callable[[Rows], Result]) -> Result:
        result = await write_rows(self._database, self._clock, work)
        await self.read_again()
        return result

    async def read_again(self) -> None:
        """Read what another device has changed, and tell it."""
        await self.all()
        self.changed.tell()

    async def get(self, person: str) -> Person:
        """The person with an id.

        Raises:
            SoriError: there is none.
        """
        row = await self._database.read(lambda connection: connection.execute(_ONE, (person,)).fetchone())
        if row is None:
            raise unknown_person(person)
        return _person(row)

    async def add(self, people: Sequence[Person]) -> tuple[Person, ...]:
        """Add people, all or none. They come back with their ids.

        Raises:
            SoriError: one cannot be kept.
        """
        kept = [checked(each) for each in people]
        rows = [{"id": new_id(), **_values(each)} for each in kept]

        def work(writes: Rows) -> None:
            for row in rows:
                writes.add(_PEOPLE, row)

        await self._write(work)
        return tuple(_person([row[name.strip()] for name in _COLUMNS.split(",")]) for row in rows)

    async def change(self, person: Person) -> Person:
        """Write over the person with this id.

        Raises:
            SoriError: there is none, or it cannot be kept.
        """
        kept = checked(person)

        def work(rows: Rows) -> bool:
            shown = rows.connection.execute(_ONE, (person.id,)).fetchone() is not None
            return shown and rows.change(_PEOPLE, person.id, _values(kept))

        if not await self._write(work):
            raise unknown_person(person.id)
        return kept

    async def remove(self, person: str) -> bool:
        """Hide a person until it is restored or purged; ``False`` when there is none."""
        values = {"deleted_at": self._clock.now().isoformat()}

        def work(rows: Rows) -> bool:
            shown = rows.connection.execute(_ONE, (person,)).fetchone() is not None
            return shown and rows.change(_PEOPLE, person, values)

        return await self._write(work)

    async def restore(self, person: str) -> bool:
        """Show a removed person again; ``False`` when it has been purged, or was not removed."""

        def work(rows: Rows) -> bool:
            hidden = rows.connection.execute(_HIDDEN, {"id": person, "before": 0}).fetchone() if person else None
            return hidden is not None and rows.change(_PEOPLE, person, {"deleted_at": ""})

        return await self._write(work)

    async def purge(self, person: str = "") -> int:
        """Overwrite a removed person, without an id all of them, here and in the backups; returns how many.

        What another device has removed can still be restored there, so without an id it stays for a day.

        Tombstones stay, with ids and times.
        """
        values = {"id": person, "before": until_undone(self._clock)}

        def hidden(connection: sqlite3.Connection) -> list[str]:
            return [str(row[0]) for row in connection.execute(_HIDDEN, values)]

        gone = await self._database.read(hidden)
        if not gone:
            return 0
        # Backups first: after a crash the person is still hidden here, so the purge is repeated.
        await asyncio.to_thread(forget, self._database.path, people=gone)

        def work(rows: Rows) -> int:
            still = frozenset(hidden(rows.connection)).intersection(gone)
            return sum([rows.delete(_PEOPLE, each) for each in sorted(still)])

        count = await write_rows(self._database, self._clock, work)
        await self._database.forget_deleted()
        return count

    async def erase_all(self) -> None:
        """Remove and purge everybody."""
        for each in await self.all():
            await self.remove(each.id)
        await self.purge()


def unknown_person(person: str) -> SoriError:
    """What is raised for a person that is not kept."""
    detail, values = f"there is no person {person}", {"name": person}
    return SoriError(ErrorCode.INVALID_REQUEST, detail, message_key="person_unknown", values=values)


def _values(person: Person) -> dict[str, Any]:
    return {
        "name": person.name,
        "relation": person.relation,
        "aliases": json.dumps(person.aliases, ensure_ascii=False),
        "accounts": json.dumps([asdict(each) for each in person.accounts], ensure_ascii=False),
        "phone": person.phone,
        "email": person.email,
        "birthday": person.birthday,
        "note": person.note,
    }


def _person(row: Sequence[Any]) -> Person:
    identity, name, relation, aliases, accounts, phone, email, birthday, note = row
    return Person(
        id=identity,
        name=name,
        relation=relation,
        aliases=tuple(json.loads(aliases)),
        accounts=tuple(BankAccount(**each) for each in json.loads(accounts)),
        phone=phone,
        email=email,
        birthday=birthday,
        note=note,
    )
