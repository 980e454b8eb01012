"""Joining, leaving and watching the account of several devices through the engine's requests, on a real PostgreSQL."""

from dataclasses import replace

import psycopg
import pytest

from assistant.core import updates as up
from assistant.core.configuration.catalogue import Value
from assistant.core.errors import SoriError, StorageError
from assistant.core.live_settings import LiveSettings
from assistant.core.messages import Message, Role
from assistant.core.records.sync import SyncStanding
from assistant.core.service.requests.sync import account as rq
from assistant.core.service.requests.sync import keys as kq
from assistant.engine.domains.sync.joining import without_password
from assistant.host.key_file import KeyFile
from assistant.host.settings_edit import change_settings
from tests.contract.sync.computer import Computer


async def test_two_computers_join_one_account_and_have_each_others_conversations(
    computers: tuple[Computer, Computer], address: str
) -> None:
    laptop, desktop = computers
    conversation = await laptop.conversations.create()
    await laptop.conversations.add(conversation, Message(role=Role.USER, text="어디서나 같아요"))
    await laptop.set_up(address)
    await laptop.alike()
    await desktop.set_up(address)
    view = await desktop.alike()
    assert [each.text for each in await desktop.conversations.messages(conversation)] == ["어디서나 같아요"]
    assert {(each.name, each.here, each.online) for each in view.devices} == {
        ("laptop", False, True),
        ("desktop", True, True),
    }
    assert view.words == "다른 기기들과 같아요."
    assert {each.purpose for each in desktop.ledger.rows} == {"sync"}


async def test_a_joining_computer_takes_the_settings_that_travel_and_no_others(
    computers: tuple[Computer, Computer], address: str
) -> None:
    laptop, desktop = computers
    changed: dict[str, Value] = {"desktop.theme": "dark", "voice.speed": 1.5, "http.enabled": True, "llm.model": "mine"}
    change_settings(laptop.home / "config.toml", changed)
    change_settings(desktop.home / "config.toml", {"voice.speed": 0.8})
    await laptop.set_up(address)
    await laptop.alike()
    await desktop.set_up(address)
    view = await desktop.alike()
    now = desktop.live.current
    assert (now.desktop.theme, now.voice.speed, now.http.enabled, now.llm.model) == ("dark", 1.5, False, "")
    (kept,) = view.differences
    assert (kept.what, kept.name, kept.ours, kept.theirs) == ("setting", "말하는 속도", "0.8", "1.5")


async def test_after_a_restart_it_goes_on(computers: tuple[Computer, Computer], address: str) -> None:
    laptop, _ = computers
    await laptop.set_up(address)
    await laptop.alike()
    await laptop.stop()
    await laptop.start()
    assert [each.name for each in (await laptop.alike()).devices] == ["laptop"]


async def test_a_passphrase_that_opens_nothing_joins_nothing_and_makes_nothing(
    computers: tuple[Computer, Computer], address: str
) -> None:
    laptop, desktop = computers
    await laptop.set_up(address)
    with pytest.raises(SoriError) as refused:
        await desktop.set_up(address, "다른 문구를 적었습니다")
    assert refused.value.message_key == "error.sync_other_passphrase"
    assert (await desktop.view()).server == ""
    await desktop.set_up(address, "다른 문구를 적었습니다", new=True)
    assert [each.name for each in (await desktop.alike()).devices] == ["desktop"]


@pytest.mark.parametrize("words", ["", "짧은 문구", "12345678901"])
async def test_a_short_passphrase_is_refused_before_anything_is_asked(
    computers: tuple[Computer, Computer], words: str
) -> None:
    with pytest.raises(SoriError) as refused:
        await computers[0].set_up("postgresql://u@127.0.0.1:9/x", words)
    assert refused.value.message_key == "error.sync_short"
    assert computers[0].ledger.rows == []


@pytest.mark.parametrize(
    "wrong",
    [
        "",
        "example.com",
        "mysql://u:topsecret@h/x",
        "host=127.0.0.1 password=topsecret",
        "postgresql://u@127.0.0.1:9/x?password=topsecret",
        "postgresql://u:topsecret@127.0.0.1:9/x",
    ],
)
async def test_an_address_that_does_not_work_is_told_without_its_password_and_keeps_nothing(
    computers: tuple[Computer, Computer], wrong: str
) -> None:
    with pytest.raises(StorageError) as refused:
        await computers[0].set_up(wrong)
    assert "topsecret" not in f"{refused.value}{refused.value.values}"
    assert (await computers[0].view()).server == ""
    assert KeyFile(computers[0].home / "keys.json").key("sync-account") == ""


