"""People that are kept in memory."""

from collections.abc import Sequence
from dataclasses import replace

from assistant.core.people.checking import checked
from assistant.core.records.people import Person


class MemoryPeople:
    """Implements ``PeopleBook``."""

    def __init__(self, *people: Person) -> None:
        self.kept = {each.id: each for each in people}

    async def all(self) -> tuple[Person, ...]:
        return tuple(self.kept.values())

    async def add(self, people: Sequence[Person]) -> tuple[Person, ...]:
        added = tuple(replace(checked(each), id=f"new {number}") for number, each in enumerate(people))
        self.kept |= {each.id: each for each in added}
        return added

    async def change(self, person: Person) -> Person:
        self.kept[person.id] = checked(person)
        return self.kept[person.id]
