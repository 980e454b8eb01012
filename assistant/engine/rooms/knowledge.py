"""The user's projects, and what reads and finds their files."""

from contextlib import AsyncExitStack

from assistant.agent.context.tokens import estimated_tokens
from assistant.core.clock import Clock
from assistant.engine.models.fetched_embedder import FetchedEmbedder
from assistant.engine.models.fetches import ModelFetches
from assistant.host.places import Places, models_folder
from assistant.knowledge.index.embedded.embedded_index import EmbeddedIndex
from assistant.knowledge.meaning.local_embedder import FILE, MODEL, LocalEmbedder
from assistant.knowledge.projects.projects import Projects, open_projects
from assistant.knowledge.reading.document_reader import DocumentReader
from assistant.knowledge.store import FileStore


async def projects_of(places: Places, clock: Clock, fetches: ModelFetches | None = None) -> Projects:
    """Open the projects of this user. No file is read before ``Projects.start``.

    Args:
        places: where they are.
        clock: the time.
        fetches: fetches the model of meanings when it is needed; without it, meanings wait until it is there.

    Raises:
        StorageError: a database cannot be opened.
    """
    folder = places.knowledge
    async with AsyncExitStack() as failing:
        local = LocalEmbedder(models_folder(places.home) / MODEL / FILE)
        failing.callback(local.close)
        embedder = local if fetches is None else FetchedEmbedder(local, fetches)
        index = await EmbeddedIndex.open(folder, embedder, clock)
        failing.push_async_callback(index.close)
        projects = await open_projects(
            folder / "knowledge.db",
            clock,
            reader=DocumentReader(),
            index=index,
            tokens=estimated_tokens,
            store=FileStore(folder),
        )
        failing.pop_all()
    return projects
