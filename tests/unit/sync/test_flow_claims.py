"""Guided flows that are put aside in an account: whichever device claims one goes on with it, and no other does."""

import json
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import replace
from pathlib import Path

import pytest

from assistant.core.records.flows import (
    FlowHindered,
    FlowHindrance,
    FlowPlace,
    FlowStanding,
    StepStatus,
    UnclaimedFlowError,
)
from assistant.storage.sync.differences import SyncDifferences
from tests.fakes.sync.account import KEYS, MemoryAccount
from tests.fakes.sync.flows import SERVICE, FlowDevice

UNREACHABLE = FlowHindered(FlowHindrance.UNREACHABLE)
Open = Callable[[str], Awaitable[FlowDevice]]


@pytest.fixture
def account() -> MemoryAccount:
    return MemoryAccount()


@pytest.fixture
def executed() -> list[str]:
    return []


@pytest.fixture
async def open_device(tmp_path: Path, account: MemoryAccount, executed: list[str]) -> AsyncIterator[Open]:
    devices: list[FlowDevice] = []

    async def opened(name: str) -> FlowDevice:
        devices.append(await FlowDevice.open(tmp_path / name, account, executed))
        return devices[-1]

    yield opened
    for each in devices:
        await each.home.database.close()


@pytest.fixture
async def laptop(open_device: Open) -> FlowDevice:
    return await open_device("laptop")


@pytest.fixture
async def desktop(open_device: Open) -> FlowDevice:
    return await open_device("desktop")


async def sync(*devices: FlowDevice) -> None:
    for each in devices:
        await each.home.sync()


async def offered(laptop: FlowDevice, *others: FlowDevice) -> str:
    """A flow that the laptop has put aside and the others know; its conversation."""
    flow = await laptop.begin()
    await laptop.park(flow)
    await sync(laptop, *others)
    return flow


async def begins(device: FlowDevice, flow: str, key: str = "k") -> bool:
    return await device.store.begin(key, session=flow, service=SERVICE, step="send", digest="")


async def test_a_flow_that_is_put_aside_in_an_account_is_fenced_before_anything_is_sent(
    laptop: FlowDevice, account: MemoryAccount
) -> None:
    flow = await laptop.begin()
    assert await begins(laptop, flow, "before")
    await laptop.park(flow)
    assert not account.records
    with pytest.raises(UnclaimedFlowError):
        await begins(laptop, flow)
    assert await laptop.store.find("k") is None


async def test_a_flow_that_is_put_aside_without_an_account_goes_on_as_ever(laptop: FlowDevice) -> None:
    await laptop.home.outbox.end()
    flow = await laptop.begin()
    await laptop.park(flow)
    assert await laptop.confirm(flow) is None
    assert len(laptop.executed) == 1


async def test_another_device_goes_on_and_confirms_and_the_first_one_says_where(
    laptop: FlowDevice, desktop: FlowDevice
) -> None:
    flow = await offered(laptop, desktop)
    assert await desktop.standing(flow) is FlowStanding.PARKED
    assert await desktop.flows.place(flow, SERVICE) == FlowPlace(began="laptop")
    assert await laptop.flows.place(flow, SERVICE) == FlowPlace()
    assert await desktop.go_on(flow) is None
    assert await laptop.confirm(flow) == FlowHindered(FlowHindrance.ELSEWHERE, "desktop")
    assert await laptop.flows.place(flow, SERVICE) == FlowPlace(elsewhere="desktop")
    assert await desktop.confirm(flow) is None
    await sync(desktop)
    assert await laptop.confirm(flow) == FlowHindered(FlowHindrance.OVER)
    assert await laptop.standing(flow) is FlowStanding.OVER
    assert len(laptop.executed) == 1


async def test_the_first_device_goes_on_itself_once_the_account_has_accepted_that(
    laptop: FlowDevice, desktop: FlowDevice
) -> None:
    flow = await offered(laptop, desktop)
    assert await laptop.confirm(flow) is None
    await sync(laptop)
    assert await desktop.confirm(flow) == FlowHindered(FlowHindrance.OVER)
    assert len(laptop.executed) == 1


async def test_a_flow_comes_and_goes_between_devices(laptop: FlowDevice, desktop: FlowDevice) -> None:
    flow = await offered(laptop, desktop)
    for here, there in ((desktop, laptop), (laptop, desktop)):
        assert await here.go_on(flow) is None
        await here.park(flow)
        await sync(here, there)
    assert await desktop.confirm(flow) is None
    assert len(laptop.executed) == 1


