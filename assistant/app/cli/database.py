"""Opens the database for a command, and reports a damaged database that was set aside."""

import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from assistant.core.clock import Clock
from assistant.core.texts import Texts
from assistant.host.places import Places
from assistant.storage.database import Database


@asynccontextmanager
async def opened(places: Places, clock: Clock, texts: Texts) -> AsyncIterator[Database]:
    """Open the user's database and close it at the end.

    A damaged file that was set aside is reported on standard error.

    Raises:
        StorageError: the database cannot be opened.
    """
    database = await Database.open(places.database, clock)
    try:
        if words := set_aside_words(database, texts):
            print(words, file=sys.stderr)
        yield database
    finally:
        await database.close()


def set_aside_words(database: Database, texts: Texts) -> str:
    """Message about a damaged file that was set aside; empty if the file was intact."""
    if database.set_aside is None:
        return ""
    return texts("notice.storage_set_aside", path=database.path, set_aside=database.set_aside)
