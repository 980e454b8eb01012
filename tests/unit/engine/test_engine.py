"""What the engine leaves behind when it is closed, and how it tells of a part that fails."""

import asyncio
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from assistant.core import updates as up
from assistant.core.errors import EngineError
from assistant.core.live_settings import LiveSettings
from assistant.core.machine.states import TurnId
from assistant.core.service.connection import Connection
from assistant.core.service.events import Delivery
from assistant.core.service.requests.conversations import FollowConversation
from assistant.core.service.requests.turns import BeginTurn
from assistant.core.settings import Settings
from assistant.engine import engine as engine_module
from assistant.engine import thread as thread_module
from assistant.engine.engine import Engine
from assistant.engine.serving.hub import Hub
from assistant.engine.thread import EngineThread
from assistant.host.texts import load_texts
from tests.e2e.conversation.running_engine import SLOW, settings_for
from tests.fakes.model_server.server import serve_in_thread

TEXTS = load_texts("ko")
LIMIT_S = 30.0


class Deliveries:
    """What one client gets, on the loop of the test."""

    def __init__(self) -> None:
        self.events: list[up.Update] = []
        self._loop, self._news = asyncio.get_running_loop(), asyncio.Event()

    def take(self, delivery: Delivery) -> None:
        self._loop.call_soon_threadsafe(self._keep, delivery)

    def _keep(self, delivery: Delivery) -> None:
        self.events.append(delivery.event)
        self._news.set()

    async def until(self, kind: type[up.Update]) -> None:
        async with asyncio.timeout(LIMIT_S):
            while not any(isinstance(event, kind) for event in self.events):
                self._news.clear()
                await self._news.wait()

    @property
    def notices(self) -> list[tuple[str, str]]:
        posted = [event for event in self.events if isinstance(event, up.NoticePosted)]
        return [(event.severity, TEXTS(event.key, **event.values)) for event in posted]


@asynccontextmanager
async def engine_in(home: Path, settings: Settings) -> AsyncIterator[tuple[Engine, Connection, Deliveries]]:
    hub, deliveries = Hub(TEXTS), Deliveries()
    engine = Engine(home, LiveSettings(settings), TEXTS, hub, hears=False)
    connection = hub.connect(deliveries.take, name="test")
    running = asyncio.create_task(engine.run())
    try:
        yield engine, connection, deliveries
    finally:
        engine.end()
        await running


async def test_a_closed_engine_leaves_no_task_although_an_answer_ran(tmp_path: Path) -> None:
    before = asyncio.all_tasks()
    with serve_in_thread([SLOW]) as server:
        async with engine_in(tmp_path, settings_for(server.base_url)) as (_, connection, deliveries):
            opened = await connection.result(FollowConversation())
            turn = TurnId("01890000-0000-7000-8000-000000000001")
            await connection.result(BeginTurn(turn=turn, conversation=opened.conversation, text="길게 말해 줘"))
            await deliveries.until(up.PacketEmitted)
    assert asyncio.all_tasks() == before


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (EngineError("voice", "broken", message_key="voice_load_hung"), "error.voice_load_hung"),
        (ZeroDivisionError("in our own code"), "error.internal"),
    ],
)
async def test_a_part_that_fails_is_shown_once_and_the_engine_goes_on(
    tmp_path: Path, error: Exception, told: str, caplog: pytest.LogCaptureFixture
) -> None:
    async def fail() -> None:
        raise error

    async with engine_in(tmp_path, Settings(language="ko")) as (engine, connection, deliveries):
        await connection.result(FollowConversation())
        engine._jobs.start(fail(), name="part that fails")
        await deliveries.until(up.NoticePosted)
        await connection.result(FollowConversation())
    assert [notice for notice in deliveries.notices if notice[0] == up.Severity.ERROR] == [
        (up.Severity.ERROR, TEXTS(told))
    ]
    assert caplog.text.count("the task part that fails failed") == 1


def test_an_engine_has_ended_although_a_library_still_works(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    begun, goes_on = threading.Event(), threading.Event()

    def measure(*_: object) -> None:
        begun.set()
        goes_on.wait(LIMIT_S)

    monkeypatch.setattr(engine_module, "tidy", measure)
    monkeypatch.setattr(thread_module, "_THREADS_S", 0.0)
    stopped = threading.Event()
    thread = EngineThread(tmp_path, Settings(language="ko"), TEXTS, hears=False)
    thread.connect(lambda each: stopped.set() if isinstance(each.event, up.EngineStopped) else None, name="test")
    thread.start()
    assert begun.wait(LIMIT_S)
    assert thread.stop(LIMIT_S)
    assert stopped.wait(LIMIT_S)
    goes_on.set()
    thread._thread.join(LIMIT_S)
    assert not thread._thread.is_alive()
