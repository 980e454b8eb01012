"""The people whom the user knows."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from assistant.app.cli.database import opened
from assistant.core.texts import Texts
from assistant.engine.domains.people import People
from assistant.host.clock import SystemClock
from assistant.host.places import Places
from assistant.storage.people import PeopleStore


@asynccontextmanager
async def people(places: Places, texts: Texts) -> AsyncIterator[People]:
    """Open the database and make the domain. Who is removed is overwritten at the next start of an engine.

    Raises:
        StorageError: the database cannot be used.
    """
    clock = SystemClock()
    async with opened(places, clock, texts) as database:
        yield People(PeopleStore(database, clock), clock, lambda _: None, None)
