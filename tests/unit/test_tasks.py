"""Tasks have an owner: a failure is told once, and the end is awaited."""

import asyncio
import logging
from collections.abc import Callable, Coroutine

import pytest

from assistant.tasks import IdleTimer, TaskSupervisor, first_of, show_failures, wait_whole


async def _fail(words: str = "no disk") -> None:
    raise ValueError(words)


async def _end_slowly(ended: list[str]) -> None:
    try:
        await asyncio.Event().wait()
    finally:
        await asyncio.sleep(0)
        ended.append("ended")


async def _answer(words: str) -> str:
    return words


def _shown() -> list[BaseException]:
    shown: list[BaseException] = []
    show_failures(shown.append)
    return shown


async def test_a_failure_is_logged_with_its_name_and_shown_once(caplog: pytest.LogCaptureFixture) -> None:
    shown, tasks = _shown(), TaskSupervisor()
    tasks.start(_fail(), name="list conversations")
    await tasks.settle()
    await tasks.close()
    assert [str(error) for error in shown] == ["no disk"]
    (record,) = [each for each in caplog.records if each.levelno == logging.ERROR]
    assert "list conversations" in record.getMessage()


async def test_a_failure_that_the_caller_handles_is_not_shown(caplog: pytest.LogCaptureFixture) -> None:
    shown, tasks = _shown(), TaskSupervisor()
    task = tasks.start(_fail(), name="fetch", handled=True)
    with pytest.raises(ValueError, match="no disk"):
        await task
    await tasks.settle()
    assert not shown
    assert not caplog.records


@pytest.mark.parametrize("cancels", ["supervisor", "task", "close"])
async def test_a_cancelled_task_is_no_failure(cancels: str) -> None:
    shown, tasks, ended = _shown(), TaskSupervisor(), list[str]()
    task = tasks.start(_end_slowly(ended), name="slow")
    await asyncio.sleep(0)
    assert not tasks.idle
    if cancels == "task":
        task.cancel()
    elif cancels == "supervisor":
        tasks.cancel()
    await (tasks.close() if cancels == "close" else tasks.settle())
    assert (ended, tasks.idle, shown) == (["ended"], True, [])


async def test_closing_waits_for_the_end_of_tasks_that_begin_meanwhile() -> None:
    tasks, ended = TaskSupervisor(), list[str]()

    async def begin_another() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            tasks.start(_end_slowly(ended), name="another")
            await asyncio.sleep(0)  # the other one has begun

    tasks.start(begin_another(), name="first")
    await asyncio.sleep(0)
    await tasks.close()
    assert ended == ["ended"]
    assert asyncio.all_tasks() == {asyncio.current_task()}


async def test_a_task_may_close_its_own_supervisor() -> None:
    tasks, ended = TaskSupervisor(), list[str]()
    tasks.start(_end_slowly(ended), name="other")
    await tasks.start(tasks.close(), name="closes")
    assert ended == ["ended"]


async def test_a_block_leaves_no_task() -> None:
    ended = list[str]()

    async def fail_beside_another() -> None:
        async with TaskSupervisor() as tasks:
            tasks.start(_end_slowly(ended), name="beside")
            await asyncio.sleep(0)
            await _fail()

    with pytest.raises(ValueError, match="no disk"):
        await fail_beside_another()
    assert ended == ["ended"]


@pytest.mark.parametrize("does", [_answer, _fail])
async def test_of_several_the_first_that_ends_counts(does: Callable[[str], Coroutine[None, None, str | None]]) -> None:
    shown, ended = _shown(), list[str]()
    try:
        outcome = await first_of(_end_slowly(ended), does("first"))
    except ValueError as error:
        outcome = str(error)
    assert (outcome, ended, shown) == ("first", ["ended"], [])


async def test_whoever_waits_for_the_first_may_be_cancelled() -> None:
    ended = list[str]()
    async with TaskSupervisor() as tasks:
        tasks.start(_waits_for_two(ended), name="waits")
        for _ in range(3):
            await asyncio.sleep(0)
    assert ended == ["ended", "ended"]


async def _waits_for_two(ended: list[str]) -> None:
    await first_of(_end_slowly(ended), _end_slowly(ended))


async def test_a_waiter_that_is_cancelled_again_still_waits_for_the_end() -> None:
    release = asyncio.Event()

    async def work() -> None:
        await release.wait()

    running = asyncio.ensure_future(work())
    waiter = asyncio.create_task(wait_whole(running))
    for _ in range(3):
        await asyncio.sleep(0)
        waiter.cancel()
    await asyncio.sleep(0)
    assert not waiter.done()
    release.set()
    with pytest.raises(asyncio.CancelledError):
        await waiter
    assert running.done()


async def test_the_error_of_the_work_is_not_raised() -> None:
    async def fail() -> None:
        raise ValueError

    failing = asyncio.ensure_future(fail())
    await wait_whole(failing)
    assert isinstance(failing.exception(), ValueError)


async def test_what_is_idle_is_let_go_after_the_last_of_several_uses() -> None:
    left = list[str]()
    timer = IdleTimer(0.0, lambda: left.append("left"))
    with timer.in_use():
        with timer.in_use():
            pass
        await asyncio.sleep(0.01)
        assert left == [], "it is still in use"
    await asyncio.sleep(0.01)
    assert left == ["left"]


async def test_an_idle_timer_that_was_stopped_lets_go_of_nothing() -> None:
    left = list[str]()
    timer = IdleTimer(0.0, lambda: left.append("left"))
    with timer.in_use():
        pass
    timer.stop()
    await asyncio.sleep(0.01)
    assert left == []
