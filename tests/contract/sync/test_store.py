"""The store of synced records on a real PostgreSQL server: order, rights of devices, leases."""

import asyncio
import random
import re
import secrets
import sys
import threading
from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import psycopg
import pytest

from assistant.core.errors import StorageError
from assistant.core.messages import Message, Role
from assistant.core.records.egress import DataClass
from assistant.engine.checks.server_advice import advice
from assistant.host.clock import SystemClock
from assistant.host.texts import load_texts
from assistant.storage.postgres import server as servers
from assistant.storage.postgres.server import Connection, PostgresServer
from assistant.sync.leading import Leading
from assistant.sync.postgres import postgres_store
from assistant.sync.postgres.functions import functions_of
from assistant.sync.postgres.least_role import works
from assistant.sync.postgres.postgres_store import (
    Membership,
    PostgresStore,
    accounts_on,
    connected,
    found_account,
    join_account,
    make_tables,
)
from assistant.sync.postgres.schema import LATEST, SCHEMA, channel_of
from assistant.sync.sealing import UnopenedError
from assistant.sync.store import Change, Lease, RevokedError, StaleLeaseError
from assistant.tasks import TaskSupervisor
from tests.contract.postgres import role_of
from tests.fakes.ledger import MemoryLedger
from tests.fakes.sync.account import Home

WORDS = "네 단어로 된 문구"
ROLE_PASSWORD = secrets.token_hex(8)


def change(identity: int, based_on: int = 0, content: bytes = b"sealed") -> Change:
    return Change(identity=bytes([identity]) * 16, based_on=based_on, content=content)


class Traced(PostgresServer):
    """A connection whose messages are in a file once it has ended, as they came from the server and went to it."""

    def __init__(self, address: str, trace: Path) -> None:
        super().__init__(address, ROLE_PASSWORD, MemoryLedger(), purpose="sync", schema=SCHEMA)
        self._trace = trace.open("wb")

    def _connected(self) -> Connection:
        connection = super()._connected()
        connection.pgconn.trace(self._trace.fileno())
        return connection

    def _end(self) -> None:
        if self._connection is not None:
            self._connection.pgconn.untrace()
        super()._end()
        self._trace.close()


class Peers:
    """Devices of one account, each with connections of its own."""

    def __init__(self, address: str) -> None:
        self.address, self.ledger = address, MemoryLedger()
        self.stores: list[PostgresStore] = []
        self.first: Membership | None = None

    async def add(self, name: str, listening: PostgresServer | None = None) -> PostgresStore:
        server = connected(self.address, ROLE_PASSWORD, self.ledger)
        if self.first is None:
            member = self.first = await found_account(server, WORDS, name, secrets.token_bytes(16))
        else:
            (account,) = [each for each in await accounts_on(server) if each.identity == self.first.keys.account]
            member = await join_account(server, account, WORDS, name, secrets.token_bytes(16))
        second = connected(self.address, ROLE_PASSWORD, self.ledger) if listening is None else listening
        store = PostgresStore(server, second, member)
        self.stores.append(store)
        return store

    async def close(self) -> None:
        await asyncio.gather(*(each.close() for each in self.stores))


@pytest.fixture(scope="session")  # as long as the server, which has one role of this name
def role(postgres: str) -> str:
    """The address of a user who may do no more than call the functions."""

    async def prepared() -> None:
        owner = connected(postgres, "", MemoryLedger())
        await make_tables(owner)
        await make_tables(owner)
        await owner.close()

    asyncio.run(prepared())
    with psycopg.connect(postgres, autocommit=True) as owner:
        owner.execute(f"CREATE ROLE phone LOGIN PASSWORD '{ROLE_PASSWORD}'")
    return role_of(postgres, "phone")


@pytest.fixture
async def peers(role: str) -> AsyncIterator[Peers]:
    made = Peers(role)
    yield made
    await made.close()


async def test_a_change_reaches_the_other_device_in_order(peers: Peers) -> None:
    one, two = await peers.add("laptop"), await peers.add("desktop")
    assert await one.push([change(1), change(2)]) == [1, 2]
    assert await two.push([change(3)]) == [3]
    assert [(each.identity[0], each.number, each.content) for each in await two.pull(0, 10)] == [
        (1, 1, b"sealed"),
        (2, 2, b"sealed"),
        (3, 3, b"sealed"),
    ]
    assert [each.number for each in await one.pull(1, 1)] == [2]


