"""Joining by a code, new keys after a device was lost, and a login without rights, on a real PostgreSQL."""

import asyncio
import secrets
from urllib.parse import urlsplit

import psycopg
import pytest

from assistant.core.errors import SoriError, StorageError
from assistant.core.messages import Message, Role
from assistant.core.records.sync import SyncStanding
from assistant.core.service.requests.sync import account as rq
from assistant.core.service.requests.sync import keys as kq
from assistant.engine.domains.sync.kept_membership import AccountKeys
from assistant.host.key_file import KeyFile
from assistant.sync.invitation import Invitation
from assistant.sync.postgres.postgres_store import connected
from assistant.sync.sealing import NewerKeyError, UnopenedError
from tests.contract.postgres import role_of
from tests.contract.sync.computer import WORDS, Computer
from tests.fakes.ledger import MemoryLedger

NEW_WORDS = "새로 정한 다른 문구입니다"
Pair = tuple[Computer, Computer]


async def invited(computer: Computer) -> str:
    return (await computer.domain._invite(kq.InviteDevice())).code


async def joined(computer: Computer, code: str) -> rq.SyncView:
    return await computer.domain._join_by_code(kq.JoinByCode(code=code, device=computer.name, in_file=True))


async def said(computer: Computer, words: str) -> str:
    conversation = await computer.conversations.create()
    await computer.conversations.add(conversation, Message(role=Role.USER, text=words))
    return conversation


async def has(computer: Computer, conversation: str) -> None:
    """Wait until a conversation has come."""
    while not await computer.conversations.exists(conversation):
        computer._told.clear()
        if not await computer.conversations.exists(conversation):
            await computer._told.wait()


def kept(computer: Computer) -> AccountKeys:
    return AccountKeys(KeyFile(computer.home / "keys.json"))


def refused_by(error: pytest.ExceptionInfo[SoriError]) -> str | None:
    return error.value.message_key


async def test_a_code_is_all_that_the_second_device_needs(computers: Pair, address: str) -> None:
    laptop, desktop = computers
    conversation = await said(laptop, "코드로 들어온 기기도 읽어요")
    await laptop.set_up(address)
    await laptop.alike()
    await joined(desktop, await invited(laptop))
    view = await desktop.alike()
    await has(desktop, conversation)
    assert {each.name for each in view.devices} == {"laptop", "desktop"}


async def test_a_code_is_good_for_one_device(computers: Pair, address: str) -> None:
    laptop, desktop = computers
    await laptop.set_up(address)
    code = await invited(laptop)
    await joined(desktop, code)
    with pytest.raises(SoriError) as refused:
        await joined(desktop, code)
    assert refused_by(refused) == "error.sync_code_used"


@pytest.mark.parametrize(
    "ended",
    [
        "UPDATE sori_sync.invitations SET until = now() - interval '1 second'",
        "UPDATE sori_sync.devices SET revoked = true",
    ],
)
async def test_a_code_ends_after_its_time_and_with_the_device_that_made_it(
    computers: Pair, address: str, ended: str
) -> None:
    laptop, desktop = computers
    await laptop.set_up(address)
    code = await invited(laptop)
    with psycopg.connect(address) as owner:
        owner.execute(ended)
    with pytest.raises(SoriError) as refused:
        await joined(desktop, code)
    assert refused_by(refused) == "error.sync_code_used"
    assert (await desktop.view()).server == ""


async def test_the_server_cannot_make_a_code_of_what_it_keeps(computers: Pair, address: str) -> None:
    laptop, _ = computers
    await laptop.set_up(address)
    invitation = Invitation.read(await invited(laptop))
    with psycopg.connect(address) as owner:
        ((row,),) = owner.execute("SELECT invitations::text FROM sori_sync.invitations").fetchall()
    for secret in (invitation.secret, invitation.proof, invitation.key):
        assert secret.hex() not in row
    sent = [f"{each}" for each in laptop.ledger.rows]
    assert not any(invitation.secret.hex() in each or invitation.code in each for each in sent)


