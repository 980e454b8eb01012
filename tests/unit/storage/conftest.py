"""A database of a test's own, and the conversations in it."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from assistant.storage.conversations import ConversationStore
from assistant.storage.database import Database
from tests.fakes.clock import FakeClock
from tests.fakes.new_database import open_database


@pytest.fixture
async def database(tmp_path: Path) -> AsyncIterator[Database]:
    opened = await open_database(tmp_path / "sori.db", FakeClock())
    yield opened
    await opened.close()


@pytest.fixture
async def store(database: Database) -> ConversationStore:
    return await ConversationStore.open(database, FakeClock())