async def test_a_device_does_not_write_over_what_it_has_not_seen(peers: Peers) -> None:
    one, two = await peers.add("laptop"), await peers.add("desktop")
    await one.push([change(1, 0, b"first")])
    assert await two.push([change(1, 0, b"blind"), change(2)]) == [None, 2]
    assert await two.push([change(1, 1, b"seen")]) == [3]
    assert [(each.number, each.content) for each in await one.pull(0, 10)] == [(2, b"sealed"), (3, b"seen")]


async def test_numbers_that_are_seen_are_never_followed_by_smaller_ones(peers: Peers) -> None:
    stores = [await peers.add(f"device {number}") for number in range(4)]
    seen: list[list[int]] = [[] for _ in stores]

    async def push(at: int) -> None:
        for number in range(10):
            await stores[at].push([change(16 * at + number)])
            seen[at] += [each.number for each in await stores[at].pull(max(seen[at], default=0), 100)]

    await asyncio.gather(*(push(at) for at in range(4)))
    whole = [each.number for each in await stores[0].pull(0, 1000)]
    assert whole == list(range(1, 41))
    for numbers in seen:
        assert numbers == whole[: len(numbers)]


async def test_a_waiting_device_is_told(peers: Peers) -> None:
    one, two = await peers.add("laptop"), await peers.add("desktop")
    waiting = asyncio.create_task(two.wait(0, 60))
    await one.push([change(1)])
    await waiting
    await two.wait(0, 60)  # What has come before is not waited for.


def until_asked(postgres: str, function: str) -> None:
    """Wait until a connection has called a function last."""
    with psycopg.connect(postgres, autocommit=True) as owner:
        asked = "SELECT 1 FROM pg_stat_activity WHERE state = 'idle' AND query LIKE %s"
        while owner.execute(asked, (f'%"sori_sync"."{function}"%',)).fetchone() is None:
            pass


@pytest.mark.skipif(sys.platform != "linux", reason="libpq traces on Linux only, as psycopg says")
async def test_a_waiting_device_is_woken_by_its_own_account_only(
    peers: Peers, role: str, postgres: str, tmp_path: Path
) -> None:
    strangers = Peers(role)
    one, two = await peers.add("laptop"), await peers.add("desktop", Traced(role, tmp_path / "trace"))
    stranger = await strangers.add("stranger")
    waiting = asyncio.create_task(two.wait(0, 60))
    await asyncio.to_thread(until_asked, postgres, "newest")  # It listens before it asks.
    for number in range(1, 4):
        await stranger.push([change(number)])
    await one.push([change(1)])
    await waiting
    peers.stores.remove(two)
    await two.close()
    told = re.findall(r'NotificationResponse\s+\d+ "(\w+)" "(\w*)"', (tmp_path / "trace").read_text())
    assert told == [(channel_of(one._who[0]), "")]
    await strangers.close()