async def test_a_device_in_no_account_cannot_invite_or_make_keys(computers: Pair) -> None:
    for asked in (
        computers[0].domain._invite(kq.InviteDevice()),
        computers[0].domain._rotate(kq.RotateKeys(passphrase=WORDS)),
    ):
        with pytest.raises(SoriError) as refused:
            await asked
        assert refused_by(refused) == "error.sync_not_set_up"


async def test_what_is_written_after_a_new_key_is_closed_to_a_device_that_was_shut_out(
    computers: Pair, address: str
) -> None:
    laptop, lost = computers
    await laptop.set_up(address)
    await laptop.alike()
    await joined(lost, await invited(laptop))
    view = await lost.alike()
    theirs = kept(lost).read()
    assert theirs is not None
    await laptop.domain._revoke(rq.RevokeSyncDevice(device=next(each.id for each in view.devices if each.here)))
    await laptop.domain._rotate(kq.RotateKeys(passphrase=NEW_WORDS))
    with psycopg.connect(address) as owner:
        before = {row[0] for row in owner.execute("SELECT number FROM sori_sync.records").fetchall()}
    await said(laptop, "이제 못 읽어요")
    await laptop.account.follow(laptop.account.live.current)
    await laptop.alike()
    with psycopg.connect(address) as owner:  # the lost device, with all that the server has
        records = owner.execute("SELECT id, content, number FROM sori_sync.records").fetchall()
        passed = owner.execute("SELECT epoch, sealed FROM sori_sync.passed_keys").fetchall()
        ((wrapped,),) = owner.execute("SELECT keys FROM sori_sync.accounts").fetchall()
    new = [(identity, content) for identity, content, number in records if number not in before]
    assert len(new) >= 2
    for identity, content in new:
        with pytest.raises(NewerKeyError):
            theirs.member.keys.open(identity, content)
    for epoch, sealed in passed:
        with pytest.raises(UnopenedError):
            theirs.member.private.opened(theirs.member.keys, theirs.member.device, epoch, sealed)
    assert len(passed) == 1
    assert all(key not in wrapped for key in theirs.member.keys.keys.values())


async def test_a_device_is_shut_out_and_the_account_gets_a_new_key_at_once_or_nothing_happens(
    computers: Pair, address: str
) -> None:
    laptop, desktop = computers
    for each in computers:
        await each.set_up(address)
        await each.alike()
    other = next(each.id for each in (await laptop.view()).devices if not each.here)
    request = rq.RevokeSyncDevice(device=other, passphrase=NEW_WORDS)
    with psycopg.connect(address) as owner:
        owner.execute('ALTER TABLE sori_sync.passed_keys ADD CONSTRAINT "full" CHECK (false) NOT VALID')
    with pytest.raises(StorageError):
        await laptop.domain._revoke(request)
    assert not any(each.revoked for each in (await laptop.view()).devices)
    with psycopg.connect(address) as owner:
        owner.execute('ALTER TABLE sori_sync.passed_keys DROP CONSTRAINT "full"')
    await laptop.domain._revoke(request)
    assert [each.id for each in (await laptop.view()).devices if each.revoked] == [other]
    with psycopg.connect(address) as owner:
        assert owner.execute("SELECT epoch FROM sori_sync.accounts").fetchone() == (2,)
    await laptop.alike()
    await desktop.until(lambda view: view.state.standing is SyncStanding.REVOKED)


async def test_a_device_that_was_away_gets_the_new_key_when_it_comes_back(computers: Pair, address: str) -> None:
    laptop, desktop = computers
    for each in computers:
        await each.set_up(address)
        await each.alike()
    await desktop.stop()
    for _ in range(2):
        await laptop.domain._rotate(kq.RotateKeys(passphrase=NEW_WORDS))
    conversation = await said(laptop, "없는 동안 썼어요")
    await laptop.account.follow(laptop.account.live.current)
    await laptop.alike()
    await desktop.start()
    await desktop.alike()
    await has(desktop, conversation)
    stored = kept(desktop).read()
    assert stored is not None
    assert stored.member.keys.epoch == 3


