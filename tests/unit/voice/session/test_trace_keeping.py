"""Storing traces when the disk refuses (V-22)."""

from collections.abc import Sequence
from typing import Any

from assistant.core.errors import StorageError
from assistant.core.machine.states import TurnId
from assistant.tasks import TaskSupervisor
from assistant.voice.session.trace_keeping import TraceKeeper
from assistant.voice.trace import Trace


async def test_a_trace_that_cannot_be_stored_is_logged_and_the_next_one_is_stored(caplog: Any) -> None:
    stored = list[tuple[TurnId, list[str]]]()
    full = True

    async def save(_conversation: str, turn: TurnId, events: Sequence[dict[str, Any]]) -> None:
        if full:
            raise StorageError("/home/sori.db", "no space left", message_key="storage_full")
        stored.append((turn, [each["event"] for each in events]))

    trace, tasks = Trace(lambda: 0.0), TaskSupervisor()
    keeper = TraceKeeper(trace, save, tasks)
    trace.note("wake")
    keeper.keep("a", TurnId("1"))
    await tasks.settle()
    full = False
    trace.note("done")
    keeper.keep("a", TurnId("2"))
    await tasks.settle()

    assert stored == [(TurnId("2"), ["done"])]
    assert "no space left" in caplog.text
