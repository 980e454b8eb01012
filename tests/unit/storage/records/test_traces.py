from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path

import pytest

from assistant.core.machine.states import TurnId
from assistant.storage.conversations import ConversationStore
from assistant.storage.database import Database
from assistant.storage.records.traces import KEPT_DAYS, TraceStore
from tests.fakes.clock import FakeClock
from tests.fakes.new_database import open_database


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
async def database(tmp_path: Path, clock: FakeClock) -> AsyncIterator[Database]:
    database = await open_database(tmp_path / "sori.db", clock)
    yield database
    await database.close()


async def test_the_newest_traces_come_back_in_order(database: Database, clock: FakeClock) -> None:
    conversation = await ConversationStore(database, clock).create()
    traces = TraceStore(database, clock)
    for number in range(1, 4):
        await traces.save(
            conversation, TurnId(str(number)), [{"t": number / 2, "event": "transcript", "text": "몇 시야"}]
        )

    newest = await traces.newest(2)

    assert [(each.turn, each.conversation) for each in newest] == [("2", conversation), ("3", conversation)]
    assert newest[0].events == ({"t": 1.0, "event": "transcript", "text": "몇 시야"},)
    assert await traces.find(newest[1].id) == newest[1]
    assert await traces.find(99) is None


async def test_traces_are_pruned_after_30_days(database: Database, clock: FakeClock) -> None:
    conversation = await ConversationStore(database, clock).create()
    traces = TraceStore(database, clock)
    await traces.save(conversation, TurnId("old"), [])
    clock.advance(timedelta(days=KEPT_DAYS - 1).total_seconds())
    await traces.save(conversation, TurnId("new"), [])
    await traces.prune()
    assert len(await traces.newest(9)) == 2

    clock.advance(timedelta(days=2).total_seconds())
    await traces.prune()

    assert [each.turn for each in await traces.newest(9)] == ["new"]