async def test_a_device_that_is_on_fetches_a_key_it_does_not_know(computers: Pair, address: str) -> None:
    laptop, desktop = computers
    for each in computers:
        await each.set_up(address)
        await each.alike()
    await laptop.domain._rotate(kq.RotateKeys(passphrase=NEW_WORDS))
    await has(desktop, await said(laptop, "새 키로"))
    await has(laptop, await said(desktop, "여기서도 새 키로"))
    assert (await desktop.view()).state.standing is not SyncStanding.UNOPENED


async def test_two_devices_that_make_keys_at_once_end_with_the_same(computers: Pair, address: str) -> None:
    for each in computers:
        await each.set_up(address)
        await each.alike()
    await asyncio.gather(*(each.domain._rotate(kq.RotateKeys(passphrase=NEW_WORDS)) for each in computers))
    for each in computers:
        await each.account.learn(await each.account.joined())
    laptop, desktop = (kept(each).read() for each in computers)
    assert laptop is not None
    assert desktop is not None
    assert laptop.member.keys == desktop.member.keys
    assert laptop.member.keys.epoch == 3


async def test_after_a_new_key_the_former_passphrase_and_codes_join_no_more(computers: Pair, address: str) -> None:
    laptop, desktop = computers
    await laptop.set_up(address)
    code = await invited(laptop)
    await laptop.domain._rotate(kq.RotateKeys(passphrase=NEW_WORDS))
    with pytest.raises(SoriError) as refused:
        await joined(desktop, code)
    assert refused_by(refused) == "error.sync_code_used"
    with pytest.raises(SoriError) as refused:
        await desktop.set_up(address)
    assert refused_by(refused) == "error.sync_other_passphrase"
    await desktop.set_up(address, NEW_WORDS)
    assert len((await desktop.alike()).devices) == 2


async def test_the_server_takes_nothing_more_that_an_older_key_has_sealed(computers: Pair, address: str) -> None:
    laptop, _ = computers
    await laptop.set_up(address)
    await laptop.alike()
    stored = kept(laptop).read()
    assert stored is not None
    await laptop.domain._rotate(kq.RotateKeys(passphrase=NEW_WORDS))
    late = stored.member.keys.seal(b"r" * 16, b"late")
    who = (stored.member.keys.account, stored.member.device, stored.member.secret)
    with psycopg.connect(address) as owner, pytest.raises(psycopg.Error, match="newer key"):
        owner.execute("SELECT sori_sync.push(%s, %s, %s, %s, '{0}', %s)", (*who, [b"r" * 16], [late]))


async def test_a_server_that_lists_a_device_of_its_own_gets_no_key(computers: Pair, address: str) -> None:
    laptop, _ = computers
    await laptop.set_up(address)
    with psycopg.connect(address) as owner:
        owner.execute(
            "INSERT INTO sori_sync.devices (account, id, secret, public_key) "
            "SELECT account, %s, secret, %s FROM sori_sync.devices",
            (b"m" * 16, secrets.token_bytes(64)),
        )
    with pytest.raises(StorageError):
        await laptop.domain._rotate(kq.RotateKeys(passphrase=NEW_WORDS))


async def test_a_device_that_was_shut_out_makes_no_code_and_no_key(computers: Pair, address: str) -> None:
    laptop, _ = computers
    await laptop.set_up(address)
    await laptop.alike()
    with psycopg.connect(address) as owner:
        owner.execute("UPDATE sori_sync.devices SET revoked = true")
    for asked in (
        laptop.domain._invite(kq.InviteDevice()),
        laptop.domain._rotate(kq.RotateKeys(passphrase=NEW_WORDS)),
    ):
        with pytest.raises(SoriError) as refused:
            await asked
        assert refused_by(refused) == "error.sync_revoked"


