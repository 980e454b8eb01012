"""Opens the index of passages that the settings name. Its engines take a while to import."""

from assistant.agent.model_choice import choose_model
from assistant.core.errors import SoriError
from assistant.core.settings import Settings
from assistant.engine.models.fetched_embedder import FetchedEmbedder
from assistant.engine.models.served_embedder import ServedEmbedder
from assistant.engine.rooms.knowledge import KnowledgeNeeds
from assistant.engine.settings.reading import settings_here
from assistant.host.key_file import KeyFile
from assistant.host.keys import Keys, index_server
from assistant.host.places import models_folder
from assistant.knowledge.index.embedded.embedded_passages import EmbeddedPassages
from assistant.knowledge.index.filling import Filling
from assistant.knowledge.index.postgres.postgres_passages import PostgresPassages
from assistant.knowledge.meaning.embedder import Embedder
from assistant.knowledge.meaning.local_embedder import FILE, MODEL, LocalEmbedder


async def open_passages(needs: KnowledgeNeeds) -> Filling:
    """Open the index on this machine, or on the PostgreSQL server that the settings name.

    Raises:
        SettingsError: the settings cannot be read.
        StorageError: the index cannot be opened.
    """
    places = needs.places
    settings = settings_here(places.config, places.home)
    embedder = _embedder(needs, settings)
    if address := settings.files.index:
        password = Keys(file=KeyFile(places.keys)).of(index_server())
        server = await PostgresPassages.open(address, password, needs.ledger)
        return Filling(server, embedder, needs.clock)
    here = await EmbeddedPassages.open(places.knowledge, needs.clock)
    if here.set_aside is not None:
        needs.warn("notice.index_set_aside", set_aside=str(here.set_aside))
    return Filling(here, embedder, needs.clock)


def _embedder(needs: KnowledgeNeeds, settings: Settings) -> Embedder:
    if settings.files.meanings:

        def failed(error: SoriError) -> None:
            needs.warn("notice.meanings_failed", reason=needs.texts(error.message_key, **error.values))

        try:
            choice = choose_model(settings, settings.files.meanings)
            return ServedEmbedder(choice, needs.backend_for, needs.clock, failed)
        except SoriError as error:  # The provider was removed; this computer goes on.
            failed(error)
    local = LocalEmbedder(models_folder(needs.places.home) / MODEL / FILE)
    return local if needs.fetches is None else FetchedEmbedder(local, needs.fetches)
