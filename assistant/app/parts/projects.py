"""Projects and their files."""

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

from assistant.agent.workspaces.current import CurrentAgent
from assistant.app.cli.database import opened
from assistant.core.texts import Texts
from assistant.engine.domains.projects import ProjectFiles
from assistant.engine.page_reading import ReadPages
from assistant.engine.rooms.knowledge import KnowledgeNeeds, projects_of
from assistant.engine.settings.reading import settings_here
from assistant.host.clock import SystemClock
from assistant.host.key_file import KeyFile
from assistant.host.keys import Keys
from assistant.host.places import Places, models_folder
from assistant.llm.backend_needs import BackendNeeds
from assistant.llm.embedded.own_models import PLACEHOLDER_MODEL
from assistant.llm.router import BackendRegistry
from assistant.storage.records.egress import EgressStore

_MEANINGS_S = 20.0
"""Longest time that a command works on meanings before it ends. The next one goes on."""


@asynccontextmanager
async def project_files(places: Places, texts: Texts) -> AsyncIterator[ProjectFiles]:
    """Open the projects and make the domain. Files are read while it is open.

    Raises:
        StorageError: the databases cannot be used.
    """
    clock, files = SystemClock(), settings_here(places.config, places.home).files

    def warn(key: str, **values: str) -> None:
        print(texts(key, **values), file=sys.stderr)

    async with opened(places, clock, texts) as database:
        ledger = EgressStore(database, clock)
        backends = BackendRegistry.discovered(
            BackendNeeds(
                key_of=Keys(file=KeyFile(places.keys)).of,
                ledger=ledger,
                embedded_model=models_folder(places.home) / PLACEHOLDER_MODEL,
            )
        )
        pages = ReadPages()
        projects = await projects_of(
            KnowledgeNeeds(
                places=places,
                clock=clock,
                texts=texts,
                warn=warn,
                ledger=ledger,
                reading=pages,
                files=lambda: files,
                backend_for=backends.backend_for,
            )
        )
        try:
            await projects.read_here()
            yield ProjectFiles(projects, lambda: CurrentAgent(places.current_agent).get().workspace)
            await projects.erase_removed()
            with suppress(TimeoutError):  # A process that ends at once would never come to the meanings.
                await asyncio.wait_for(projects.index.settled(), _MEANINGS_S)
        finally:
            await projects.close()
            await pages.close()
            await backends.close()
