"""Opens the index of passages that the settings name. Its engines take a while to import."""

from assistant.core.clock import Clock
from assistant.core.records.egress import EgressLedger
from assistant.engine.models.fetched_embedder import FetchedEmbedder
from assistant.engine.models.fetches import ModelFetches
from assistant.engine.rooms.basis import Warn
from assistant.engine.settings.reading import settings_here
from assistant.host.key_file import KeyFile
from assistant.host.keys import Keys, index_server
from assistant.host.places import Places, models_folder
from assistant.knowledge.index.embedded.embedded_index import EmbeddedIndex
from assistant.knowledge.index.passage_index import PassageIndex
from assistant.knowledge.index.postgres.postgres_index import PostgresIndex
from assistant.knowledge.meaning.embedder import Embedder
from assistant.knowledge.meaning.local_embedder import FILE, MODEL, LocalEmbedder


async def open_passages(
    places: Places, clock: Clock, fetches: ModelFetches | None, ledger: EgressLedger, warn: Warn
) -> PassageIndex:
    """Open the index on this machine, or on the PostgreSQL server that the settings name.

    Raises:
        SettingsError: the settings cannot be read.
        StorageError: the index cannot be opened.
    """
    local = LocalEmbedder(models_folder(places.home) / MODEL / FILE)
    embedder: Embedder = local if fetches is None else FetchedEmbedder(local, fetches)
    if address := settings_here(places.config, places.home).files.index:
        password = Keys(file=KeyFile(places.keys)).of(index_server())
        return await PostgresIndex.open(address, password, embedder, clock, ledger)
    index = await EmbeddedIndex.open(places.knowledge, embedder, clock)
    if index.set_aside is not None:
        warn("notice.index_set_aside", set_aside=str(index.set_aside))
    return index
