"""Claims a guided flow that was offered to the devices of the account, before it goes on here.

A claim is a change of the flow's record that is based on the newest number, so the account accepts that of one device
only. It is repeated before every message to the flow, so that a server that was set back is noticed before a step runs.

The record's number is the fence: who takes a flow from another device changes the record, and the next claim of that
device is refused. After each message the holder tells that it is idle, with all steps that have begun. Who takes over
from a device that is not idle does not know what it was about to do, so the flow ends.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from assistant.core.errors import StorageError
from assistant.core.records.flows import FlowHindered, FlowHindrance, FlowPlace
from assistant.storage.sync.flow_form import FlowForm
from assistant.storage.sync.flow_offers import SORT, FlowOffer, FlowOffers, ThisDevice
from assistant.sync.store import RevokedError

if TYPE_CHECKING:
    from assistant.sync.syncing import Syncing

log = logging.getLogger(__name__)

_Ask = Callable[["Syncing", FlowOffer], Awaitable[FlowHindered | None]]
_LONGEST_S: Final = 15.0
"""The user waits for an answer; whoever has to wait longer can try again."""
_TRIES: Final = 3
_UNREACHABLE: Final = FlowHindered(FlowHindrance.UNREACHABLE)


class AccountFlows:
    """Implements ``FlowClaims`` (``flows/claims.py``) for a device that may be in an account.

    Args:
        offers: keeps which flows were offered.

    Attributes:
        device: how the account knows this device; as it was last, after it was left.
    """

    def __init__(self, offers: FlowOffers) -> None:
        self._offers = offers
        self._syncing: Syncing | None = None
        self._without = FlowHindrance.UNREACHABLE
        self.device = ThisDevice()

    def join(self, syncing: "Syncing", device: ThisDevice) -> None:
        """Claim in this account from now on."""
        self._syncing, self.device = syncing, device

    def leave(self, *, paused: bool = False) -> None:
        """Claim nothing from now on, because the account is not synced."""
        self._syncing = None
        self._without = FlowHindrance.PAUSED if paused else FlowHindrance.UNREACHABLE

    async def claim(
        self,
        session: str,
        service: str,
        understands: Callable[[Mapping[str, Any]], bool],
        *,
        take_over: bool = False,
    ) -> FlowHindered | None:
        """Let a flow go on here; see the Protocol."""
        return await self._asked(session, service, partial(self._claim, understands, take_over=take_over))

    async def settled(self, session: str, service: str) -> bool:
        """Let the account know that this device does nothing in a flow; see the Protocol."""
        if await self._offers.open_one(session, service) is None:
            return False
        ended = await self._offers.settled(session, service)
        if self._syncing is not None:
            self._syncing.hasten()
        return ended

    async def _asked(self, session: str, service: str, ask: _Ask) -> FlowHindered | None:
        from assistant.sync.sealing import UnopenedError

        offer = await self._offers.open_one(session, service)
        if offer is None:
            return None
        if not offer.in_account:
            return FlowHindered(FlowHindrance.LEFT)
        if (syncing := self._syncing) is None:
            return FlowHindered(self._without)
        try:
            async with asyncio.timeout(_LONGEST_S):
                return await ask(syncing, offer)
        except RevokedError:
            return FlowHindered(FlowHindrance.SHUT_OUT)
        except (StorageError, UnopenedError, TimeoutError) as error:
            log.warning("a flow cannot be claimed: %r", error)
            return _UNREACHABLE

    async def take_along(self) -> tuple[str, ...]:
        """The ids of the flows of which the account accepts now that this device alone ever goes on with them.

        Raises:
            StorageError: it cannot be read which they are.
        """
        held, keep = await self._offers.held(), partial(self._claim, lambda _: True, keeps=True)
        hindered = [await self._asked(each.form.session, each.form.service, keep) for each in held]
        return tuple(each.flow for each, why in zip(held, hindered, strict=True) if why is None)

    async def place(self, session: str, service: str) -> FlowPlace:
        """Where a flow comes from; see the Protocol."""
        offer = await self._offers.open_one(session, service)
        if offer is None:
            return FlowPlace()
        began = offer.form.began
        elsewhere = "" if offer.held else offer.form.holder_name
        return FlowPlace(began="" if began == self.device.name else began, elsewhere=elsewhere)

    async def _claim(
        self,
        understands: Callable[[Mapping[str, Any]], bool],
        syncing: "Syncing",
        offer: FlowOffer,
        *,
        take_over: bool = False,
        keeps: bool = False,
    ) -> FlowHindered | None:
        session, service = offer.form.session, offer.form.service
        for _ in range(_TRIES):
            await syncing.round()
            newest = await self._offers.open_one(session, service)
            if newest is None or newest.flow != offer.flow:
                return FlowHindered(FlowHindrance.OVER)
            form = newest.form
            if form.over:
                ended = await self._offers.close(session, service)
                return FlowHindered(FlowHindrance.OVER) if ended else None
            elsewhere = bool(form.holder) and not newest.held
            if elsewhere and form.kept:
                return FlowHindered(FlowHindrance.TAKEN_ALONG, form.holder_name)
            if elsewhere and not take_over and form.holder not in await syncing.shut_out():
                return FlowHindered(FlowHindrance.ELSEWHERE, form.holder_name)
            if not understands(form.state):
                return FlowHindered(FlowHindrance.OTHER_VERSION)
            claim = replace(self._claiming(form), kept=keeps)
            if cut_off := elsewhere and not form.idle:
                claim = replace(claim, over=True, state={})  # A step may have begun there that is not known here.
            if await syncing.claim(f"{SORT}/{offer.flow}", claim.text, partial(self._offers.claimed, newest, claim)):
                return FlowHindered(FlowHindrance.CUT_OFF, form.holder_name) if cut_off else None
        return _UNREACHABLE

    def _claiming(self, form: FlowForm) -> FlowForm:
        """The form with which this device asks to go on. From then on it may be in the middle of something."""
        device = self.device
        form = replace(form, holder=device.id, holder_name=device.name, revision=form.revision + 1, idle=False)
        return form.begun_on(device.name)
