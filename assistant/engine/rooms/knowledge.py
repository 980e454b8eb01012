"""The user's projects, and what reads and finds their files."""

import asyncio
import importlib
from collections.abc import Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING

from assistant.agent.context.tokens import estimated_tokens
from assistant.core.clock import Clock
from assistant.core.records.egress import EgressLedger
from assistant.core.settings import FilesSettings, Provider
from assistant.core.texts import Texts
from assistant.engine.models.fetches import ModelFetches
from assistant.engine.project_pages import WebPages
from assistant.engine.rooms.basis import Warn
from assistant.host.places import Places
from assistant.knowledge.index.filled_index import FilledIndex
from assistant.knowledge.projects.projects import Projects, open_projects
from assistant.knowledge.reading.document_reader import DocumentReader
from assistant.knowledge.reading.ocr import chosen_ocr
from assistant.knowledge.store import FileStore
from assistant.llm.backend import ProviderBackend
from assistant.tools.web.pages import Web
from assistant.tools.web.reading import PageReading

if TYPE_CHECKING:
    from assistant.knowledge.index.filling import Filling


@dataclass(frozen=True, slots=True, kw_only=True)
class KnowledgeNeeds:
    """What projects and their index stand on.

    Attributes:
        places: where they are.
        clock: the time.
        texts: the user's words.
        warn: tells of what does not work.
        ledger: takes a record of what is sent to a server, and of pages that are fetched.
        reading: reads these pages.
        files: gives the settings of files as they are at present.
        backend_for: gives the backend of a provider that computes meanings.
        fetches: fetches the model of meanings when it is needed; without it, meanings wait until it is there.
    """

    places: Places
    clock: Clock
    texts: Texts
    warn: Warn
    ledger: EgressLedger
    reading: PageReading
    files: Callable[[], FilesSettings]
    backend_for: Callable[[Provider], ProviderBackend]
    fetches: ModelFetches | None = None


async def projects_of(needs: KnowledgeNeeds) -> Projects:
    """Open the projects of this user. No file is read before ``Projects.start``.

    Raises:
        StorageError: a database cannot be opened.
    """
    folder, clock = needs.places.knowledge, needs.clock
    async with AsyncExitStack() as failing:
        index = FilledIndex(lambda: _passages(needs))
        failing.push_async_callback(index.close)
        projects = await open_projects(
            folder / "knowledge.db",
            clock,
            reader=DocumentReader(ocr=lambda: chosen_ocr(needs.files())),
            index=index,
            tokens=estimated_tokens,
            store=FileStore(folder),
            read_page=WebPages(Web(ledger=needs.ledger), needs.reading),
        )
        failing.pop_all()
    if (set_aside := projects.database.set_aside) is not None:
        needs.warn("notice.storage_set_aside", path=str(projects.database.path), set_aside=str(set_aside))
    return projects


async def _passages(needs: KnowledgeNeeds) -> "Filling":
    room = await asyncio.to_thread(importlib.import_module, "assistant.engine.rooms.passages")
    filling: Filling = await room.open_passages(needs)
    return filling
