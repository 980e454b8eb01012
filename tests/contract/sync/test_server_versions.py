"""Servers whose functions are older or newer than this Sori, and the logins that devices leave there."""

import asyncio
import secrets
from urllib.parse import urlsplit

import psycopg
import pytest

from assistant.core.errors import SoriError, StorageError
from assistant.core.messages import Message, Role
from assistant.core.service.requests.sync import account as rq
from assistant.core.service.requests.sync import keys as kq
from assistant.host.texts import load_texts
from assistant.sync.postgres.least_role import make_role
from assistant.sync.postgres.postgres_store import connected
from assistant.sync.postgres.schema import LATEST, SCHEMA, channel_of, statements_of
from tests.contract.sync.computer import WORDS, Computer
from tests.fakes.ledger import MemoryLedger

TEXTS = load_texts("ko")
Pair = tuple[Computer, Computer]
SINCE = {2: ("leases",), 3: ("newer_keys", "invite", "accept", "rotate", "public_keys", "set_public_key")}
"""The functions that devices call, by the version that has brought them."""


def older_server(address: str, version: int) -> None:
    """Make the server as an older Sori did."""
    with psycopg.connect(address) as owner:
        owner.execute(f"CREATE SCHEMA {SCHEMA}")
        owner.execute(f"CREATE TABLE {SCHEMA}.version (number int NOT NULL)")
        owner.execute(f"INSERT INTO {SCHEMA}.version VALUES ({version})")  # noqa: S608
        owner.execute(f"GRANT USAGE ON SCHEMA {SCHEMA} TO PUBLIC")
        for each in range(1, version + 1):
            owner.execute(statements_of(each))


def set_version(address: str, version: int) -> None:
    with psycopg.connect(address) as owner:
        owner.execute("UPDATE sori_sync.version SET number = %s", (version,))


def version_of(address: str) -> int:
    with psycopg.connect(address) as owner:
        ((number,),) = owner.execute("SELECT number FROM sori_sync.version").fetchall()
    return int(number)


def least_of(address: str) -> str:
    """The address for a user who may do nothing but call functions."""
    name = f"least_{secrets.token_hex(4)}"
    with psycopg.connect(address, autocommit=True) as owner:
        owner.execute(f"CREATE ROLE {name} LOGIN")
    return role_of_url(address, name)


def role_of_url(address: str, name: str) -> str:
    parts = urlsplit(address)
    return parts._replace(netloc=f"{name}@{parts.netloc.rpartition('@')[2]}").geturl()


def logins(address: str) -> set[str]:
    """The logins of Sori of this database, and whoever is not known to be of another."""
    with psycopg.connect(address) as owner:
        asked = "SELECT name FROM sori_sync.logins JOIN pg_roles ON rolname = name"
        return {name for (name,) in owner.execute(asked).fetchall()}


def an_hour_later(address: str) -> None:
    with psycopg.connect(address) as owner:
        owner.execute("UPDATE sori_sync.logins SET made_at = made_at - interval '1 hour'")


async def said(computer: Computer, words: str) -> str:
    conversation = await computer.conversations.create()
    await computer.conversations.add(conversation, Message(role=Role.USER, text=words))
    return conversation


async def test_an_older_server_offers_all_it_has_and_the_owner_brings_it_up_to_date(
    computers: Pair, address: str
) -> None:
    laptop, desktop = computers
    older_server(address, LATEST - 1)
    least = least_of(address)
    await laptop.set_up(least)
    view = await laptop.alike()
    assert TEXTS("sync.state.alike") == view.words
    assert f"sori sync upgrade {role_of_url(address, 'OWNER')}" in view.advice
    code = (await laptop.domain._invite(kq.InviteDevice())).code
    await desktop.domain._join_by_code(kq.JoinByCode(code=code, device="desktop", in_file=True))
    await desktop.alike()
    await said(laptop, "그대로 주고받아요")
    await desktop.came("messages")
    with pytest.raises(StorageError) as refused:
        await laptop.domain._upgrade(rq.UpgradeSyncServer(address=least))
    assert refused.value.message_key == "error.sync_tables"
    assert version_of(address) == LATEST - 1
    assert (await laptop.domain._upgrade(rq.UpgradeSyncServer(address=address))).advice == ""
    assert version_of(address) == LATEST
    assert laptop.live.current.sync.server == least
    await said(desktop, "그다음에도")
    await laptop.came("messages")


@pytest.mark.parametrize("version", [1, 2])
async def test_a_device_goes_on_with_a_server_that_was_never_brought_up_to_date(
    computers: Pair, address: str, version: int
) -> None:
    laptop, desktop = computers
    for each in computers:
        await each.set_up(address)
        await each.alike()
        await each.stop()
    set_version(address, version)
    with psycopg.connect(address) as owner:
        for since, names in SINCE.items():
            for name in names if since > version else ():
                owner.execute(f"DROP FUNCTION sori_sync.{name}")
    for each in computers:
        await each.start()
        assert "sori sync upgrade" in (await each.alike()).advice
    assert {each.name for each in (await laptop.view()).devices} == {"laptop", "desktop"}
    await said(laptop, "옛 서버로도")
    await desktop.came("messages")
    with pytest.raises(SoriError) as refused:
        await laptop.domain._invite(kq.InviteDevice())
    assert refused.value.message_key == "error.sync_functions"


