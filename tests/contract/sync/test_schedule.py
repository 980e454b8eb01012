"""Scheduled requests of two whole engines on one PostgreSQL: one of them carries them out, then the other one."""

import asyncio
import os
import sqlite3
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Callable
from contextlib import closing, suppress
from datetime import datetime, timedelta
from pathlib import Path

import psycopg
import pytest

from assistant.core import updates as up
from assistant.core.service.requests.conversations import ListConversations
from assistant.core.service.requests.sync import account as sq
from assistant.core.service.requests.timers import (
    AddScheduledRequest,
    CancelTimer,
    ListSchedule,
    PauseScheduledRequest,
    RunScheduledRequest,
    ScheduledItem,
)
from assistant.host.clock import SystemClock
from assistant.host.texts import load_texts
from tests.contract.sync.test_two_engines import Computer, computer
from tests.fakes.model_server.server import ModelServer, Reply
from tests.fakes.model_server.sori_settings import scripted_settings

ROOT = Path(__file__).parents[3]
LIMIT_S = 60.0
LOOK_S = 0.2
EVERY_MORNING = AddScheduledRequest(words="할 일 읽어 줘", when="매일 아침 8시")

pytestmark = [pytest.mark.long, pytest.mark.timeout(300)]


@pytest.fixture
async def server() -> AsyncIterator[ModelServer]:
    async with ModelServer(lambda _: Reply(text="장보기가 있어요.")) as running:
        yield running


@pytest.fixture
def homes(tmp_path: Path, server: ModelServer) -> tuple[Path, Path]:
    made = tmp_path / "laptop", tmp_path / "desktop"
    for each in made:
        each.mkdir()
        (each / "config.toml").write_text(scripted_settings(server.base_url), encoding="utf-8")
    return made


def let_be_due(home: Path, late: timedelta = timedelta()) -> None:
    """Let the only request be due now, as if its time had come."""
    due_at = (SystemClock().now() - late).isoformat()
    with closing(sqlite3.connect(home / "sori.db", timeout=LIMIT_S)) as database, database:
        database.execute("UPDATE timers SET due_at = ?", (due_at,))


async def news(on: Computer) -> None:
    """Return when it tells something, or after a moment: of what other devices do it tells nothing."""
    on._news.clear()
    with suppress(TimeoutError):
        await asyncio.wait_for(on._news.wait(), LOOK_S)


async def until(reached: Callable[[tuple[ScheduledItem, ...]], bool], on: Computer) -> tuple[ScheduledItem, ...]:
    async with asyncio.timeout(LIMIT_S):
        while not reached(items := await on.connection.result(ListSchedule())):
            await news(on)
    return items


async def until_led_by(name: str, on: Computer) -> None:
    async with asyncio.timeout(LIMIT_S):
        while await leader(on) != name:
            await news(on)


async def told(on: Computer, how: str) -> None:
    """Wait until it was told how a run has ended."""
    async with asyncio.timeout(LIMIT_S):
        while not notices(on, how):
            await news(on)


def notices(on: Computer, how: str = "") -> list[str]:
    head = f"{up.SCHEDULED_NOTICE}{how}"
    return [each.key for each in on._events if isinstance(each, up.NoticePosted) and each.key.startswith(head)]


async def leader(on: Computer) -> str:
    devices = (await on.connection.result(sq.ReadSync())).devices
    return next((each.name for each in devices if "schedule" in each.leads), "")


async def test_what_is_scheduled_on_one_device_is_carried_out_by_the_leading_one_and_by_the_next_one_after_it(
    homes: tuple[Path, Path], address: str, server: ModelServer
) -> None:
    at_home, at_work = homes
    async with computer(at_work) as desktop:
        async with computer(at_home) as laptop:
            await laptop.join(address, "laptop")
            await until_led_by("laptop", laptop)
            await desktop.join(address, "desktop")
            made = await desktop.connection.result(EVERY_MORNING)
            (there,) = await until(bool, laptop)
            assert (there.id, there.title, there.repeats, there.here) == (made.id, made.title, made.repeats, True)
            assert (await leader(desktop), made.here) == ("laptop", False)
            let_be_due(at_work)
            await told(laptop, "done")
            (done,) = await until(lambda items: items[0].outcome == "done", desktop)
            assert datetime.fromisoformat(done.due_at) > datetime.now().astimezone()
            known = await desktop.connection.result(ListConversations())
            assert done.conversation in {each.id for each in known}
            assert (notices(desktop), len(server.chats)) == ([], 1)
        await until_led_by("desktop", desktop)
        let_be_due(at_work)
        await told(desktop, "done")
        (done,) = await desktop.connection.result(ListSchedule())
        async with computer(at_home) as laptop:
            (there,) = await until(lambda items: items[0].ran_at == done.ran_at, laptop)
            assert (there.conversation, there.here, notices(laptop)) == (done.conversation, False, [])
            await laptop.connection.result(PauseScheduledRequest(timer=made.id))
            await until(lambda items: items[0].paused, desktop)
            await laptop.connection.result(CancelTimer(timer=made.id))
            await until(lambda items: not items, desktop)
    assert len(server.chats) == 2