async def test_a_flow_is_taken_from_an_idle_device_only_if_the_user_wants_it_and_that_device_goes_on_no_more(
    laptop: FlowDevice, desktop: FlowDevice
) -> None:
    flow = await offered(laptop, desktop)
    assert await laptop.go_on(flow) is None
    await sync(laptop)
    assert await desktop.go_on(flow) == FlowHindered(FlowHindrance.ELSEWHERE, "laptop")
    assert await desktop.go_on(flow, take_over=True) is None
    assert await laptop.confirm(flow) == FlowHindered(FlowHindrance.ELSEWHERE, "desktop")
    with pytest.raises(UnclaimedFlowError):
        await begins(laptop, flow)
    assert await desktop.confirm(flow) is None
    assert len(laptop.executed) == 1


async def test_what_an_idle_device_has_begun_is_known_to_whoever_takes_the_flow_over(
    laptop: FlowDevice, desktop: FlowDevice
) -> None:
    flow = await offered(laptop, desktop)
    assert await laptop.flows.claim(flow, SERVICE, lambda _: True) is None
    assert await begins(laptop, flow)
    await laptop.flows.settled(flow, SERVICE)
    await sync(laptop)
    assert await desktop.go_on(flow, take_over=True) is None
    outcome = await desktop.store.find("k")
    assert outcome is not None
    assert outcome.status is StepStatus.UNKNOWN
    assert not await begins(desktop, flow)


@pytest.mark.parametrize("knows", [True, False])
async def test_a_flow_that_is_taken_from_a_device_in_the_middle_of_a_message_ends_for_both(
    laptop: FlowDevice, desktop: FlowDevice, *, knows: bool
) -> None:
    flow = await offered(laptop, desktop)
    assert await laptop.flows.claim(flow, SERVICE, lambda _: True) is None
    assert await desktop.go_on(flow, take_over=True) == FlowHindered(FlowHindrance.CUT_OFF, "laptop")
    assert await desktop.standing(flow) is FlowStanding.OVER
    under_way = await laptop.store.load(flow, SERVICE)
    assert under_way is not None
    if knows:
        await sync(laptop)
        with pytest.raises(UnclaimedFlowError):
            await begins(laptop, flow)
    else:
        assert await begins(laptop, flow)
    await laptop.store.save(replace(under_way, standing=FlowStanding.ACTIVE))
    assert await laptop.flows.settled(flow, SERVICE) is knows
    ended = await laptop.confirm(flow)
    assert ended == (None if knows else FlowHindered(FlowHindrance.OVER))
    assert await laptop.standing(flow) is FlowStanding.OVER
    assert await desktop.confirm(flow) is None
    assert laptop.executed == []


async def test_a_device_that_was_killed_in_a_message_goes_on_with_no_flow_that_was_taken_from_it(
    laptop: FlowDevice, desktop: FlowDevice
) -> None:
    flow = await offered(laptop, desktop)
    assert await laptop.flows.claim(flow, SERVICE, lambda _: True) is None
    under_way = await laptop.store.load(flow, SERVICE)
    assert under_way is not None
    assert await desktop.go_on(flow, take_over=True) == FlowHindered(FlowHindrance.CUT_OFF, "laptop")
    await sync(laptop)
    await laptop.store.save(replace(under_way, standing=FlowStanding.ACTIVE))
    await laptop.start()
    assert await laptop.confirm(flow) == FlowHindered(FlowHindrance.OVER)
    assert laptop.executed == []
    assert await laptop.begin_again(flow) is None
    assert await laptop.confirm(flow) is None
    assert len(laptop.executed) == 1


async def test_shutting_a_device_out_frees_its_flows(
    laptop: FlowDevice, desktop: FlowDevice, account: MemoryAccount
) -> None:
    idle, busy = await offered(laptop, desktop), await offered(laptop, desktop)
    assert await laptop.go_on(idle) is None
    await sync(laptop)
    assert await laptop.flows.claim(busy, SERVICE, lambda _: True) is None
    laptop.line.revoked = True
    account.shut_out.add(b"laptop")
    assert await desktop.confirm(idle) is None
    assert await desktop.confirm(busy) == FlowHindered(FlowHindrance.CUT_OFF, "laptop")
    assert len(desktop.executed) == 1
    for flow in (idle, busy):
        assert await laptop.confirm(flow) == FlowHindered(FlowHindrance.SHUT_OUT)


