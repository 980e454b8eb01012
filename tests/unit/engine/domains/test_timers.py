"""Timers ring in a session, and requests stop them."""

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import pytest

from assistant.chat.alarms.changes import TimerChanges
from assistant.chat.timers import Ring
from assistant.core import updates as up
from assistant.core.errors import StorageError
from assistant.core.listeners import Listeners
from assistant.core.service.request import Request
from assistant.core.service.requests.timers import CancelTimer, DismissTimers, ListTimers, SnoozeTimers
from assistant.engine.domains.timers import Ringing
from assistant.host.texts import load_texts
from assistant.storage.timers import StoredTimer
from assistant.tasks import TaskSupervisor
from tests.fakes.clock import FakeClock
from tests.fakes.front.asking import ask


class UnreadableTimers:
    """Timers whose store fails."""

    def __init__(self) -> None:
        self.rung: Listeners[[Ring], None] = Listeners()
        self.changed: Listeners[[Sequence[StoredTimer]], None] = Listeners()
        self.unkept: Listeners[[StorageError], None] = Listeners()

    def __getattr__(self, _name: str) -> Any:
        async def fail(*_arguments: object) -> None:
            raise StorageError("sori.db", "disk I/O error")

        return fail


@pytest.mark.parametrize("request_sent", [DismissTimers(), CancelTimer(timer="1"), ListTimers()])
async def test_a_request_is_refused_if_the_timers_cannot_be_read(request_sent: Request[Any]) -> None:
    chat: Any = SimpleNamespace(tools=SimpleNamespace(timers=UnreadableTimers()))
    session: Any = SimpleNamespace(stopped=Listeners[[], None]())
    ringing = Ringing(
        chat,
        session,
        TimerChanges(chat.tools.timers, FakeClock()),
        load_texts("en"),
        publish=lambda _: None,
        tell_of=lambda _: None,
        jobs=TaskSupervisor(),
    )
    with pytest.raises(StorageError):
        await ask(ringing, request_sent)


WORDS = ("라면 타이머가 끝났어요.", "Your pasta timer is done.", "약 먹을 시간이에요.", "오전 7시예요.")


@pytest.mark.parametrize("text", WORDS)
@pytest.mark.parametrize(
    ("goes_on", "aloud", "severity"),
    [(True, True, up.Severity.INFO), (False, True, up.Severity.WARNING), (False, False, up.Severity.WARNING)],
)
def test_what_rings_is_told_to_everybody_and_written_into_no_conversation(
    text: str, goes_on: bool, aloud: bool, severity: up.Severity
) -> None:
    timers = UnreadableTimers()
    chat: Any = SimpleNamespace(tools=SimpleNamespace(timers=timers))
    said, told = list[str](), list[up.Update]()
    session: Any = SimpleNamespace(stopped=Listeners[[], None](), announce=said.append, conversation="another subject")
    changes, jobs = TimerChanges(chat.tools.timers, FakeClock()), TaskSupervisor()
    Ringing(chat, session, changes, load_texts("ko"), publish=told.append, tell_of=lambda _: None, jobs=jobs)

    ring = Ring(id="1", name="", duration_s=1, language="ko", text=text, late_s=0, goes_on=goes_on, aloud=aloud)
    timers.rung.tell(ring)

    assert told == [up.NoticePosted(key="notice.rang", severity=severity, values={"text": text}, about="timer 1")]
    assert load_texts("ko")("notice.rang", text=text) == text
    assert said == ([text] if aloud else [])


class RingingTimers(UnreadableTimers):
    """Timers of which two ring."""

    def __init__(self) -> None:
        super().__init__()
        self.rings, self.moved = ["tea", "cake"], list[tuple[str, float]]()

    async def ringing(self) -> Sequence[Any]:
        return list(self.rings)

    async def move(self, timer: str, seconds: float) -> str:
        self.rings.remove(timer)
        self.moved.append((timer, seconds))
        return timer


async def test_what_rings_is_silent_and_rings_again_later() -> None:
    timers, ended = RingingTimers(), list[object]()
    chat: Any = SimpleNamespace(tools=SimpleNamespace(timers=timers))
    session: Any = SimpleNamespace(stopped=Listeners[[], None](), end_announcement=lambda: ended.append(True))
    changes, jobs = TimerChanges(chat.tools.timers, FakeClock()), TaskSupervisor()
    rings = Ringing(chat, session, changes, load_texts("en"), publish=ended.append, tell_of=ended.append, jobs=jobs)
    assert await ask(rings, SnoozeTimers()) is True
    assert timers.moved == [("tea", 300), ("cake", 300)]
    assert ended == [True]
    assert await ask(rings, SnoozeTimers(seconds=60)) is False
