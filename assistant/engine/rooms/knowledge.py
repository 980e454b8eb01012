"""The user's projects, and what reads and finds their files."""

import asyncio
import importlib
from contextlib import AsyncExitStack

from assistant.agent.context.tokens import estimated_tokens
from assistant.core.clock import Clock
from assistant.core.records.egress import EgressLedger
from assistant.engine.models.fetches import ModelFetches
from assistant.engine.project_pages import WebPages
from assistant.engine.rooms.basis import Warn
from assistant.host.places import Places
from assistant.knowledge.index.late_index import LateIndex
from assistant.knowledge.index.passage_index import PassageIndex
from assistant.knowledge.projects.projects import Projects, open_projects
from assistant.knowledge.reading.document_reader import DocumentReader
from assistant.knowledge.store import FileStore
from assistant.tools.web.pages import Web


async def projects_of(
    places: Places, clock: Clock, ledger: EgressLedger, warn: Warn, fetches: ModelFetches | None = None
) -> Projects:
    """Open the projects of this user. No file is read before ``Projects.start``.

    Args:
        places: where they are.
        clock: the time.
        ledger: takes a record of what is sent to a server that keeps the index, and of pages that are fetched.
        warn: tells of damaged files.
        fetches: fetches the model of meanings when it is needed; without it, meanings wait until it is there.

    Raises:
        StorageError: a database cannot be opened.
    """
    folder = places.knowledge
    async with AsyncExitStack() as failing:
        index = LateIndex(lambda: _passages(places, clock, fetches, ledger, warn))
        failing.push_async_callback(index.close)
        projects = await open_projects(
            folder / "knowledge.db",
            clock,
            reader=DocumentReader(),
            index=index,
            tokens=estimated_tokens,
            store=FileStore(folder),
            read_page=WebPages(Web(ledger=ledger)),
        )
        failing.pop_all()
    if (set_aside := projects.database.set_aside) is not None:
        warn("notice.storage_set_aside", path=str(projects.database.path), set_aside=str(set_aside))
    return projects


async def _passages(
    places: Places, clock: Clock, fetches: ModelFetches | None, ledger: EgressLedger, warn: Warn
) -> PassageIndex:
    room = await asyncio.to_thread(importlib.import_module, "assistant.engine.rooms.passages")
    index: PassageIndex = await room.open_passages(places, clock, fetches, ledger, warn)
    return index