async def test_a_newer_server_is_told_and_works(computers: Pair, address: str) -> None:
    laptop, desktop = computers
    await laptop.set_up(address)
    set_version(address, LATEST + 1)
    await desktop.set_up(address)
    assert TEXTS("sync.server_newer", server=str(LATEST + 1), here=str(LATEST)) in (await desktop.alike()).advice
    assert version_of(address) == LATEST + 1


async def test_a_login_that_may_do_so_brings_the_server_up_to_date_by_itself(computers: Pair, address: str) -> None:
    """As that of a hosted server does, where no other login can be made."""
    laptop, _ = computers
    owner = f"owner_{secrets.token_hex(4)}"
    with psycopg.connect(address, autocommit=True) as root:
        root.execute(f"CREATE ROLE {owner} LOGIN")
        root.execute(f"GRANT CREATE ON DATABASE {urlsplit(address).path[1:]} TO {owner}")
    hosted = role_of_url(address, owner)
    older_server(hosted, LATEST - 1)
    await laptop.set_up(least_of(address))
    await laptop.alike()
    assert version_of(address) == LATEST - 1
    await laptop.account.change({"sync.server": hosted})
    assert (await laptop.alike()).advice == ""
    assert version_of(address) == LATEST


async def test_a_device_with_a_broad_login_is_told_how_to_get_a_smaller_one_and_stays_what_it_is(
    computers: Pair, address: str
) -> None:
    laptop, _ = computers
    await laptop.set_up(address)
    before = (await laptop.alike()).devices
    await laptop.account.change({"sync.server": address})  # as it was before Sori made logins
    assert "sori sync setup" in (await laptop.alike()).advice
    conversation = await said(laptop, "여기 있는 것은 남아요")
    await laptop.set_up(address)
    view = await laptop.alike()
    assert view.advice == ""
    assert [each.id for each in view.devices] == [each.id for each in before]
    assert await laptop.conversations.exists(conversation)


async def test_a_repeated_setup_uses_its_login_and_its_place_again(computers: Pair, address: str) -> None:
    laptop, _ = computers
    await laptop.set_up(address)
    made, (device,) = logins(address), (await laptop.alike()).devices
    for _ in range(2):
        await laptop.set_up(address)
    assert logins(address) == made
    assert [each.id for each in (await laptop.alike()).devices] == [device.id]
    assert len(made) == 1


async def test_a_login_goes_once_no_device_uses_it_and_never_before(computers: Pair, address: str) -> None:
    laptop, desktop = computers
    for each in computers:
        await each.set_up(address)
        await each.alike()
    both = logins(address)
    assert len(both) == 2
    theirs = urlsplit((await desktop.view()).server).username
    await desktop.stop()
    an_hour_later(address)
    await laptop.set_up(address)
    assert logins(address) == both  # The other one is only off.
    await desktop.start()
    await desktop.alike()
    await desktop.domain._leave(rq.LeaveSync())
    await asyncio.to_thread(until_gone, address, theirs)
    view = await laptop.set_up(address)
    assert logins(address) == both - {theirs}
    assert str(theirs) not in view.note


def until_gone(address: str, user: str | None) -> None:
    """Wait until the server has noticed that nobody is connected as a user."""
    with psycopg.connect(address, autocommit=True) as owner:
        while owner.execute("SELECT 1 FROM pg_stat_activity WHERE usename = %s", (user,)).fetchone():
            pass


@pytest.mark.parametrize("why", ["device", "code"])
async def test_a_login_that_somebody_may_still_use_stays_and_is_named(computers: Pair, address: str, why: str) -> None:
    laptop, _ = computers
    await laptop.set_up(address)
    await laptop.alike()
    owner = connected(address, "", MemoryLedger())
    made = await make_role(owner)
    await owner.close()
    assert made is not None
    an_hour_later(address)
    if why == "code":
        await laptop.domain._invite(kq.InviteDevice())
    else:
        with psycopg.connect(address) as root:  # a device that has not told its login yet
            root.execute(
                "INSERT INTO sori_sync.devices (account, id, secret) SELECT account, %s, secret FROM sori_sync.devices",
                (b"n" * 16,),
            )
    view = await laptop.set_up(address)
    assert f"DROP ROLE {made[0]}" in view.note
    assert made[0] in logins(address)


async def test_each_account_has_a_channel_and_older_devices_have_theirs(computers: Pair, address: str) -> None:
    laptop, desktop = computers
    await laptop.set_up(address)
    await laptop.alike()
    await desktop.set_up(address, WORDS + " 둘째", new=True)
    await desktop.alike()
    mine, other = [each.account.opened.keys.account for each in computers if each.account.opened]
    with psycopg.connect(address, autocommit=True) as listening:
        for channel in (channel_of(mine), channel_of(other), "sori_sync"):
            listening.execute(f'LISTEN "{channel}"')
        await said(laptop, "하나만 깨워요")
        told = await asyncio.to_thread(lambda: list(listening.notifies(timeout=30, stop_after=2)))
    assert {(each.channel, each.payload) for each in told} == {("sori_sync", mine.hex()), (channel_of(mine), "")}
