from pathlib import Path

from assistant.core.machine.states import TurnId
from assistant.storage.conversations import ConversationStore
from assistant.storage.database import Database
from assistant.storage.traces import TraceStore
from tests.fakes.clock import FakeClock


async def test_the_newest_traces_of_a_conversation_come_back_in_order(tmp_path: Path) -> None:
    database = await Database.open(tmp_path / "sori.db", FakeClock())
    conversations = ConversationStore(database, FakeClock())
    here, elsewhere = await conversations.create(), await conversations.create()
    traces = TraceStore(database, FakeClock())
    for number in range(1, 4):
        await traces.save(here, TurnId(str(number)), [{"t": number / 2, "event": "transcript", "text": "몇 시야"}])
    await traces.save(elsewhere, TurnId("9"), [])

    assert await traces.of_conversation(here, limit=2) == (
        [{"t": 1.0, "event": "transcript", "text": "몇 시야"}],
        [{"t": 1.5, "event": "transcript", "text": "몇 시야"}],
    )
    assert await traces.of_conversation(elsewhere) == ([],)
    await database.close()