async def test_without_the_server_nothing_is_carried_out_by_itself_and_what_was_missed_is_told_once(
    homes: tuple[Path, Path], address: str, server: ModelServer, postgres: str
) -> None:
    at_home, at_work = homes
    async with computer(at_home) as laptop, computer(at_work) as desktop:
        await laptop.join(address, "laptop")
        await until_led_by("laptop", laptop)
        await desktop.join(address, "desktop")
        made = await laptop.connection.result(EVERY_MORNING)
        await until(bool, desktop)
        for each in (laptop, desktop):
            await each.connection.result(sq.PauseSync(paused=True))
            await until(lambda items: not items[0].here, each)
        for home in homes:
            let_be_due(home, timedelta(minutes=20))
        # What the user wants now is carried out all the same, on the device on which it is wanted.
        assert await desktop.connection.result(RunScheduledRequest(timer=made.id))
        await told(desktop, "done")
        assert (notices(laptop), len(server.chats)) == ([], 1)
        let_be_due(at_work, timedelta(minutes=20))
        await laptop.connection.result(sq.PauseSync(paused=False))
        await told(laptop, "missed")
        await desktop.connection.result(sq.PauseSync(paused=False))
        await until(lambda items: datetime.fromisoformat(items[0].due_at) > datetime.now().astimezone(), desktop)
        assert (notices(laptop, "missed"), notices(desktop, "missed")) == ([notices(laptop)[0]], [])
        assert len(server.chats) == 1
        await desktop.connection.result(sq.LeaveSync())
        await until(lambda items: items[0].here, desktop)
        let_be_due(at_work)
        await until(lambda items: items[0].outcome == "done", desktop)
        assert len(server.chats) == 2


@pytest.mark.skipif(sys.platform == "win32", reason="signals are POSIX's")
async def test_the_device_that_is_left_carries_on_when_the_leading_one_is_killed(
    homes: tuple[Path, Path], address: str, server: ModelServer
) -> None:
    at_home, at_work = homes
    async with computer(at_home) as laptop:
        await laptop.join(address, "laptop")
        made = await laptop.connection.result(EVERY_MORNING)
    killed = await asyncio.to_thread(leading_process, at_home, address)
    try:
        async with computer(at_work) as desktop:
            await desktop.join(address, "desktop")
            await until(bool, desktop)
            await until_led_by("laptop", desktop)
            let_be_due(at_work)
            await until(lambda items: items[0].outcome == "done", desktop)
            assert (notices(desktop), len(server.chats)) == ([], 1)
            killed.kill()
            let_be_due(at_work)
            with psycopg.connect(address, autocommit=True) as owner:  # A minute passes.
                owner.execute("UPDATE sori_sync.leases SET until = clock_timestamp() WHERE work = 'schedule'")
            await told(desktop, "done")
            (done,) = await desktop.connection.result(ListSchedule())
            assert (done.id, done.outcome, len(server.chats)) == (made.id, "done", 2)
    finally:
        killed.kill()
        await asyncio.to_thread(killed.communicate)


def leading_process(home: Path, address: str) -> "subprocess.Popen[str]":
    """Another process with an engine, which leads by now."""
    process = subprocess.Popen(
        [sys.executable, "-m", "assistant.app.command_line", "serve", "--no-voice"],
        cwd=ROOT,
        env={**os.environ, "SORI_HOME": str(home)},
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline().strip() == load_texts("ko")("serve.ready")
    led = "SELECT 1 FROM sori_sync.leases WHERE work = 'schedule' AND until > clock_timestamp()"
    with psycopg.connect(address, autocommit=True) as owner:
        while owner.execute(led).fetchone() is None:
            time.sleep(LOOK_S)
    return process
