"""A model's thread, and what happens when one of its calls never returns."""

import asyncio
import threading
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field

import pytest

from assistant.core.errors import EngineError
from assistant.voice.threads.model_thread import MOST_HUNG, EngineHungError, ModelThread
from assistant.voice.work import Work

LIMIT_S = 30.0


@dataclass(eq=False)
class Due:
    """A call that a test makes instead of a clock."""

    seconds: float
    call: Callable[[], None]
    cancelled: bool = False

    def cancel(self) -> None:
        self.cancelled = True


@dataclass
class Alarms:
    """The alarms of a thread. A test rings the newest one."""

    every: list[Due] = field(default_factory=list)

    def set(self, seconds: float, call: Callable[[], None]) -> Due:
        self.every.append(Due(seconds, call))
        return self.every[-1]

    def ring(self) -> None:
        """Let the running call be overdue."""
        due = self.every[-1]
        assert not due.cancelled
        due.call()


class Engine:
    """An engine whose first call hangs until it is released."""

    def __init__(self, name: str, *, hangs: bool) -> None:
        self.name = name
        self.hangs = hangs
        self.entered = threading.Event()
        self.release = threading.Event()

    def work(self) -> str:
        if self.hangs:
            self.entered.set()
            assert self.release.wait(LIMIT_S)
        return self.name


@dataclass
class Desk:
    """A thread, its alarms, and engines that replace each other."""

    thread: ModelThread
    alarms: Alarms
    work: Work
    engines: list[Engine]
    told: list[EngineHungError] = field(default_factory=list)

    def renew_with(self, renewal: Callable[[], None]) -> None:
        self.thread.renew_with(renewal, self.told.append)

    def call(self) -> "asyncio.Task[str]":
        """Call the engine that is current when the call starts."""
        return asyncio.create_task(self.thread.run(lambda: self.engines[-1].work()))

    async def hang(self) -> "asyncio.Task[str]":
        """Call the current engine, which hangs, and wait until the call is overdue."""
        await self.thread.run(lambda: None)  # after a renewal that is due
        engine = self.engines[-1]
        call = self.call()
        assert await asyncio.to_thread(engine.entered.wait, LIMIT_S)
        self.alarms.ring()
        return call


@pytest.fixture
async def desk() -> AsyncIterator[Desk]:
    """A model whose every engine hangs but those that a test makes otherwise."""
    work, alarms = Work(), Alarms()
    it = Desk(ModelThread("model", work, limit_s=12, set_alarm=alarms.set), alarms, work, [Engine("1", hangs=True)])
    it.renew_with(lambda: it.engines.append(Engine(str(len(it.engines) + 1), hangs=False)))
    yield it
    for engine in it.engines:
        engine.release.set()
    it.thread.close()


async def test_a_model_runs_on_one_thread_of_its_own_and_counts_as_work() -> None:
    work = Work()
    thread = ModelThread("model", work)
    seen: list[tuple[str, bool]] = []

    def call() -> int:
        seen.append((threading.current_thread().name, work.idle))
        return 7

    assert await thread.run(call) == 7
    assert await thread.run(call) == 7
    thread.close()
    assert seen == [("model_0", False)] * 2
    assert work.idle


async def test_whatever_a_model_raises_is_an_error_of_the_engine() -> None:
    work = Work()
    thread = ModelThread("model", work)
    broken = EngineError("inner", "broken")

    def fail(error: Exception) -> None:
        raise error

    with pytest.raises(EngineError) as own:
        await thread.run(lambda: fail(broken))
    with pytest.raises(EngineError, match="ValueError: odd"):
        await thread.run(lambda: fail(ValueError("odd")))
    with pytest.raises(EngineError, match="TimeoutError"):
        await thread.run(lambda: fail(TimeoutError("its own")))
    thread.close()
    assert own.value is broken
    assert work.idle


async def test_a_call_that_hangs_is_an_error_and_later_calls_use_another_engine_on_another_thread(desk: Desk) -> None:
    hanging = await desk.hang()
    with pytest.raises(EngineHungError, match="no result for 12 s"):
        await hanging
    assert await desk.call() == "2"
    assert [(error.engine, error.given_up) for error in desk.told] == [("model", False)]
    assert desk.alarms.every[0].seconds == 12
    assert [due.cancelled for due in desk.alarms.every] == [True, False, True, True]
    assert desk.work.idle


async def test_calls_that_wait_behind_one_that_hangs_are_made_on_the_new_thread(desk: Desk) -> None:
    first = desk.call()
    assert await asyncio.to_thread(desk.engines[0].entered.wait, LIMIT_S)
    waiting = desk.call()
    await asyncio.sleep(0)
    desk.alarms.ring()
    assert await waiting == "2"
    with pytest.raises(EngineHungError):
        await first


async def test_a_thread_that_hangs_for_a_caller_who_left_is_replaced_as_well(desk: Desk) -> None:
    first = desk.call()
    assert await asyncio.to_thread(desk.engines[0].entered.wait, LIMIT_S)
    first.cancel()
    waiting = desk.call()
    await asyncio.sleep(0)
    desk.alarms.ring()
    assert await waiting == "2"
    assert len(desk.told) == 1


async def test_the_process_does_not_wait_for_the_threads(desk: Desk) -> None:
    await desk.hang()
    assert await desk.call() == "2"
    own = [thread for thread in threading.enumerate() if thread.name.startswith("model_")]
    assert len(own) == 2
    assert all(thread.daemon for thread in own)


async def test_a_model_whose_calls_keep_hanging_is_given_up(desk: Desk) -> None:
    desk.renew_with(lambda: desk.engines.append(Engine(str(len(desk.engines) + 1), hangs=True)))
    for _ in range(MOST_HUNG):
        with pytest.raises(EngineHungError):
            await (await desk.hang())
    assert [error.given_up for error in desk.told] == [False] * (MOST_HUNG - 1) + [True]
    alarms = len(desk.alarms.every)
    with pytest.raises(EngineHungError) as refused:
        await desk.call()
    assert refused.value.given_up
    assert len(desk.alarms.every) == alarms
    assert len(desk.told) == MOST_HUNG


async def test_a_call_that_returns_late_makes_room_for_a_model_that_was_given_up(desk: Desk) -> None:
    renewed = asyncio.Event()
    loop = asyncio.get_running_loop()

    def renew() -> None:
        desk.engines.append(Engine(str(len(desk.engines) + 1), hangs=len(desk.engines) < MOST_HUNG))
        loop.call_soon_threadsafe(renewed.set)

    desk.renew_with(renew)
    for _ in range(MOST_HUNG):
        with pytest.raises(EngineHungError):
            await (await desk.hang())
    renewed.clear()
    desk.engines[0].release.set()
    await renewed.wait()
    assert await desk.call() == str(MOST_HUNG + 1)


async def test_an_engine_that_cannot_be_replaced_is_used_again(desk: Desk) -> None:
    def fail() -> None:
        raise EngineError("model", "no memory")

    desk.renew_with(fail)
    with pytest.raises(EngineHungError):
        await (await desk.hang())
    desk.engines[0].hangs = False
    assert await desk.call() == "1"


async def test_a_closed_thread_refuses_calls_and_drops_those_that_wait(desk: Desk) -> None:
    desk.call()
    assert await asyncio.to_thread(desk.engines[0].entered.wait, LIMIT_S)
    waiting = desk.call()
    await asyncio.sleep(0)
    desk.thread.close()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    with pytest.raises(EngineError, match="closed"):
        await desk.call()