async def test_devices_work_with_a_login_that_may_only_call_functions(computers: Pair, address: str) -> None:
    laptop, _ = computers
    view = await laptop.set_up(address)
    assert "로그인" not in view.note
    code = Invitation.read(await invited(laptop))
    name = urlsplit(code.address).username
    assert name is not None
    assert name.startswith("sori_device_")
    assert urlsplit(view.server).username == name
    assert code.password
    with psycopg.connect(address) as owner:
        (rights,) = owner.execute(
            "SELECT rolsuper, rolcreaterole, rolcreatedb, rolbypassrls, rolcanlogin FROM pg_roles WHERE rolname = %s",
            (name,),
        ).fetchall()
        ((verifier,),) = owner.execute("SELECT rolpassword FROM pg_authid WHERE rolname = %s", (name,)).fetchall()
        tables = [
            row[0] for row in owner.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'sori_sync'").fetchall()
        ]
    assert rights == (False, False, False, False, True)
    assert verifier.startswith("SCRAM-SHA-256$")
    least = role_of(address, name)
    for table in set(tables) - {"version"}:
        for statement in (f"SELECT * FROM sori_sync.{table}", f"DELETE FROM sori_sync.{table}"):  # noqa: S608
            with psycopg.connect(least) as device, pytest.raises(psycopg.errors.InsufficientPrivilege):
                device.execute(statement)
    assert len(tables) >= 8
    for statement in ("CREATE TABLE sori_sync.mine (a int)", "UPDATE sori_sync.version SET number = 0"):
        with psycopg.connect(least) as device, pytest.raises(psycopg.errors.InsufficientPrivilege):
            device.execute(statement)
    stored = kept(laptop).read()
    assert stored is not None
    who = (stored.member.keys.account, stored.member.device, b"guessed")
    for call in (
        "newest(%s, %s, %s)",
        "invite(%s, %s, %s, 'p', 'k', 600)",
        "public_keys(%s, %s, %s)",
        "newer_keys(%s, %s, %s, 0)",
        "set_public_key(%s, %s, %s, 'k')",
        "rotate(%s, %s, %s, 2, 's', 3, 65536, 'k', 'p', '{}', '{}')",
    ):
        with psycopg.connect(least) as device, pytest.raises(psycopg.Error, match="not allowed"):
            device.execute(f"SELECT * FROM sori_sync.{call}", who)  # noqa: S608


async def test_where_no_login_can_be_made_the_given_one_stays_and_that_is_told(computers: Pair, address: str) -> None:
    laptop, desktop = computers
    name = f"hosted_{secrets.token_hex(4)}"
    database = urlsplit(address).path[1:]
    with psycopg.connect(address, autocommit=True) as owner:
        owner.execute(f"CREATE ROLE {name} LOGIN")
        owner.execute(f"GRANT CREATE ON DATABASE {database} TO {name}")
    parts = urlsplit(address)
    hosted = parts._replace(netloc=f"{name}@{parts.netloc.rpartition('@')[2]}").geturl()
    view = await laptop.set_up(hosted)
    assert "로그인" in view.note
    assert view.server == hosted
    assert (await joined(desktop, await invited(laptop))).note == ""
    await desktop.alike()


async def test_a_login_that_the_server_does_not_let_in_is_removed(computers: Pair, address: str) -> None:
    from assistant.sync.postgres.least_role import drop_role, make_role, works

    server = connected(address, "", MemoryLedger())
    await computers[0].set_up(address)
    made = await make_role(server)
    assert made is not None
    with psycopg.connect(address, autocommit=True) as owner:
        owner.execute(f"ALTER ROLE {made[0]} NOLOGIN")
    least = connected(role_of(address, made[0]), made[1], MemoryLedger())
    assert not await works(least)
    await least.close()
    await drop_role(server, made[0])
    await server.close()
    with psycopg.connect(address) as owner:
        assert owner.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", (made[0],)).fetchone() is None
