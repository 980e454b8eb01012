"""Files of messages: in the database, and in memory only as far as their beginnings."""

import asyncio
from pathlib import Path

import pytest

from assistant.core.errors import StorageError
from assistant.core.messages import HEAD_BYTES, Attachment, Message, Role
from assistant.storage.conversations import ConversationStore
from assistant.storage.database import Database
from tests.fakes.clock import FakeClock
from tests.fakes.new_database import open_database

BYTES = bytes(range(256)) * 1024
FILE = Attachment(mime_type="image/png", name="lake.png", data=BYTES)
LOOK = Message(role=Role.USER, text="봐", attachments=(FILE,))


async def read(attachment: Attachment) -> bytes:
    return await asyncio.to_thread(attachment.read)


async def test_a_file_stays_in_the_database_until_somebody_reads_it(store: ConversationStore) -> None:
    conversation = await store.create()
    saved = await store.add(conversation, LOOK)
    (message,) = await store.messages(conversation)
    (file,) = message.attachments

    assert message == saved
    assert not isinstance(file.data, bytes)
    assert (file.mime_type, file.name, file.size) == ("image/png", "lake.png", len(BYTES))
    assert file.head == BYTES[:HEAD_BYTES]
    assert await read(file) == await read(saved.attachments[0]) == BYTES


async def test_a_file_goes_with_another_message_without_leaving_the_database(store: ConversationStore) -> None:
    conversation = await store.create()
    first = await store.add(conversation, LOOK)
    await store.add(conversation, Message(role=Role.USER, text="또", attachments=first.attachments))
    _, again = await store.messages(conversation)

    assert again.attachments[0] != first.attachments[0]
    assert await read(again.attachments[0]) == BYTES


async def test_saving_a_message_again_leaves_its_files_as_they_are(store: ConversationStore) -> None:
    conversation = await store.create()
    first = await store.add(conversation, LOOK)
    await store.add(conversation, first)
    (message,) = await store.messages(conversation)

    assert message == first
    assert await read(message.attachments[0]) == BYTES


async def test_a_file_of_a_deleted_message_is_said_to_be_gone(database: Database, store: ConversationStore) -> None:
    conversation = await store.create()
    saved = await store.add(conversation, LOOK)
    await database.write(lambda connection: connection.execute("DELETE FROM messages"))

    with pytest.raises(StorageError, match="deleted"):
        await read(saved.attachments[0])


async def test_a_file_of_a_closed_database_is_said_not_to_be_readable(tmp_path: Path) -> None:
    database = await open_database(tmp_path / "other.db", FakeClock())
    store = await ConversationStore.open(database, FakeClock())
    saved = await store.add(await store.create(), LOOK)
    await database.close()

    with pytest.raises(StorageError, match="closed"):
        await read(saved.attachments[0])
