"""Timers ring in a session, and controls stop them."""

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import pytest

from assistant.chat.timers import Ring
from assistant.core import controls as ct
from assistant.core import updates as up
from assistant.core.errors import StorageError
from assistant.core.listeners import Listeners
from assistant.engine.ringing import Ringing
from assistant.host.texts import load_texts
from assistant.storage.timers import StoredTimer


class UnreadableTimers:
    """Timers whose store fails."""

    def __init__(self) -> None:
        self.rung: Listeners[[Ring], None] = Listeners()
        self.changed: Listeners[[Sequence[StoredTimer]], None] = Listeners()

    def __getattr__(self, _name: str) -> Any:
        async def fail(*_arguments: object) -> None:
            raise StorageError("sori.db", "disk I/O error")

        return fail


@pytest.mark.parametrize("control", [ct.DismissTimers(), ct.CancelTimer(timer="1")])
async def test_a_control_is_told_to_have_failed_if_the_timers_cannot_be_read(control: ct.TimerControl) -> None:
    told: list[StorageError] = []
    updates: list[up.Update] = []
    chat: Any = SimpleNamespace(timers=UnreadableTimers())
    session: Any = SimpleNamespace(stopped=Listeners[[], None]())
    ringing = Ringing(
        chat,
        session,
        load_texts("en"),
        publish=updates.append,
        tell_of=told.append,
        start_job=lambda job: job.close(),
    )
    await ringing.obey(control)
    assert [error.path for error in told] == ["sori.db"]
