"""Audio time stops while work is in progress."""

import asyncio

from assistant.voice.work import Work


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