async def test_a_flow_of_an_older_sori_that_never_tells_it_is_idle_ends_when_it_is_taken_over(
    laptop: FlowDevice, desktop: FlowDevice
) -> None:
    flow = await offered(laptop, desktop)
    assert await laptop.flows.claim(flow, SERVICE, lambda _: True) is None
    found = await laptop.store.load(flow, SERVICE)
    assert found is not None
    await laptop.store.save(replace(found, standing=FlowStanding.ACTIVE))
    await sync(laptop)
    assert await desktop.go_on(flow, take_over=True) == FlowHindered(FlowHindrance.CUT_OFF, "laptop")


@pytest.mark.parametrize("first", [True, False])
async def test_without_the_server_no_device_goes_on_and_the_flow_is_kept(
    laptop: FlowDevice, desktop: FlowDevice, *, first: bool
) -> None:
    flow = await offered(laptop, desktop)
    device = laptop if first else desktop
    device.line.offline = True
    assert await device.confirm(flow) == UNREACHABLE
    assert await device.standing(flow) is FlowStanding.PARKED
    device.line.offline = False
    assert await device.confirm(flow) is None


async def test_a_step_does_not_run_while_the_account_cannot_confirm_who_goes_on(
    laptop: FlowDevice, desktop: FlowDevice
) -> None:
    flow = await offered(laptop, desktop)
    assert await desktop.go_on(flow) is None
    desktop.line.offline = True
    assert await desktop.confirm(flow) == UNREACHABLE
    assert desktop.executed == []


async def test_while_syncing_is_paused_or_the_device_is_shut_out_nothing_goes_on(laptop: FlowDevice) -> None:
    flow = await offered(laptop)
    laptop.line.revoked = True
    assert await laptop.confirm(flow) == FlowHindered(FlowHindrance.SHUT_OUT)
    laptop.flows.leave(paused=True)
    assert await laptop.confirm(flow) == FlowHindered(FlowHindrance.PAUSED)
    laptop.flows.leave()
    assert await laptop.confirm(flow) == UNREACHABLE


@pytest.mark.parametrize("again", [True, False])
async def test_a_claim_whose_answer_was_lost_gives_the_flow_to_nobody_until_the_next_look(
    laptop: FlowDevice, desktop: FlowDevice, *, again: bool
) -> None:
    flow = await offered(laptop, desktop)
    desktop.line.lost = 1
    assert await desktop.confirm(flow) == UNREACHABLE
    with pytest.raises(UnclaimedFlowError):
        await begins(desktop, flow)
    assert await laptop.confirm(flow) == FlowHindered(FlowHindrance.ELSEWHERE, "desktop")
    if again:
        assert await desktop.confirm(flow) is None
    else:
        await sync(desktop)
        assert await laptop.confirm(flow) is None
    assert len(desktop.executed) == 1


async def test_a_server_that_was_set_back_and_gives_a_number_twice_does_not_make_two_owners(
    laptop: FlowDevice, desktop: FlowDevice, account: MemoryAccount
) -> None:
    flow = await offered(laptop, desktop)
    before = account.newest_number, dict(account.records)
    assert await laptop.go_on(flow) is None
    after = account.newest_number
    account.newest_number, account.records = before
    assert await desktop.go_on(flow) is None
    assert account.newest_number == after
    assert await laptop.confirm(flow) == FlowHindered(FlowHindrance.ELSEWHERE, "desktop")
    assert await desktop.confirm(flow) is None
    assert len(laptop.executed) == 1
    assert await SyncDifferences(laptop.home.database).all() == ()


async def test_a_device_that_notices_that_the_server_was_set_back_must_claim_again(
    laptop: FlowDevice, desktop: FlowDevice, account: MemoryAccount
) -> None:
    flow = await offered(laptop, desktop)
    before = account.newest_number, dict(account.records)
    assert await laptop.go_on(flow) is None
    assert await begins(laptop, flow, "first")
    await sync(laptop)
    account.newest_number, account.records = before
    await sync(laptop)
    with pytest.raises(UnclaimedFlowError):
        await begins(laptop, flow)
    assert await laptop.confirm(flow) is None
    await sync(laptop, desktop)
    outcome = await desktop.store.find("first")
    assert outcome is not None
    assert outcome.status is StepStatus.UNKNOWN


