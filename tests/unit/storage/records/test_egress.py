from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from assistant.core.errors import StorageError
from assistant.core.records.egress import DataClass, Egress
from assistant.storage.database import Database
from assistant.storage.records.egress import EgressStore
from tests.fakes.clock import FakeClock
from tests.fakes.new_database import open_database

ANSWER = Egress(
    destination="https://api.example.com:443",
    local=False,
    purpose="answer",
    provider="mine",
    size=1234,
    data=(DataClass.CONVERSATION, DataClass.IMAGE),
)
LOCAL = Egress(destination="http://127.0.0.1:11434", local=True, purpose="list_models", provider="ollama")


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
async def database(tmp_path: Path, clock: FakeClock) -> AsyncIterator[Database]:
    opened = await open_database(tmp_path / "sori.db", clock)
    yield opened
    await opened.close()


async def test_a_request_comes_back_as_it_was_dated(database: Database, clock: FakeClock) -> None:
    store = EgressStore(database, clock)
    await store.record(ANSWER)
    assert await store.rows() == (replace(ANSWER, at=clock.now().isoformat(), number=1),)


async def test_what_stayed_on_this_machine_is_listed_when_asked_for(database: Database, clock: FakeClock) -> None:
    store = EgressStore(database, clock)
    await store.record(LOCAL)
    await store.record(ANSWER)
    assert [each.provider for each in await store.rows()] == ["mine"]
    assert [each.provider for each in await store.rows(local=True)] == ["ollama", "mine"]


async def test_only_what_left_since_is_listed(database: Database, clock: FakeClock) -> None:
    store = EgressStore(database, clock)
    await store.record(ANSWER)
    clock.advance(60)
    await store.record(replace(ANSWER, size=1))
    assert [each.size for each in await store.rows(clock.now() - timedelta(seconds=1))] == [1]


async def test_a_request_that_cannot_be_written_down_is_an_error(database: Database, clock: FakeClock) -> None:
    await database.write(lambda connection: connection.execute("DROP TABLE egress"))
    with pytest.raises(StorageError):
        await EgressStore(database, clock).record(ANSWER)


async def test_a_row_of_a_kind_that_is_not_known_is_named_as_unreadable(database: Database, clock: FakeClock) -> None:
    store = EgressStore(database, clock)
    await store.record(ANSWER)
    await database.write(lambda connection: connection.execute("UPDATE egress SET data = 'soul'"))
    with pytest.raises(StorageError, match=r"egress.*soul") as caught:
        await store.rows()
    assert caught.value.path == str(database.path)
