"""The database as a command opens it: for as long as the command works, and telling what became of a damaged one."""

import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from assistant.app.host.places import Places
from assistant.core.clock import Clock
from assistant.core.texts import Texts
from assistant.storage.database import Database


@asynccontextmanager
async def opened(places: Places, clock: Clock, texts: Texts) -> AsyncIterator[Database]:
    """The user's database, closed at the end; that a damaged one was set aside is said on standard error.

    Raises:
        StorageError: it cannot be opened.
    """
    database = await Database.open(places.database, clock)
    try:
        if words := set_aside_words(database, texts):
            print(words, file=sys.stderr)
        yield database
    finally:
        await database.close()


def set_aside_words(database: Database, texts: Texts) -> str:
    """What to tell of a file that was damaged when it was opened; empty for one that was whole."""
    if database.set_aside is None:
        return ""
    return texts("notice.storage_set_aside", path=database.path, set_aside=database.set_aside)
