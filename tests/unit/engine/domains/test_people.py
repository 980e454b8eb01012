"""The requests for people, on a real store."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from assistant.core import updates as up
from assistant.core.errors import SoriError
from assistant.core.records.people import BankAccount, Person
from assistant.core.service.requests import people as rq
from assistant.engine.domains.people import People
from assistant.storage.people import PeopleStore
from assistant.tasks import TaskSupervisor
from tests.fakes.clock import FakeClock
from tests.fakes.front.asking import ask
from tests.fakes.new_database import open_database

MOTHER = Person(
    name="박영희", relation="엄마", accounts=(BankAccount(bank="국민", number="123-45-678901"),), birthday="1962-03-04"
)
CARDS = """BEGIN:VCARD
FN:박영희
TEL:010-1
BDAY:1962-13-45
END:VCARD
BEGIN:VCARD
FN:Minji Kim
EMAIL:minji@example.com
END:VCARD
BEGIN:VCARD
FN:Minji Kim
EMAIL:MINJI@example.com
END:VCARD
BEGIN:VCARD
FN:Minji Kim
EMAIL:other@example.com
END:VCARD
BEGIN:VCARD
TEL:1
END:VCARD
"""


class Kept:
    """The domain, what it has told, and its clock."""

    def __init__(self, store: PeopleStore, clock: FakeClock, jobs: TaskSupervisor) -> None:
        self.store, self.clock, self.told = store, clock, list[up.Update]()
        self.jobs = jobs
        self.people = People(store, clock, self.told.append, jobs)

    async def add(self, *people: Person) -> None:
        for each in people:
            await ask(self.people, rq.AddPerson(kept=each))


@pytest.fixture
async def kept(tmp_path: Path) -> AsyncIterator[Kept]:
    clock, jobs = FakeClock(), TaskSupervisor()
    database = await open_database(tmp_path / "sori.db", clock)
    yield Kept(PeopleStore(database, clock), clock, jobs)
    await jobs.close()
    await database.close()


async def test_lists_mask_account_numbers_and_one_person_is_shown_whole(kept: Kept) -> None:
    await kept.add(MOTHER)
    (listed,) = await ask(kept.people, rq.ListPeople())
    found = await ask(kept.people, rq.FindPerson(said="엄마한테"))
    assert listed == found.only
    assert listed.accounts[0].number == "•••-••-••8901"
    whole = await ask(kept.people, rq.ShowPerson(person=listed.id))
    assert whole.accounts == MOTHER.accounts
    # A client that sends back what was listed changes no number by it.
    with pytest.raises(SoriError, match="invalid_account"):
        await ask(kept.people, rq.ChangePerson(person=listed.id, kept=listed))


@pytest.mark.parametrize(
    ("words", "names"),
    [
        ("", ["Minji Kim", "박영희"]),
        ("엄마", ["박영희"]),
        ("국민", ["박영희"]),
        ("ㅂㅇㅎ", ["박영희"]),
        ("minji", ["Minji Kim"]),
        ("1962", ["박영희"]),
        ("678901", []),
        ("friend 박", []),
    ],
)
async def test_people_are_searched_by_all_but_their_account_numbers(kept: Kept, words: str, names: list[str]) -> None:
    await kept.add(MOTHER, Person(name="Minji Kim", relation="friend"))
    assert [each.name for each in await ask(kept.people, rq.ListPeople(words=words))] == names


async def test_who_sounds_alike_in_the_other_script_is_offered(kept: Kept) -> None:
    await kept.add(Person(name="Minji"), Person(name="철수"))
    found = await ask(kept.people, rq.FindPerson(said="민지한테"))
    assert found.matches == ()
    assert [each.name for each in found.near] == ["Minji"]


async def test_every_change_is_told(kept: Kept) -> None:
    await kept.add(MOTHER)
    (listed,) = await ask(kept.people, rq.ListPeople())
    await ask(kept.people, rq.ChangePerson(person=listed.id, kept=Person(name="박영희")))
    await ask(kept.people, rq.RemovePerson(person=listed.id))
    assert await ask(kept.people, rq.RestorePerson(person=listed.id))
    await ask(kept.people, rq.ImportPeople(text=CARDS))
    assert kept.told == [up.PeopleChanged()] * 5


async def test_a_removal_can_be_undone_for_a_while_and_is_then_final(kept: Kept) -> None:
    await kept.add(MOTHER, Person(name="철수"))
    first, second = await ask(kept.people, rq.ListPeople())
    await ask(kept.people, rq.RemovePerson(person=first.id))
    assert await ask(kept.people, rq.RestorePerson(person=first.id))
    await ask(kept.people, rq.RemovePerson(person=second.id))
    await kept.clock.until_sleeping()
    kept.clock.advance(rq.UNDO_S + 2)
    await kept.jobs.settle()
    assert await kept.store.purge() == 0
    assert not await ask(kept.people, rq.RestorePerson(person=second.id))
    assert [each.name for each in await ask(kept.people, rq.ListPeople())] == [first.name]


async def test_an_import_adds_who_is_new_and_tells_what_it_left(kept: Kept) -> None:
    await kept.add(MOTHER)
    result = await ask(kept.people, rq.ImportPeople(text=CARDS))
    assert result == rq.ImportedPeople(added=2, known=2, unreadable=1)
    again = await ask(kept.people, rq.ImportPeople(text=CARDS))
    assert (again.added, again.known) == (0, 4)
    text = await ask(kept.people, rq.ExportPeople())
    await kept.store.erase_all()
    assert (await ask(kept.people, rq.ImportPeople(text=text))).added == 3
    assert (await ask(kept.people, rq.FindPerson(said="엄마"))).only is not None


@pytest.mark.parametrize("text", ["", "no cards", '{"people": []}'])
async def test_a_file_of_something_else_is_refused(kept: Kept, text: str) -> None:
    with pytest.raises(SoriError, match="no cards"):
        await ask(kept.people, rq.ImportPeople(text=text))
