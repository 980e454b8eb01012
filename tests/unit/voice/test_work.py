"""Audio time stops while work is in progress."""

import asyncio
import threading

import pytest

from assistant.core.errors import EngineError
from assistant.voice.work import ModelThread, Work


async def test_idle_work_does_not_wait() -> None:
    await Work().wait_until_idle()


async def test_waiting_ends_when_the_last_piece_does() -> None:
    work = Work()
    done = []

    async def wait() -> None:
        await work.wait_until_idle()
        done.append("waited")

    with work.piece():
        waiter = asyncio.create_task(wait())
        with work.piece():
            await asyncio.sleep(0)
        await asyncio.sleep(0)
        assert not work.idle
        done.append("worked")
    await waiter
    assert done == ["worked", "waited"]


async def test_work_that_follows_from_work_is_waited_for_too() -> None:
    work = Work()
    order: list[str] = []

    async def second() -> None:
        with work.piece():
            await asyncio.sleep(0)
            order.append("second")

    async def first() -> None:
        with work.piece():
            await asyncio.sleep(0)
        follow_up.append(asyncio.create_task(second()))

    follow_up: list[asyncio.Task[None]] = []
    task = asyncio.create_task(first())
    await asyncio.sleep(0)
    await work.wait_until_idle()
    order.append("idle")
    await asyncio.gather(task, *follow_up)
    assert order == ["second", "idle"]


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


async def test_a_model_that_is_stuck_is_given_up() -> None:
    work = Work()
    thread = ModelThread("model", work, limit_s=0.01)
    release = threading.Event()
    with pytest.raises(EngineError, match=r"no result for 0\.01 s"):
        await thread.run(release.wait)
    release.set()
    thread.close()
    assert work.idle
