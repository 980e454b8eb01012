"""In an account of several devices one alone answers Telegram."""

import asyncio
from dataclasses import replace

import pytest

from assistant.core.errors import StorageError
from assistant.core.records.egress import DataClass, Egress
from assistant.core.records.sync import SyncStanding
from assistant.core.service.requests.telegram import linking as rq
from assistant.core.telegram.records import TelegramState
from assistant.engine.domains.sync.leadership import Leadership
from assistant.engine.domains.telegram.led_ledger import LedLedger
from tests.fakes.clock import FakeClock
from tests.fakes.front.asking import ask
from tests.fakes.ledger import MemoryLedger
from tests.fakes.sync.shared_account import SharedAccount
from tests.fakes.system.telegram_line import TOKEN
from tests.unit.engine.domains.telegram.test_linking import Desk, desk, texts

__all__ = ["desk", "texts"]
SENT = Egress(destination="telegram", local=False, purpose="telegram", size=1, data=(DataClass.CONVERSATION,))


async def joined(desk: Desk, account: SharedAccount) -> Leadership:
    """The device is in an account, and follows who leads, as the engine lets it."""
    lead = desk.domain.lead
    changed = asyncio.Event()
    lead.changed.add(changed.set)
    await lead.join(account, desk.clock)
    await lead.stand(SyncStanding.ALIKE)
    await desk.set_up()
    if account.mine:
        while not lead.may:
            changed.clear()
            await changed.wait()
    await desk.domain.follow(desk.live.current)
    return lead


async def test_while_another_device_answers_this_one_does_not_and_says_so(desk: Desk) -> None:
    lead = await joined(desk, SharedAccount(mine=False))
    view = await desk.view()
    assert view.state is TelegramState.ELSEWHERE
    assert "한 대만 답하는데" in view.words
    assert desk.line.opened == []
    await lead.leave(free=False)


async def test_a_paused_device_says_that_it_takes_over_from_nobody(desk: Desk) -> None:
    lead = await joined(desk, SharedAccount(mine=False))
    settings = desk.live.current
    desk.live.change(replace(settings, sync=replace(settings.sync, server="postgresql://u@h/d", paused=True)))
    assert "sori sync resume" in (await desk.view()).words
    await lead.leave(free=False)


async def test_who_leads_answers_until_it_leads_no_longer(desk: Desk) -> None:
    account = SharedAccount(mine=True)
    lead = await joined(desk, account)
    assert desk.line.opened[-1:] == [TOKEN]
    await lead.leave(free=False)
    await desk.domain.follow(desk.live.current)
    assert account.given_back == 1
    assert desk.line.news is None
    assert (await desk.view()).state is TelegramState.ELSEWHERE


async def test_without_a_token_or_switched_off_a_device_does_not_compete(desk: Desk) -> None:
    account = SharedAccount(mine=True)
    await desk.domain.lead.join(account, desk.clock)
    await desk.domain.lead.stand(SyncStanding.ALIKE)
    await desk.domain.follow(desk.live.current)
    assert account.asked == 0
    await desk.set_up()
    await asyncio.sleep(0)
    assert account.asked == 1
    await ask(desk.domain, rq.ForgetTelegram())
    await desk.domain.follow(desk.live.current)
    assert account.given_back == 1
    assert not desk.domain.lead.may


async def test_a_device_that_has_left_its_account_answers_as_before(desk: Desk) -> None:
    lead = await joined(desk, SharedAccount(mine=False))
    await lead.leave(free=True)
    await desk.domain.follow(desk.live.current)
    assert desk.line.opened == [TOKEN]


async def test_an_update_is_answered_by_the_first_device_that_notes_it(desk: Desk) -> None:
    account = SharedAccount(mine=True)
    account.effects.add("telegram:123456:7")
    lead = await joined(desk, account)
    assert not await ask(desk.domain, rq.ClaimTelegramUpdate(update=7))
    assert await ask(desk.domain, rq.ClaimTelegramUpdate(update=8))
    account.mine = False
    with pytest.raises(StorageError):
        await ask(desk.domain, rq.ClaimTelegramUpdate(update=9))
    await lead.leave(free=False)


async def test_nothing_leaves_once_the_lease_may_have_ended(desk: Desk, clock: FakeClock) -> None:
    lead = await joined(desk, SharedAccount(mine=True))
    ledger = MemoryLedger()
    gate = LedLedger(ledger, lead)
    await gate.record(SENT)
    clock._elapsed += 56  # The computer slept: nobody could renew the lease.
    with pytest.raises(StorageError):
        await gate.record(SENT)
    assert ledger.rows == [SENT]
    await lead.leave(free=False)


async def test_only_in_an_account_updates_are_carried_to_other_devices(desk: Desk) -> None:
    await desk.set_up()
    await desk.domain.follow(desk.live.current)
    assert desk.line.stores[-1] is desk.store
    lead = await joined(desk, SharedAccount(mine=True))
    assert desk.line.stores[-1] is desk.domain.carried()
    await lead.leave(free=False)