async def test_a_device_for_which_the_server_has_no_second_connection_asks_and_gives_the_first_one_back(
    peers: Peers, postgres: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(postgres_store, "_ASK_S", 0.3)
    role = f"narrow{secrets.token_hex(4)}"
    with psycopg.connect(postgres, autocommit=True) as owner:
        owner.execute(f"CREATE ROLE {role} LOGIN CONNECTION LIMIT 1")

        def held() -> int:
            found = owner.execute("SELECT count(*) FROM pg_stat_activity WHERE usename = %s", (role,)).fetchone()
            assert found is not None
            return int(found[0])

        one = await peers.add("laptop")
        peers.address = role_of(postgres, role)
        two = await peers.add("phone")
        waiting = asyncio.ensure_future(two.wait(0, 30))
        async with asyncio.timeout(60):
            while held():  # noqa: ASYNC110 - the server tells of nothing
                await asyncio.sleep(0.005)
        assert not waiting.done()
        entries = len(peers.ledger.rows)
        await asyncio.sleep(1.0)
        assert len(peers.ledger.rows) == entries
        await one.push([change(1)])
        await asyncio.wait_for(waiting, 60)
        assert [each.number for each in await two.pull(0, 10)] == [1]
        stopped = asyncio.ensure_future(two.wait(1, 30))
        await asyncio.sleep(0.5)
        two.stop_waiting()
        await asyncio.wait_for(stopped, 60)


async def test_work_that_comes_as_a_connection_is_closed_makes_no_new_one(role: str) -> None:
    server = connected(role, ROLE_PASSWORD, MemoryLedger())
    await server.run(_asked)
    closing = asyncio.ensure_future(server.close())
    await asyncio.sleep(0)
    with pytest.raises(StorageError, match="closed"):
        await server.run(_asked)
    await closing


async def test_a_connection_is_closed_after_the_work_that_runs_though_nobody_waits_for_it(role: str) -> None:
    server, go_on = connected(role, ROLE_PASSWORD, MemoryLedger()), threading.Event()
    await server.run(_asked)
    running = asyncio.ensure_future(server.run(lambda _: go_on.wait(), data=DataClass.NONE))
    await asyncio.sleep(0)
    closing = asyncio.ensure_future(server.close())
    await asyncio.sleep(0)
    closing.cancel()
    with pytest.raises(asyncio.CancelledError):
        await closing
    go_on.set()
    await running
    server._thread.shutdown()
    assert server._connection is not None
    assert server._connection.closed


def _asked(connection: Connection) -> None:
    connection.execute("SELECT 1")


async def test_devices_meet_through_a_pooler_that_drops_options_and_changes_connections(
    address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(servers, "_OPTIONS", "")
    server = connected(address, "", MemoryLedger())
    await make_tables(server)
    assert await works(server)
    for _ in range(10):
        await accounts_on(server)
    prepared = "SELECT count(*) FROM pg_prepared_statements"
    assert await server.run(lambda used: used.execute(prepared).fetchone(), data=DataClass.NONE) == (0,)
    await server.close()


async def test_a_refusal_is_told_without_the_statements_in_which_it_arose(postgres: str) -> None:
    def work(used: Connection) -> None:
        used.execute("SET TRANSACTION READ ONLY")
        used.execute("DO $$ BEGIN CREATE TABLE refused (secret text); END $$")

    server = connected(postgres, "", MemoryLedger())
    with pytest.raises(StorageError, match=r"cannot execute CREATE TABLE in a read-only transaction$") as raised:
        await server.run(work, data=DataClass.NONE)
    assert raised.value.message_key == "error.postgres_read_only"
    await server.close()


async def test_a_full_disk_of_the_server_has_words_of_its_own(postgres: str) -> None:
    def work(used: Connection) -> None:
        used.execute("DO $$ BEGIN RAISE EXCEPTION 'could not extend file' USING ERRCODE = 'disk_full'; END $$")

    server = connected(postgres, "", MemoryLedger())
    with pytest.raises(StorageError, match="could not extend file") as raised:
        await server.run(work, data=DataClass.NONE)
    assert raised.value.message_key == "error.postgres_full"
    await server.close()


async def test_a_server_that_may_only_be_read_is_told_to_the_user(address: str) -> None:
    owner = connected(address, "", MemoryLedger())
    await make_tables(owner)
    assert not (await functions_of(owner)).read_only
    await owner.close()
    with psycopg.connect(address, autocommit=True) as closing:
        closing.execute(f"ALTER DATABASE {closing.info.dbname} SET default_transaction_read_only = on")
    server = connected(address, "", MemoryLedger())
    found = await functions_of(server)
    await server.close()
    assert load_texts("ko")("sync.server_read_only") in advice(found, address, load_texts("ko"))


async def test_a_cancellation_as_it_stops_asking_for_changes_is_not_lost(peers: Peers) -> None:
    store = await peers.add("laptop")
    nowhere = connected("postgresql://127.0.0.1:1/none", "", peers.ledger)
    store._listening, listening = nowhere, store._listening
    waiting = asyncio.ensure_future(store.wait(0, 60))
    await asyncio.sleep(1.0)
    store.stop_waiting()
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    await nowhere.close()
    store._listening = listening


async def test_another_account_is_neither_told_nor_read(peers: Peers, role: str) -> None:
    one, strangers = await peers.add("laptop"), Peers(role)
    stranger = await strangers.add("stranger")
    await one.push([change(1)])
    assert await stranger.pull(0, 10) == []
    assert await stranger.push([change(1, 0, b"mine")]) == [1]
    assert [each.content for each in await one.pull(0, 10)] == [b"sealed"]
    await strangers.close()


async def test_a_device_cannot_touch_the_tables(peers: Peers, role: str) -> None:
    await peers.add("laptop")
    for statement in (
        "SELECT * FROM sori_sync.records",
        "SELECT secret FROM sori_sync.devices",
        "UPDATE sori_sync.accounts SET keys = ''",
        "DELETE FROM sori_sync.leases",
        "CREATE TABLE sori_sync.mine (a int)",
    ):
        with psycopg.connect(role, password=ROLE_PASSWORD) as mine, pytest.raises(psycopg.errors.InsufficientPrivilege):
            mine.execute(statement)


async def test_anybody_may_join_a_server_that_was_set_up(role: str) -> None:
    server = connected(role, ROLE_PASSWORD, MemoryLedger())
    await make_tables(server)
    await server.close()


async def test_who_may_not_make_the_tables_of_a_newer_version_is_told_so(
    role: str,
    address: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    owner_server, server = (
        connected(address, "", MemoryLedger()),
        connected(role_of(address, "phone"), ROLE_PASSWORD, MemoryLedger()),
    )
    with monkeypatch.context() as patch:
        patch.setattr(postgres_store, "LATEST", 1)
        await make_tables(owner_server)
    with pytest.raises(StorageError) as refused:
        await make_tables(server)
    await server.close()
    assert refused.value.message_key == "error.sync_tables"
    assert load_texts("ko")(refused.value.message_key) != load_texts("en")(refused.value.message_key)
    await make_tables(owner_server)  # brings it to the newest version
    await owner_server.close()
    with psycopg.connect(address) as owner:
        assert owner.execute("SELECT number FROM sori_sync.version").fetchone() == (LATEST,)


async def test_an_account_that_asks_for_too_much_memory_is_not_joined_and_not_made(peers: Peers) -> None:
    await peers.add("laptop")
    server = connected(peers.address, ROLE_PASSWORD, peers.ledger)
    account = replace((await accounts_on(server))[0], memory_kib=1 << 26)
    with pytest.raises(UnopenedError):
        await join_account(server, account, WORDS, "desktop", bytes(16))

    def hostile(connection: Connection) -> None:
        connection.execute("SELECT sori_sync.found('a', sha256('s'), 3, 67108864, 'k', 'p')")

    with pytest.raises(StorageError, match="check constraint"):
        await server.run(hostile)
    await server.close()


async def test_a_pull_brings_some_megabytes_at_once(peers: Peers) -> None:
    one, two = await peers.add("laptop"), await peers.add("desktop")
    for number in range(4):
        await one.push([change(number, 0, bytes(1_500_000))])
    await one.push([change(9, 0, bytes(6_000_000))])
    assert [each.number for each in await two.pull(0, 100)] == [1, 2]
    assert [each.number for each in await two.pull(2, 100)] == [3, 4]
    assert [each.number for each in await two.pull(4, 100)] == [5]


async def test_another_passphrase_joins_no_account(peers: Peers) -> None:
    await peers.add("laptop")
    assert peers.first is not None
    server = connected(peers.address, ROLE_PASSWORD, peers.ledger)
    (account,) = [each for each in await accounts_on(server) if each.identity == peers.first.keys.account]
    with pytest.raises(UnopenedError):
        await join_account(server, account, "다른 문구", "thief", bytes(16))
    await server.close()


async def test_a_revoked_device_is_refused_everything_and_loses_its_leases(peers: Peers) -> None:
    one, two = await peers.add("laptop"), await peers.add("lost")
    lease = await two.lease("telegram")
    assert lease is not None
    lost = next(each for each in await one.devices() if not each.revoked and each.identity == two._who[1])
    await one.revoke(lost.identity)
    assert next(each for each in await one.devices() if each.identity == lost.identity).revoked
    for asked in (
        two.pull(0, 1),
        two.push([change(1)]),
        two.beat(b""),
        two.devices(),
        two.lease("telegram"),
        two.once(lease, "update 1"),
        two.revoke(one._who[1]),
        two.wait(0, 0.1),
    ):
        with pytest.raises(RevokedError):
            await asked
    assert await one.lease("telegram") is not None


async def test_a_wrong_secret_is_refused(peers: Peers) -> None:
    one = await peers.add("laptop")
    one._who = (*one._who[:2], b"guessed")
    with pytest.raises(RevokedError):
        await one.pull(0, 1)


async def test_one_device_has_a_lease_and_renews_it(peers: Peers) -> None:
    one, two = await peers.add("laptop"), await peers.add("desktop")
    mine = await one.lease("telegram")
    assert mine is not None
    assert await two.lease("telegram") is None
    assert await one.lease("telegram") == mine
    assert await two.lease("schedule") is not None
    await one.give_back(mine)
    theirs = await two.lease("telegram")
    assert theirs is not None
    assert theirs.token > mine.token


async def test_the_account_tells_who_leads_what(peers: Peers, postgres: str) -> None:
    one, two = await peers.add("laptop"), await peers.add("desktop")
    await one.lease("telegram")
    await two.lease("schedule")
    assert {(each.work, each.device) for each in await one.leases()} == {
        ("telegram", one._who[1]),
        ("schedule", two._who[1]),
    }
    with psycopg.connect(postgres) as owner:
        owner.execute("UPDATE sori_sync.leases SET until = now() - interval '1 second' WHERE work = 'telegram'")
    assert [each.work for each in await one.leases()] == ["schedule"]


async def test_a_device_that_ends_hands_its_work_to_another(peers: Peers) -> None:
    stores = [await peers.add("laptop"), await peers.add("desktop")]
    one, two = (Leading(store, "telegram", SystemClock()) for store in stores)
    led = asyncio.Event()
    one.changed.add(lambda leads: led.set())
    two.changed.add(lambda leads: led.set())
    async with TaskSupervisor() as tasks:
        first = tasks.start(one.run(), name="laptop leads")
        await led.wait()
        led.clear()
        assert await one.once("update 1")
        tasks.start(two.run(), name="desktop leads")
        first.cancel()
        await led.wait()  # The first one has stopped.
        while not two.leads:
            led.clear()
            await led.wait()
        assert not one.leads
        assert not await two.once("update 1")
        assert await two.once("update 2")
        with pytest.raises(StaleLeaseError):
            await one.once("update 3")


async def test_of_devices_that_come_and_go_none_writes_with_a_lease_that_another_has_taken(
    peers: Peers, postgres: str
) -> None:
    stores = [await peers.add(f"device {number}") for number in range(3)]
    chance, accepted = random.Random(1), list[tuple[int, int]]()
    held: list[Lease | None] = [None, None, None]
    for step in range(300):
        at = chance.randrange(3)
        mine = held[at]
        match chance.choice(("lease", "lease", "once", "once", "once", "once", "end", "back")):
            case "lease":
                held[at] = await stores[at].lease("telegram") or mine
            case "once" if mine is not None:
                with suppress(StaleLeaseError):
                    assert await stores[at].once(mine, f"effect {step}")
                    accepted.append((step, mine.token))
            case "back" if mine is not None:
                await stores[at].give_back(mine)
            case "end":
                with psycopg.connect(postgres) as owner:
                    owner.execute("UPDATE sori_sync.leases SET until = now() - interval '1 second'")
    tokens = [token for _, token in accepted]
    assert tokens == sorted(tokens)
    assert len(set(tokens)) > 2


async def test_an_effect_is_noted_once_and_not_by_who_has_lost_the_lease(peers: Peers, postgres: str) -> None:
    one, two = await peers.add("laptop"), await peers.add("desktop")
    mine = await one.lease("telegram")
    assert mine is not None
    assert await one.once(mine, "update 7")
    assert not await one.once(mine, "update 7")
    with psycopg.connect(postgres) as owner:  # as if this device had slept for a minute
        owner.execute("UPDATE sori_sync.leases SET until = now() - interval '1 second'")
    with pytest.raises(StaleLeaseError):
        await one.once(mine, "update 8")
    theirs = await two.lease("telegram")
    assert theirs is not None
    for stale in (mine, Lease(work="telegram", token=theirs.token - 1), Lease(work="schedule", token=theirs.token)):
        with pytest.raises(StaleLeaseError):
            await one.once(stale, "update 8")
    assert not await two.once(theirs, "update 7")
    assert await two.once(theirs, "update 8")


async def _takes_over(store: PostgresStore, times: int = 1) -> Lease:
    """Take the lease; all but the last time give it back at once."""
    lease = await store.lease("telegram")
    assert lease is not None
    if times == 1:
        return lease
    await store.give_back(lease)
    return await _takes_over(store, times - 1)


async def test_what_was_noted_goes_once_it_is_old_and_others_have_led_many_times_since(
    peers: Peers, postgres: str
) -> None:
    one, two = await peers.add("laptop"), await peers.add("desktop")
    first = await _takes_over(one)
    for effect in ("old", "young"):
        assert await one.once(first, effect)
    await one.give_back(first)
    recent = await _takes_over(one, 2)
    assert await one.once(recent, "recent")
    with psycopg.connect(postgres, autocommit=True) as owner:  # Of the last one the server's clock may be wrong.
        owner.execute("UPDATE sori_sync.effects SET at = at - interval '91 days' WHERE effect <> 'young'")
    await one.give_back(recent)
    other = Peers(peers.address)
    elsewhere = await other.add("of another account")
    await _takes_over(elsewhere, 20)
    last = await _takes_over(two, 10)
    assert last.token - first.token > 10 >= last.token - recent.token
    with psycopg.connect(postgres) as owner:
        ours = "SELECT effect FROM sori_sync.effects WHERE account = %s ORDER BY effect"
        left = owner.execute(ours, (one._who[0],)).fetchall()
    assert left == [("recent",), ("young",)]
    assert [await two.once(last, effect) for effect in ("recent", "young")] == [False, False]
    await other.close()


async def test_devices_tell_that_they_are_there(peers: Peers, postgres: str) -> None:
    one, two = await peers.add("laptop"), await peers.add("desktop")
    assert peers.first is not None
    with psycopg.connect(postgres) as owner:
        owner.execute("UPDATE sori_sync.devices SET seen_at = now() - interval '121 seconds'")
    await one.beat(peers.first.keys.seal(one._who[1], "노트북".encode()))
    devices = {each.identity: each for each in await one.devices()}
    assert devices[one._who[1]].online
    assert not devices[two._who[1]].online
    assert peers.first.keys.open(one._who[1], devices[one._who[1]].name).decode() == "노트북"


async def test_a_server_that_is_away_is_told_with_its_name() -> None:
    server = connected("postgresql://nobody@127.0.0.1:9/none", "", MemoryLedger())
    with pytest.raises(StorageError, match=r"127\.0\.0\.1:9"):
        await make_tables(server)
    await server.close()


async def test_two_homes_hold_the_same_conversation(peers: Peers, tmp_path: Path) -> None:
    stores = [await peers.add("laptop"), await peers.add("desktop")]
    assert peers.first is not None
    homes = []
    for number, store in enumerate(stores):
        homes.append(await Home.open(tmp_path / str(number), store, keys=peers.first.keys))
    laptop, desktop = homes
    conversation = await laptop.conversations.create()
    await laptop.conversations.add(conversation, Message(role=Role.USER, text="여기서 묻고"))
    laptop.file("memory/user.md").write_text("- 서울에 산다\n")
    await laptop.sync()
    await desktop.sync()
    await desktop.conversations.add(conversation, Message(role=Role.USER, text="저기서 이어서"))
    await desktop.sync()
    await laptop.sync()
    for home in homes:
        assert [each.text for each in await home.conversations.messages(conversation)] == [
            "여기서 묻고",
            "저기서 이어서",
        ]
        assert home.file("memory/user.md").read_text() == "- 서울에 산다\n"
        await home.database.close()


async def test_what_leaves_is_recorded_and_signs_of_life_are_not(peers: Peers) -> None:
    one = await peers.add("laptop")
    before = len(peers.ledger.rows)
    await one.push([change(1, 0, b"x" * 500)])
    for _ in range(3):
        await one.beat(b"name")
        await one.pull(1, 10)
    (sent,) = peers.ledger.rows[before:]
    assert (sent.purpose, sent.size, sent.data) == ("sync", 500, (DataClass.CONVERSATION,))
