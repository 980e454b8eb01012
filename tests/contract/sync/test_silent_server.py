"""A server that stays connected and answers nothing stops neither the user nor the syncing for good."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from assistant.core import updates as up
from assistant.core.errors import StorageError
from assistant.core.messages import Message, Role
from assistant.core.records.egress import DataClass
from assistant.core.records.sync import SyncStanding
from assistant.core.service.requests.sync import account as rq
from assistant.engine.domains.sync import account_sync, devices
from assistant.storage.postgres import server as servers
from assistant.sync import syncing
from assistant.sync.postgres.postgres_store import connected
from tests.contract.sync.computer import Computer
from tests.fakes.ledger import MemoryLedger
from tests.fakes.sync.silent_line import SilentLine

LIMIT_S = 20
"""Far less than the product's longest silence, so that a test which waits for that fails."""


@pytest.fixture
async def line(address: str, tmp_path: Path) -> AsyncIterator[SilentLine]:
    async with SilentLine(tmp_path, address) as line:
        yield line


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(servers, "_CONNECT_S", 2)
    monkeypatch.setattr(servers, "CLOSING_S", 0.3)
    for each in (devices, account_sync):
        monkeypatch.setattr(each, "SILENCE_S", 0.3)
    monkeypatch.setattr(syncing, "_SILENT_S", 0.2)
    monkeypatch.setattr(syncing, "_LOOK_S", 0.1)


async def test_a_statement_ends_when_the_server_stays_silent_and_the_next_one_connects_anew(
    line: SilentLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(servers, "ANSWER_S", 2.0)
    server = connected(line.address, "", MemoryLedger())

    async def ask() -> object:
        async with asyncio.timeout(LIMIT_S):
            return await server.run(lambda used: used.execute("SELECT 1").fetchone(), data=DataClass.NONE)

    assert await ask() == (1,)
    line.be_silent()
    with pytest.raises(StorageError, match="has not answered for") as raised:
        await ask()
    assert raised.value.message_key == "error.postgres_server"
    line.be_silent(False)
    assert await ask() == (1,)
    await server.close()


async def test_an_answer_that_comes_late_but_within_the_limit_counts(
    line: SilentLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(servers, "ANSWER_S", 5.0)
    server = connected(line.address, "", MemoryLedger())
    slow = "SELECT pg_sleep(2.6) FROM generate_series(1, 1)"
    for _ in range(2):
        await server.run(lambda used: used.execute(slow).fetchone(), data=DataClass.NONE)
    await server.close()


@pytest.mark.usefixtures("impatient")
async def test_the_status_pausing_and_leaving_do_not_wait_for_a_silent_server(
    line: SilentLine, computers: tuple[Computer, Computer]
) -> None:
    one, _ = computers
    await one.set_up(line.address)
    await one.alike()
    line.be_silent()
    conversation = await one.conversations.create()
    await one.conversations.add(conversation, Message(role=Role.USER, text="hello"))
    async with asyncio.timeout(LIMIT_S):
        assert (await one.view()).devices == ()
        await one.domain._pause(rq.PauseSync(paused=True))
        assert (await one.view()).state.standing is SyncStanding.PAUSED
        assert await one.domain._leave(rq.LeaveSync())
    assert [each.text for each in await one.conversations.messages(conversation)] == ["hello"]


@pytest.mark.usefixtures("impatient")
async def test_a_silent_server_is_told_with_the_time_and_no_longer_once_it_speaks_again(
    line: SilentLine, computers: tuple[Computer, Computer]
) -> None:
    one, _ = computers
    await one.set_up(line.address)
    await one.alike()
    line.be_silent()
    async with asyncio.timeout(LIMIT_S):
        view = await one.view()
        assert view.state.standing is SyncStanding.SILENT
        assert f"{view.state.since[:19].replace('T', ' ')}부터 답이 없어요" in view.words
        line.be_silent(False)
        assert [each.name for each in (await one.alike()).devices] == ["laptop"]


@pytest.mark.usefixtures("impatient")
async def test_a_server_that_falls_silent_while_nobody_looks_is_told(
    line: SilentLine, computers: tuple[Computer, Computer]
) -> None:
    one, _ = computers
    await one.set_up(line.address)
    await one.alike()
    line.be_silent()
    conversation = await one.conversations.create()
    await one.conversations.add(conversation, Message(role=Role.USER, text="hello"))
    async with asyncio.timeout(LIMIT_S):
        while one.account.state.standing is not SyncStanding.SILENT:
            one._told.clear()
            await one._told.wait()
    assert isinstance(one.events[-1], up.SyncChanged)


@pytest.mark.usefixtures("impatient")
async def test_what_was_written_while_the_server_was_silent_arrives_once_it_speaks_again(
    line: SilentLine, address: str, computers: tuple[Computer, Computer], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(servers, "ANSWER_S", 0.5)
    one, two = computers
    await one.set_up(line.address)
    await two.set_up(address)
    await one.alike()
    line.be_silent()
    conversation = await one.conversations.create()
    await one.conversations.add(conversation, Message(role=Role.USER, text="hello"))
    async with asyncio.timeout(LIMIT_S):
        await one.until(lambda view: view.state.standing is SyncStanding.OFFLINE)
    line.be_silent(False)
    async with asyncio.timeout(LIMIT_S):
        await two.came("messages")
    assert [each.text for each in await two.conversations.messages(conversation)] == ["hello"]
