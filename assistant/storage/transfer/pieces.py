"""Conversations as text for a file, piece by piece."""

import asyncio
from collections.abc import AsyncGenerator, Sequence

from assistant.core.clock import Clock
from assistant.core.records.conversations import ConversationEntry
from assistant.core.texts import Texts
from assistant.storage.conversations import ConversationStore
from assistant.storage.database import Database
from assistant.storage.transfer import sori_format
from assistant.storage.transfer.exporting import portable
from assistant.storage.transfer.markdown_format import BETWEEN_PAGES, id_line
from assistant.storage.transfer.page import markdown


async def json_pieces(
    database: Database, store: ConversationStore, clock: Clock, entries: Sequence[ConversationEntry]
) -> AsyncGenerator[str, None]:
    """Conversations in Sori's own form, which can be imported again.

    Raises:
        StorageError: the database cannot be read.
    """
    before = sori_format.beginning(clock.now().isoformat())
    for entry in entries:
        # Another process may have deleted it meanwhile.
        if conversation := await portable(database, store, entry.id):
            yield f"{before}\n{await asyncio.to_thread(sori_format.to_json, conversation)}"
            before = ","
    yield f"{'' if before == ',' else before}{sori_format.ending()}"


async def pages(
    store: ConversationStore, entries: Sequence[ConversationEntry], texts: Texts
) -> AsyncGenerator[str, None]:
    """Conversations as Markdown.

    Raises:
        StorageError: the database cannot be read.
    """
    between = ""
    for entry in entries:
        yield between + markdown(entry, await store.messages(entry.id), texts) + id_line(entry.id)
        between = BETWEEN_PAGES
    yield "\n"
