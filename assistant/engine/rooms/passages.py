"""Opens the index of passages that the settings name. Its engines take a while to import."""

from assistant.core.clock import Clock
from assistant.engine.models.fetched_embedder import FetchedEmbedder
from assistant.engine.models.fetches import ModelFetches
from assistant.host.places import Places, models_folder
from assistant.knowledge.index.embedded.embedded_index import EmbeddedIndex
from assistant.knowledge.index.passage_index import PassageIndex
from assistant.knowledge.meaning.local_embedder import FILE, MODEL, LocalEmbedder


async def open_passages(places: Places, clock: Clock, fetches: ModelFetches | None) -> PassageIndex:
    """Open the index.

    Raises:
        StorageError: it cannot be opened.
    """
    local = LocalEmbedder(models_folder(places.home) / MODEL / FILE)
    embedder = local if fetches is None else FetchedEmbedder(local, fetches)
    return await EmbeddedIndex.open(places.knowledge, embedder, clock)