async def test_a_step_whose_outcome_nobody_knows_is_known_everywhere_and_never_repeated(
    laptop: FlowDevice, desktop: FlowDevice
) -> None:
    flow = await laptop.begin()
    assert await begins(laptop, flow)
    await laptop.park(flow)
    await sync(laptop, desktop)
    assert await desktop.go_on(flow) is None
    outcome = await desktop.store.find("k")
    assert outcome is not None
    assert outcome.status is StepStatus.UNKNOWN
    assert not await begins(desktop, flow)


async def test_what_waits_on_a_device_that_joins_is_offered(laptop: FlowDevice, desktop: FlowDevice) -> None:
    await laptop.home.outbox.end()
    flow = await laptop.begin()
    await laptop.park(flow)
    await laptop.join_again()
    await sync(laptop, desktop)
    assert await desktop.confirm(flow) is None
    assert len(laptop.executed) == 1


async def test_who_leaves_the_account_keeps_what_the_account_confirms_and_nothing_else(
    laptop: FlowDevice, desktop: FlowDevice
) -> None:
    held, waiting = await offered(laptop, desktop), await offered(laptop, desktop)
    assert await laptop.go_on(held) is None
    assert await laptop.leave()
    assert await laptop.confirm(held) is None
    assert await laptop.confirm(waiting) == FlowHindered(FlowHindrance.LEFT)
    assert await laptop.standing(waiting) is FlowStanding.PARKED
    for take_over in (False, True):
        taken = await desktop.go_on(held, take_over=take_over)
        assert taken == FlowHindered(FlowHindrance.TAKEN_ALONG, "laptop")
    assert await desktop.confirm(waiting) is None
    assert len(laptop.executed) == 2
    await laptop.join_again()
    await sync(desktop, laptop)
    assert await laptop.standing(waiting) is FlowStanding.OVER


async def test_who_leaves_without_the_server_keeps_no_flow_that_was_offered(laptop: FlowDevice) -> None:
    flow = await offered(laptop)
    assert await laptop.go_on(flow) is None
    laptop.line.offline = True
    assert not await laptop.leave()
    assert await laptop.confirm(flow) == FlowHindered(FlowHindrance.LEFT)
    assert laptop.executed == []


async def test_what_was_never_sent_is_this_devices_own_after_it_has_left(laptop: FlowDevice) -> None:
    flow = await laptop.begin()
    await laptop.park(flow)
    await laptop.leave()
    assert await laptop.confirm(flow) is None
    assert len(laptop.executed) == 1


async def test_what_another_device_may_have_is_not_free_after_joining_and_leaving_once_more(
    laptop: FlowDevice, desktop: FlowDevice
) -> None:
    flow = await offered(laptop, desktop)
    for _ in range(2):
        await laptop.leave()
        await laptop.join_again()
    await laptop.leave()
    assert await desktop.confirm(flow) is None
    assert await laptop.confirm(flow) == FlowHindered(FlowHindrance.LEFT)
    assert len(laptop.executed) == 1


async def test_a_flow_waits_until_the_conversation_has_room_for_it(laptop: FlowDevice, desktop: FlowDevice) -> None:
    flow = await laptop.begin()
    await sync(laptop, desktop)
    found = await laptop.store.load(flow, SERVICE)
    assert found is not None
    await desktop.store.save(replace(found, state={"key": "own"}))
    await laptop.park(flow)
    await sync(laptop, desktop)
    assert await desktop.confirm(flow) is None
    assert desktop.executed == ["own"]
    await sync(desktop)
    assert await desktop.standing(flow) is FlowStanding.PARKED
    assert await desktop.confirm(flow) is None
    assert desktop.executed == ["own", found.state["key"]]


async def test_a_service_that_does_not_understand_the_state_claims_nothing(
    laptop: FlowDevice, desktop: FlowDevice
) -> None:
    flow = await offered(laptop, desktop)
    refused = await desktop.flows.claim(flow, SERVICE, lambda _: False)
    assert refused == FlowHindered(FlowHindrance.OTHER_VERSION)
    assert await laptop.confirm(flow) is None


async def test_a_flow_whose_conversation_is_deleted_for_good_leaves_nothing_on_the_server(
    laptop: FlowDevice, desktop: FlowDevice, account: MemoryAccount
) -> None:
    flow = await offered(laptop, desktop)
    await laptop.home.list.delete(flow)
    await laptop.home.list.purge(flow)
    await sync(laptop, desktop, laptop, desktop)
    assert await desktop.standing(flow) is None
    contents = [json.loads(KEYS.open(each.identity, each.content)) for each in account.records.values()]
    assert [each["text"] for each in contents if each["kind"] == "value"] == [""]
