from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import timedelta, timezone
from pathlib import Path

import pytest

from assistant.core.errors import StorageError
from assistant.core.records.usage import Exchange
from assistant.storage.database import Database
from assistant.storage.migrations.steps import MIGRATIONS
from assistant.storage.records.usage import UsageStore
from tests.fakes.clock import FakeClock
from tests.fakes.new_database import open_database

EXCHANGE = Exchange(
    conversation="c",
    provider="mine",
    model="m",
    input=100,
    output=20,
    cached=60,
    total=120,
    first_token_ms=250.5,
    total_ms=1200.0,
    requests=2,
    tool_calls=1,
    outcome="complete",
    cost=0.0012,
)


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
async def store(tmp_path: Path, clock: FakeClock) -> AsyncIterator[UsageStore]:
    database = await open_database(tmp_path / "sori.db", clock)
    yield UsageStore(database, clock)
    await database.close()


async def test_an_exchange_comes_back_as_it_was_in_the_users_time_zone(store: UsageStore, clock: FakeClock) -> None:
    kept = await store.record(EXCHANGE)
    assert kept.at == clock.now().isoformat()
    assert kept.id
    assert await store.exchanges() == (replace(EXCHANGE, id=kept.id, at=clock.now().isoformat()),)


async def test_what_becomes_of_an_exchange_is_written_over_it(store: UsageStore) -> None:
    begun = await store.record(replace(EXCHANGE, outcome="interrupted", output=None, partial=True, cost=None))
    other = await store.record(EXCHANGE)
    ended = replace(EXCHANGE, id=begun.id, at=begun.at, requests=3)
    assert await store.record(ended) == ended
    assert await store.exchanges() == (ended, other)


async def test_exchanges_of_an_older_sori_stay_and_are_told_apart(tmp_path: Path, clock: FakeClock) -> None:
    path = tmp_path / "old.db"
    old = await Database.open(path, clock, MIGRATIONS[:2])
    insert = """INSERT INTO exchanges
        (at, conversation, provider, model, input, total_ms, requests, tool_calls, outcome)
        VALUES ('2026-11-20T00:00:00+00:00', 'c', 'mine', 'm', 7, 1.0, 1, 0, 'complete')"""
    for _ in range(2):
        await old.write(lambda connection: connection.execute(insert))
    await old.close()
    database = await open_database(path, clock)
    first, second = await UsageStore(database, clock).exchanges()
    await database.close()
    assert (first.input, first.partial) == (second.input, second.partial) == (7, False)
    assert first.id != second.id


async def test_a_date_that_is_none_is_told_as_a_damaged_row(tmp_path: Path, clock: FakeClock) -> None:
    database = await open_database(tmp_path / "sori.db", clock)
    store = UsageStore(database, clock)
    await store.record(EXCHANGE)
    await database.write(lambda connection: connection.execute("UPDATE exchanges SET at = 'yesterday'"))
    with pytest.raises(StorageError, match="exchanges cannot be read") as caught:
        await store.exchanges()
    assert caught.value.path == str(database.path)
    await database.close()


async def test_what_no_server_counted_stays_unknown(store: UsageStore) -> None:
    unknown = replace(EXCHANGE, input=None, output=None, cached=None, total=None, first_token_ms=None, cost=None)
    kept = await store.record(unknown)
    assert await store.exchanges() == (kept,)


async def test_only_what_happened_since_is_listed_whatever_the_time_zone_it_was_written_in(
    store: UsageStore, clock: FakeClock
) -> None:
    since = clock.now()
    # As a text this is the latest of them; as an instant it is the earliest.
    earlier = (since - timedelta(hours=2)).astimezone(timezone(timedelta(hours=14)))
    assert earlier.isoformat() > since.isoformat()
    await store.record(replace(EXCHANGE, at=earlier.isoformat()))
    kept = await store.record(replace(EXCHANGE, at=since.isoformat()))
    assert await store.exchanges(since) == (kept,)