async def test_a_paused_device_sends_nothing_and_catches_up(computers: tuple[Computer, Computer], address: str) -> None:
    laptop, desktop = computers
    for each in computers:
        await each.set_up(address)
        await each.alike()
    await laptop.domain._pause(rq.PauseSync(paused=True))
    conversation = await laptop.conversations.create()
    await laptop.conversations.add(conversation, Message(role=Role.USER, text="멈춘 동안"))
    assert (await laptop.view()).state.standing is SyncStanding.PAUSED
    await laptop.stop()
    await laptop.start()
    assert (await laptop.view()).state.waiting == 2
    await laptop.domain._pause(rq.PauseSync(paused=False))
    await laptop.alike()
    await desktop.came("conversations")
    assert await desktop.conversations.exists(conversation)


@pytest.mark.parametrize("database", ["as it was", "new"])
async def test_a_device_that_starts_paused_sends_nothing_and_notes_what_is_changed(
    computers: tuple[Computer, Computer], address: str, database: str
) -> None:
    laptop, desktop = computers
    for each in computers:
        await each.set_up(address)
        await each.alike()
    await laptop.stop()
    change_settings(laptop.home / "config.toml", {"sync.paused": True})
    if database == "new":
        (laptop.home / "sori.db").unlink()
    laptop.ledger.rows.clear()
    await laptop.start()
    here, there = await laptop.conversations.create(), await desktop.conversations.create()
    await laptop.conversations.add(here, Message(role=Role.USER, text="멈춘 채로 켜서"))
    await desktop.conversations.add(there, Message(role=Role.USER, text="그동안 다른 데서"))
    await desktop.account.share()
    assert laptop.ledger.rows == []
    state = (await laptop.view()).state
    assert (state.standing, state.waiting) == (SyncStanding.PAUSED, 2)
    await laptop.domain._pause(rq.PauseSync(paused=False))
    await laptop.alike()
    await desktop.account.share()
    for device in computers:
        texts = [(await device.conversations.messages(each))[0].text for each in (here, there)]
        assert texts == ["멈춘 채로 켜서", "그동안 다른 데서"]


async def test_a_device_that_left_syncs_no_more_and_keeps_what_it_has(
    computers: tuple[Computer, Computer], address: str
) -> None:
    laptop, _ = computers
    conversation = await laptop.conversations.create()
    await laptop.set_up(address)
    await laptop.alike()
    assert await laptop.domain._leave(rq.LeaveSync())
    assert not await laptop.domain._leave(rq.LeaveSync())
    assert (await laptop.view()).state.standing is SyncStanding.OFF
    assert await laptop.conversations.exists(conversation)
    assert "server" not in [line.split(" =")[0] for line in (laptop.home / "config.toml").read_text().splitlines()]


async def test_a_device_that_left_is_listed_as_such_and_one_that_was_shut_out_is_of_the_past_after_a_month(
    computers: tuple[Computer, Computer], address: str
) -> None:
    laptop, desktop = computers
    for each in computers:
        await each.set_up(address)
        await each.alike()
    await desktop.domain._leave(rq.LeaveSync())
    await desktop.set_up(address)
    await desktop.alike()
    again = next(each for each in (await laptop.view()).devices if each.name == "desktop" and not each.revoked)
    await laptop.domain._revoke(rq.RevokeSyncDevice(device=again.id))

    async def gone() -> list[tuple[str, bool, bool]]:
        return [(each.name, each.left, each.former) for each in (await laptop.view()).devices if each.revoked]

    assert await gone() == [("desktop", False, False), ("desktop", True, True)]
    with psycopg.connect(address) as owner:
        owner.execute("UPDATE sori_sync.devices SET seen_at = now() - interval '31 days' WHERE revoked")
    assert sorted(await gone()) == [("desktop", False, True), ("desktop", True, True)]


async def test_a_device_that_is_shut_out_is_told(computers: tuple[Computer, Computer], address: str) -> None:
    laptop, desktop = computers
    for each in computers:
        await each.set_up(address)
        await each.alike()
    lost = next(each for each in (await laptop.view()).devices if each.name == "desktop")
    await laptop.domain._revoke(rq.RevokeSyncDevice(device=lost.id))
    assert (await desktop.view()).state.standing is SyncStanding.REVOKED  # Not only at its next exchange.
    conversation = await laptop.conversations.create()
    await laptop.conversations.add(conversation, Message(role=Role.USER, text="비밀"))
    await laptop.alike()
    view = await desktop.until(lambda view: view.state.standing is SyncStanding.REVOKED)
    assert "sori sync setup" in view.words
    assert not await desktop.conversations.exists(conversation)
    notices = [each.key for each in desktop.events if isinstance(each, up.NoticePosted)]
    assert notices == ["notice.sync_revoked"]


