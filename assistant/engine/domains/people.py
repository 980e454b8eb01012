"""The domain of the people whom the user knows."""

import asyncio
from collections import defaultdict
from dataclasses import replace

from assistant.core import updates as up
from assistant.core.clock import Clock
from assistant.core.display.finding import is_in_plain, plain_text
from assistant.core.errors import ErrorCode, SoriError
from assistant.core.people.checking import checked
from assistant.core.people.finding import find_people
from assistant.core.people.vcard import LARGEST_LETTERS, read_people, write_people
from assistant.core.records.people import FoundPeople, Person
from assistant.core.service.requests import people as rq
from assistant.engine.serving.table import Domain, serves
from assistant.speech.text.names.sounds import sounds_of
from assistant.storage.people import PeopleStore
from assistant.tasks import TaskSupervisor

_LANE = "people"


class People(Domain):
    """Owns the requests for people.

    Args:
        people: keeps them.
        clock: tells when a removal is final.
        publish: takes events.
        jobs: runs the engine's background work; without it, who was removed is overwritten at the next start.
    """

    def __init__(self, people: PeopleStore, clock: Clock, publish: up.Publish, jobs: TaskSupervisor | None) -> None:
        self._people, self._clock, self._jobs = people, clock, jobs
        people.changed.add(lambda: publish(up.PeopleChanged()))
        self._purges: dict[str, asyncio.Task[None]] = {}

    @serves()
    async def _list_people(self, request: rq.ListPeople) -> tuple[Person, ...]:
        shown = [each.masked for each in await self._people.all()]
        return tuple(each for each in shown if is_in_plain(request.words, _words_of(each)))

    @serves()
    async def _find_person(self, request: rq.FindPerson) -> FoundPeople:
        found = await asyncio.to_thread(find_people, request.said, await self._people.all(), sounds=sounds_of)
        return FoundPeople(
            matches=tuple(each.masked for each in found.matches), near=tuple(each.masked for each in found.near)
        )

    @serves()
    async def _show_person(self, request: rq.ShowPerson) -> Person:
        return await self._people.get(request.person)

    @serves(lane=_LANE)
    async def _add_person(self, request: rq.AddPerson) -> Person:
        (added,) = await self._people.add([replace(request.kept, id="")])
        return added

    @serves(lane=_LANE)
    async def _change_person(self, request: rq.ChangePerson) -> Person:
        return await self._people.change(replace(request.kept, id=request.person))

    @serves(lane=_LANE)
    async def _remove_person(self, request: rq.RemovePerson) -> Person:
        person = await self._people.get(request.person)
        await self._people.remove(person.id)
        if self._jobs is not None:
            self._purges[person.id] = self._jobs.start(self._purge_later(person.id), name="purge a person")
        return person.masked

    @serves(lane=_LANE)
    async def _restore_person(self, request: rq.RestorePerson) -> bool:
        restored = await self._people.restore(request.person)
        if purge := self._purges.pop(request.person, None):
            purge.cancel()
        return restored

    @serves(lane=_LANE)
    async def _import_people(self, request: rq.ImportPeople) -> rq.ImportedPeople:
        """Add the people of a file.

        Raises:
            SoriError: it holds no cards, or is too large.
        """
        if len(request.text) > LARGEST_LETTERS:
            raise SoriError(ErrorCode.INVALID_REQUEST, "the file is too large", message_key="people_file_too_large")
        read, nameless = await asyncio.to_thread(read_people, request.text)
        if not read and not nameless:
            raise SoriError(ErrorCode.INVALID_REQUEST, "no cards in the file", message_key="no_cards")
        kept = [each for each in map(_kept, read) if each is not None]
        known: defaultdict[str, list[Person]] = defaultdict(list)
        for each in await self._people.all():
            known[each.name].append(each)
        new: list[Person] = []
        for each in kept:
            if not any(_is_same(each, other) for other in known[each.name]):
                new.append(each)
                known[each.name].append(each)
        await self._people.add(new)
        unreadable = nameless + len(read) - len(kept)
        return rq.ImportedPeople(added=len(new), known=len(kept) - len(new), unreadable=unreadable)

    @serves()
    async def _export_people(self, _: rq.ExportPeople) -> str:
        return write_people(await self._people.all())

    async def _purge_later(self, person: str) -> None:
        # A second longer than offered, so that a click in the last moment still counts.
        await self._clock.sleep(rq.UNDO_S + 1.0)
        del self._purges[person]
        await self._people.purge(person)


def _words_of(person: Person) -> str:
    banks = (account.bank for account in person.accounts)
    words = (*person.called, person.phone, person.email, person.birthday, person.note, *banks)
    return plain_text("\n".join(words))


def _kept(person: Person) -> Person | None:
    """A person of a file as it can be kept, without a birthday that is none; ``None`` if it cannot."""
    for each in (person, replace(person, birthday=""), replace(person, birthday="", note="", accounts=())):
        try:
            return checked(each)
        except SoriError:
            continue
    return None


def _is_same(one: Person, other: Person) -> bool:
    """Whether two of the same name are one person: the numbers and addresses that both have are the same."""
    pairs = [(one.phone, other.phone), (one.email, other.email)]
    told = [_plain(a) == _plain(b) for a, b in pairs if a and b]
    return all(told)


def _plain(contact: str) -> str:
    return "".join(filter(str.isalnum, contact)).casefold()
