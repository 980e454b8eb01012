"""A client of an engine in another process reads the bytes of its files when it needs them."""

import asyncio
import secrets
from pathlib import Path
from queue import Queue

import pytest

from assistant.core.errors import StorageError
from assistant.core.machine.states import TurnId
from assistant.core.messages import Attachment, Message, Role
from assistant.core.service.events import Delivery
from assistant.core.service.requests.conversations import READ_BYTES, FollowConversation, ReadFile
from assistant.core.updates import MessageAdded
from assistant.engine.domains.stored.conversations import StoredConversations
from assistant.host.texts import load_texts
from assistant.remote.local.client import connect
from assistant.storage.conversation_list import ConversationList
from assistant.storage.conversations import ConversationStore
from assistant.storage.database import Database
from tests.fakes.clock import FakeClock
from tests.fakes.front.small_engine import SmallEngine

TEXTS = load_texts("en")
LIMIT_S = 30.0


async def stored(folder: Path, *files: bytes) -> tuple[Database, str, Message]:
    clock = FakeClock()
    database = await Database.open(folder / "sori.db", clock)
    store = ConversationStore(database, clock)
    conversation = await store.create()
    attached = tuple(Attachment(mime_type="image/png", name=f"{at}.png", data=each) for at, each in enumerate(files))
    message = await store.add(conversation, Message(role=Role.USER, text="봐요", attachments=attached))
    return database, conversation, message


def test_files_of_any_size_are_read_and_gone_ones_are_an_error(tmp_path: Path) -> None:
    files = (b"", b"1", secrets.token_bytes(READ_BYTES), secrets.token_bytes(READ_BYTES + 1))
    database, conversation, message = asyncio.run(stored(tmp_path, *files))
    clock = FakeClock()
    store, conversations = ConversationStore(database, clock), ConversationList(database, clock)
    events = Queue[Delivery]()
    with SmallEngine(tmp_path, StoredConversations(database, conversations, store, clock, TEXTS)) as engine:
        connection = connect(tmp_path, TEXTS, events.put, name="test")
        assert connection is not None
        asyncio.run(connection.result(FollowConversation(conversation=conversation)))
        engine.hub.deliver(MessageAdded(conversation=conversation, turn=TurnId("t"), message=message))
        told = events.get(timeout=LIMIT_S).event
        assert isinstance(told, MessageAdded)
        assert tuple(each.read() for each in told.message.attachments) == files
        assert len([each for each in engine.asked if isinstance(each, ReadFile)]) == 5
        asyncio.run(conversations.delete(conversation))
        with pytest.raises(StorageError):
            told.message.attachments[1].read()
        connection.close()
    with pytest.raises(StorageError):
        told.message.attachments[1].read()
    asyncio.run(database.close())
