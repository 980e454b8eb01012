"""Audio time stands still while something is being worked on."""

import asyncio
import threading

from assistant.voice.work import ModelThread, Work


async def test_idle_work_does_not_wait() -> None:
    await asyncio.wait_for(Work().wait_until_idle(), 1)


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
