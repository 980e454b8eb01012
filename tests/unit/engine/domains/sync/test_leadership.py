"""When a device competes for the lead, as its syncing stands."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from assistant.core.records.sync import SyncStanding
from assistant.engine.domains.sync.leadership import Leadership
from assistant.sync.leading import MARGIN_S, RENEW_S
from assistant.sync.store import LEASE_S
from tests.fakes.clock import FakeClock
from tests.fakes.sync.shared_account import SharedAccount

ALIKE, OFFLINE, STUCK = SyncStanding.ALIKE, SyncStanding.OFFLINE, SyncStanding.STUCK
NO_NEWS = (SyncStanding.STARTING, SyncStanding.WORKING, SyncStanding.SILENT)
OUT = tuple(each for each in SyncStanding if each not in (ALIKE, OFFLINE, *NO_NEWS))
"""In these a device can do nothing for the others."""


class Device:
    """A device in an account that lets it lead."""

    def __init__(self) -> None:
        self.account, self.clock = SharedAccount(mine=True), FakeClock()
        self.lead = Leadership("telegram", free=False, wanted=True)

    async def leads(self, *standings: SyncStanding) -> bool:
        """Whether it leads after its syncing has stood so."""
        for standing in standings:
            await self.lead.stand(standing)
            await self.settle()
        return self.lead.may

    async def settle(self) -> None:
        for _ in range(10):
            await asyncio.sleep(0)

    async def passes(self, seconds: float) -> None:
        self.clock.advance(seconds)
        await self.settle()


@pytest.fixture
async def device() -> AsyncIterator[Device]:
    made = Device()
    await made.lead.join(made.account, made.clock)
    yield made
    await made.lead.leave(free=False)


@pytest.mark.parametrize("standing", [each for each in SyncStanding if each is not ALIKE])
async def test_a_device_that_has_not_what_the_account_has_does_not_compete(
    device: Device, standing: SyncStanding
) -> None:
    assert not await device.leads(standing)
    assert device.account.asked == 0
    assert await device.leads(ALIKE)


@pytest.mark.parametrize("standing", OUT)
async def test_a_device_that_cannot_do_the_work_gives_the_lease_back_until_the_next_good_round(
    device: Device, standing: SyncStanding
) -> None:
    assert await device.leads(ALIKE)
    assert not await device.leads(standing)
    assert device.account.given_back == 1
    # It tries again and again: that a round has begun is no success.
    assert not await device.leads(SyncStanding.WORKING, standing, SyncStanding.WORKING, OFFLINE, SyncStanding.WORKING)
    assert device.account.asked == 1
    assert await device.leads(ALIKE)


@pytest.mark.parametrize("standing", [OFFLINE, *NO_NEWS])
async def test_a_short_failure_and_a_round_that_runs_interrupt_nothing(device: Device, standing: SyncStanding) -> None:
    assert await device.leads(ALIKE, standing)
    await device.passes(RENEW_S)
    assert await device.leads(standing, ALIKE)
    await device.passes(LEASE_S - MARGIN_S - 1)
    assert device.lead.may
    assert device.account.given_back == 0


async def test_a_lease_of_a_device_whose_rounds_fail_ends_by_itself_although_the_server_would_renew_it(
    device: Device,
) -> None:
    assert await device.leads(ALIKE, OFFLINE)
    for _ in range(int(LEASE_S)):
        await device.passes(1)
        await device.leads(SyncStanding.WORKING, OFFLINE)
    assert not device.lead.may
    assert device.account.asked == 1
    assert await device.leads(ALIKE)


async def test_after_joining_again_the_former_account_counts_no_more(device: Device) -> None:
    assert await device.leads(ALIKE)
    await device.lead.join(device.account, device.clock)
    assert not await device.leads(SyncStanding.STARTING)
    assert device.account.given_back == 1


async def test_telling_of_standings_at_once_ends_as_the_last_one_says(device: Device) -> None:
    for last, leads in ((STUCK, False), (ALIKE, True)):
        await asyncio.gather(*(device.lead.stand(each) for each in (ALIKE, STUCK, OFFLINE, ALIKE, last)))
        await device.settle()
        assert device.lead.may is leads