async def test_a_database_that_was_emptied_is_told_with_what_brings_all_back(
    computers: tuple[Computer, Computer], address: str
) -> None:
    laptop, desktop = computers
    conversation = await laptop.conversations.create()
    await laptop.conversations.add(conversation, Message(role=Role.USER, text="남을 말"))
    await laptop.set_up(address)
    await laptop.alike()
    with psycopg.connect(address) as owner:
        owner.execute("DROP SCHEMA sori_sync CASCADE")
    with pytest.raises(StorageError) as refused:
        await laptop.domain._invite(kq.InviteDevice())
    assert refused.value.message_key == "error.sync_emptied"
    await laptop.stop()
    await laptop.start()
    view = await laptop.until(lambda view: view.state.standing is SyncStanding.EMPTIED)
    assert "sori sync setup" in view.words
    for each in computers:
        await each.set_up(address)
        await each.alike()
    assert await desktop.conversations.exists(conversation)


async def test_an_engine_that_has_not_begun_yet_does_not_say_that_it_syncs_not(
    computers: tuple[Computer, Computer], address: str
) -> None:
    laptop, desktop = computers
    await laptop.set_up(address)
    account = replace(laptop.account, live=LiveSettings(laptop.account.live.current))
    again = replace(laptop.domain, account=account)
    assert (await again._read(rq.ReadSync())).state.standing is SyncStanding.STARTING
    assert (await desktop.view()).state.standing is SyncStanding.OFF


async def test_without_its_keys_a_device_says_so(computers: tuple[Computer, Computer], address: str) -> None:
    laptop, _ = computers
    await laptop.set_up(address)
    await laptop.stop()
    (laptop.home / "keys.json").unlink()
    await laptop.start()
    assert (await laptop.view()).state.standing is SyncStanding.NO_KEYS


@pytest.mark.parametrize(
    ("given", "kept", "password"),
    [
        ("postgresql://u:p%40ss@host:5432/db", "postgresql://u@host:5432/db", "p@ss"),
        ("postgresql://u@host/db?sslmode=require", "postgresql://u@host/db?sslmode=require", ""),
        ("postgresql://u:p@[::1]:5432/db", "postgresql://u@[::1]:5432/db", "p"),
        ("postgresql:///db?host=/run/postgresql", "postgresql:///db?host=/run/postgresql", ""),
    ],
)
def test_the_password_of_an_address_is_kept_apart(given: str, kept: str, password: str) -> None:
    assert without_password(given) == (kept, password)


async def test_what_is_shared_is_in_the_account_when_that_returns(
    computers: tuple[Computer, Computer], address: str
) -> None:
    laptop, desktop = computers
    for each in computers:
        await each.set_up(address)
        await each.alike()
    conversation = await laptop.conversations.create()
    await laptop.conversations.add(conversation, Message(role=Role.USER, text="at once"))
    await laptop.account.share()
    assert await laptop.account.outbox.count() == 0
    await desktop.account.share()
    assert [each.text for each in await desktop.conversations.messages(conversation)] == ["at once"]


async def test_a_device_that_does_not_sync_shares_nothing_and_leads_nothing(
    computers: tuple[Computer, Computer], address: str
) -> None:
    laptop, desktop = computers
    with pytest.raises(StorageError):
        await laptop.account.share()
    for each in computers:
        await each.set_up(address)
        await each.alike()
    await desktop.account.telegram.want(True)
    view = await laptop.view()
    (other,) = [each.id for each in view.devices if not each.here]
    await laptop.domain._revoke(rq.RevokeSyncDevice(device=other))
    await desktop.until(lambda view: view.state.standing is SyncStanding.REVOKED)
    with pytest.raises(StorageError):
        await desktop.account.share()
    assert not desktop.account.telegram.may


async def test_while_a_file_cannot_be_written_another_device_leads(
    computers: tuple[Computer, Computer], address: str
) -> None:
    laptop, desktop = computers
    for each in computers:
        await each.set_up(address)
        await each.alike()
    await laptop.leads_telegram()
    await desktop.account.telegram.want(True)
    hindered = laptop.home / "memory" / "user.md"
    hindered.mkdir(parents=True)
    (desktop.home / "memory").mkdir(exist_ok=True)
    (desktop.home / "memory" / "user.md").write_text("- 커피를 좋아해요\n")
    await laptop.until(lambda view: view.state.standing is SyncStanding.STUCK)
    await desktop.leads_telegram()
    assert not laptop.account.telegram.may
    hindered.rmdir()
    await laptop.alike()
    await desktop.account.telegram.want(False)
    await laptop.leads_telegram()
