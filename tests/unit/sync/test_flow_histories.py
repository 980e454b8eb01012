"""Histories of guided flows on three devices: no step runs twice, and no flow is lost."""

import asyncio
from collections.abc import Callable, Coroutine
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from assistant.core.errors import StorageError
from assistant.core.records.flows import FlowHindrance, FlowStanding
from assistant.sync.store import RevokedError
from tests.fakes.sync.account import MemoryAccount
from tests.fakes.sync.flows import FlowDevice, KilledError

DEVICES = st.integers(0, 2)
FLOWS = st.integers(0, 1)


class Histories(RuleBasedStateMachine):
    """Three devices put flows aside, go on with them and confirm them, while everything fails.

    The server is set back to any state that is not older than the last step that has run: who has not seen a step, and
    meets nobody who has, cannot know of it.
    """

    def __init__(self) -> None:
        super().__init__()
        self.loop = asyncio.new_event_loop()
        self.folder = TemporaryDirectory()
        self.account = MemoryAccount()
        self.executed: list[str] = []
        self.flows: list[str] = []
        self.backups: list[tuple[int, dict[bytes, Any]]] = []
        self.gone = self.cut_off = False

    @initialize()
    def three_devices(self) -> None:
        async def opened() -> list[FlowDevice]:
            places = [Path(self.folder.name) / name for name in ("laptop", "desktop", "tablet")]
            return [await FlowDevice.open(each, self.account, self.executed) for each in places]

        self.devices = self.loop.run_until_complete(opened())
        self.begin(0)
        self.hand_over(0, 1, 0)
        self.sync(2)

    def _run(self, device: int, act: Callable[[FlowDevice], Coroutine[Any, Any, Any]]) -> None:
        """Let a device do something; start it again if it is killed meanwhile."""
        before, here = len(self.executed), self.devices[device]

        async def run() -> None:
            try:
                await act(here)
            except KilledError:
                here.fuse.left = -1
                await here.start()
            except (StorageError, RevokedError):
                pass

        self.loop.run_until_complete(run())
        if len(self.executed) > before:
            self.backups.clear()

    def _on_flow(self, device: int, flow: int, act: Callable[[FlowDevice, str], Coroutine[Any, Any, Any]]) -> None:
        if flow < len(self.flows):
            self._run(device, lambda here: act(here, self.flows[flow]))

    @rule(device=DEVICES)
    def begin(self, device: int) -> None:
        async def begun(here: FlowDevice) -> None:
            self.flows.append(await here.begin())

        if len(self.flows) < 2:
            self._run(device, begun)

    @rule(device=DEVICES, flow=FLOWS)
    def park(self, device: int, flow: int) -> None:
        self._on_flow(device, flow, FlowDevice.park)

    @rule(device=DEVICES, flow=FLOWS)
    def go_on(self, device: int, flow: int) -> None:
        self._on_flow(device, flow, FlowDevice.go_on)

    @rule(device=DEVICES, flow=FLOWS)
    def confirm(self, device: int, flow: int) -> None:
        """Say "continue" where the flow waits, and yes."""

        async def confirmed(here: FlowDevice, session: str) -> None:
            if await here.standing(session) is not FlowStanding.ACTIVE:
                await here.go_on(session)
            if await here.standing(session) is FlowStanding.ACTIVE:
                await here.confirm(session)

        self._on_flow(device, flow, confirmed)

    @rule(first=DEVICES, second=DEVICES, flow=FLOWS)
    def hand_over(self, first: int, second: int, flow: int) -> None:
        self.park(first, flow)
        self.sync(first)
        self.sync(second)
        self.go_on(second, flow)

    @rule(device=DEVICES, flow=FLOWS)
    def take_over(self, device: int, flow: int) -> None:
        """Say "continue here", whoever has it."""

        async def taken(here: FlowDevice, session: str) -> None:
            found = await here.go_on(session, take_over=True)
            # The answer that it was cut off may get lost.
            ends = (FlowHindrance.CUT_OFF, FlowHindrance.UNREACHABLE)
            self.cut_off |= found is not None and found.why in ends

        self._on_flow(device, flow, taken)

    @rule(device=DEVICES)
    def sync(self, device: int) -> None:
        self._run(device, lambda here: here.home.sync())

    @rule(device=DEVICES, fault=st.sampled_from(("online", "offline", "lost", "killed")), after=st.integers(0, 12))
    def fail(self, device: int, fault: str, after: int) -> None:
        here = self.devices[device]
        here.line.offline = fault == "offline"
        here.line.lost += fault == "lost"
        here.fuse.left = after if fault == "killed" else here.fuse.left

    @rule(device=DEVICES, flow=FLOWS)
    def set_back(self, device: int, flow: int) -> None:
        """Set the server back to where it was before a device has claimed a flow."""
        before = self.account.newest_number, dict(self.account.records)
        ran = len(self.executed)
        self.go_on(device, flow)
        if len(self.executed) == ran:
            self.account.newest_number, self.account.records = before

    @rule(which=st.integers(0, 3), save=st.booleans())
    def back_up(self, which: int, save: bool) -> None:
        """Back the server up, or set it back."""
        if save:
            self.backups.append((self.account.newest_number, dict(self.account.records)))
        elif which < len(self.backups):
            self.account.newest_number, records = self.backups[which]
            self.account.records = dict(records)

    @rule(device=DEVICES)
    def shut_out(self, device: int) -> None:
        self.gone = True
        self.devices[device].be_shut_out()

    @rule(device=DEVICES)
    def leave(self, device: int) -> None:
        async def left(here: FlowDevice) -> None:
            if await here.leave():
                self.backups.clear()

        self.gone = True
        self._run(device, left)

    @rule(device=DEVICES)
    def join_again(self, device: int) -> None:
        if self.devices[device].line.revoked:
            self._run(device, FlowDevice.join_again)

    @invariant()
    def no_step_runs_twice(self) -> None:
        assert len(self.executed) == len(set(self.executed))

    @invariant()
    def no_flow_is_lost(self) -> None:
        async def everywhere(flow: str) -> set[FlowStanding | None]:
            return {await each.standing(flow) for each in self.devices}

        for flow in self.flows:
            assert self.loop.run_until_complete(everywhere(flow)) != {None}

    def teardown(self) -> None:
        try:
            if not self.gone:
                self.loop.run_until_complete(self._bring_to_an_end())
        finally:
            for each in getattr(self, "devices", []):
                self.loop.run_until_complete(each.home.database.close())
            self.loop.close()
            self.folder.cleanup()

    async def _bring_to_an_end(self) -> None:
        """Once nothing fails any more, every flow can be brought to its end by somebody."""
        for each in self.devices:
            each.line.offline, each.line.lost, each.fuse.left = False, 0, -1
            await each.start()
        for each in self.devices * 2:
            await each.home.sync()
        for flow in self.flows:
            for each in self.devices:
                await each.park(flow)
                await each.home.sync()
            for each in self.devices:
                if await each.standing(flow) is not None:
                    await each.confirm(flow)
                    await each.home.sync()
            assert FlowStanding.OVER in {await each.standing(flow) for each in self.devices}
        assert len(self.executed) == len(set(self.executed))
        begun = {key for each in self.devices for key in each.begun}
        assert self.cut_off or len(begun) == len(self.flows)
        assert set(self.executed) <= begun


TestHistories = Histories.TestCase
TestHistories.settings = settings(max_examples=40, stateful_step_count=40, deadline=None)
