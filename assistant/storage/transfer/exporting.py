"""Reads whole conversations from the database for an export."""

import sqlite3
from dataclasses import replace

from assistant.core.machine.effects import Origin
from assistant.core.messages import Message
from assistant.core.records.agents import AgentId
from assistant.storage.conversations import ConversationStore
from assistant.storage.database import Database
from assistant.storage.stored_message import StoredMessage
from assistant.storage.transfer.portable import PortableConversation

_COLUMNS = "created_at, title, titled_by, model, summary, summarised_until, workspace, agent"
_CONVERSATION = f"SELECT {_COLUMNS} FROM conversations WHERE id = ? AND deleted_at = ''"  # noqa: S608 - constants
_PLACES = "SELECT id, origin, parent, shown FROM messages WHERE conversation = ?"

_Place = tuple[Origin, str, bool]
"""Origin of a message, its parent, and whether it is shown."""


async def portable(database: Database, store: ConversationStore, conversation: str) -> PortableConversation | None:
    """A conversation with all its messages; the bytes of its files stay in the database until they are read.

    ``None`` if it is unknown or deleted.

    Raises:
        StorageError: the database cannot be read.
    """

    def work(connection: sqlite3.Connection) -> tuple[tuple[str, ...] | None, dict[str, _Place]]:
        row = connection.execute(_CONVERSATION, (conversation,)).fetchone()
        places = connection.execute(_PLACES, (conversation,))
        return row, {identity: (Origin(origin), parent, bool(shown)) for identity, origin, parent, shown in places}

    row, places = await database.read(work)
    if row is None:
        return None
    created_at, title, titled_by, model, summary, until, workspace, agent = row
    return PortableConversation(
        id=conversation,
        created_at=created_at,
        title=title,
        titled_by=titled_by,
        model=model,
        summary=summary,
        summarised_until=until,
        agent=AgentId(workspace=workspace, name=agent),
        messages=tuple(
            _placed(each, conversation, places[each.id])
            for each in await store.every_message(conversation)
            if each.id in places
        ),
    )


def _placed(message: Message, conversation: str, place: _Place) -> StoredMessage:
    origin, parent, shown = place
    return replace(StoredMessage.of(message, conversation, origin), parent=parent, shown=shown)
