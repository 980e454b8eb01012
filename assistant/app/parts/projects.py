"""Projects and their files."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from assistant.agent.workspaces.current import CurrentAgent
from assistant.engine.domains.projects import ProjectFiles
from assistant.engine.rooms.knowledge import projects_of
from assistant.host.clock import SystemClock
from assistant.host.places import Places
from assistant.storage.database import Database
from assistant.storage.records.egress import EgressStore


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
    finally:
        await projects.close()
        await database.close()
