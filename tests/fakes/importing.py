"""Imports a file as a whole."""

from pathlib import Path

from assistant.core.service.requests.conversations import ImportedConversations
from assistant.storage.database import Database
from assistant.storage.transfer.importing import imports
from tests.fakes.clock import FakeClock


async def import_file(database: Database, path: Path) -> ImportedConversations:
    """What an import has done at its end.

    Raises:
        SoriError: the file is no export, or damaged.
    """
    done = ImportedConversations()
    async for step, _ in imports(database, FakeClock(), path):
        done = step
    return done
