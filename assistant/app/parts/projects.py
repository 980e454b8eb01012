"""Projects and their files."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

from assistant.agent.workspaces.current import CurrentAgent
from assistant.engine.domains.projects import ProjectFiles
from assistant.engine.rooms.knowledge import projects_of
from assistant.host.clock import SystemClock
from assistant.host.places import Places
from assistant.storage.database import Database
from assistant.storage.records.egress import EgressStore

_MEANINGS_S = 20.0
"""Longest time that a command works on meanings before it ends. The next one goes on."""


@asynccontextmanager
async def project_files(places: Places) -> AsyncIterator[ProjectFiles]:
    """Open the projects and make the domain. Files are read while it is open.

    Raises:
        StorageError: the databases cannot be used.
    """
    clock = SystemClock()
    database = await Database.open(places.database, clock)
    projects = await projects_of(places, clock, EgressStore(database, clock))
    try:
        await projects.read_here()
        yield ProjectFiles(projects, lambda: CurrentAgent(places.current_agent).get().workspace)
        await projects.erase_removed()
        with suppress(TimeoutError):  # A process that ends at once would never come to the meanings.
            await asyncio.wait_for(projects.index.settled(), _MEANINGS_S)
    finally:
        await projects.close()
        await database.close()
