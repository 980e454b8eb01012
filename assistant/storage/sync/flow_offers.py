"""The flows that were put aside while this device is in an account, so that each of its devices may claim them.

From then on no device goes on with such a flow before the account has accepted its claim. What decides this is noted in
the transaction of the write that it belongs to, before anything is sent.
"""

import sqlite3
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import Final

from assistant.core.records.flows import FlowStanding
from assistant.storage.database import Database
from assistant.storage.identities import new_id
from assistant.storage.sync.flow_form import FlowForm
from assistant.storage.sync.flow_rows import form_of, next_form, put_session
from assistant.storage.sync.flow_taking import FlowTaking

SORT: Final = "flow"
"""The sort of the values in which flows travel."""
_OPEN: Final = "SELECT flow, account, form, held FROM flow_offers WHERE session = ? AND service = ? AND over = 0"
_CHANGE: Final = "UPDATE flow_offers SET form = ?, held = ?, over = ? WHERE flow = ?"
_STANDING: Final = "SELECT standing FROM flow_sessions WHERE session = ? AND service = ?"
_ADD: Final = "INSERT INTO flow_offers (flow, session, service, account, form) VALUES (?, ?, ?, ?, ?)"
_ACCOUNT: Final = "SELECT account FROM sync_place"
_OURS: Final = f"SELECT flow, form FROM flow_offers WHERE account = ({_ACCOUNT})"  # noqa: S608 - a constant
_UNSENT: Final = f"""
DELETE FROM flow_offers WHERE account = ({_ACCOUNT}) AND shared = 0
    AND NOT EXISTS (SELECT 1 FROM sync_texts WHERE path = 'value:{SORT}/' || flow)
"""  # noqa: S608 - constants


@dataclass(frozen=True, slots=True, kw_only=True)
class ThisDevice:
    """How the account knows this device.

    Attributes:
        id: its id there.
        name: its name.
    """

    id: str = ""
    name: str = "?"


@dataclass(frozen=True, slots=True, kw_only=True)
class FlowOffer:
    """A flow that was offered and is not over.

    Attributes:
        flow: its id.
        in_account: whether this device is in the account that decides who goes on with it.
        form: as that account has it, or gets it next.
        held: whether the account has accepted the claim of this device, and nothing has come since.
    """

    flow: str
    in_account: bool
    form: FlowForm
    held: bool


def is_fenced(connection: sqlite3.Connection, session: str, service: str) -> bool:
    """Whether a flow must be claimed before it goes on."""
    found = connection.execute(_OPEN, (session, service)).fetchone()
    return found is not None and not found[3]


def offer(connection: sqlite3.Connection, session: str, service: str) -> None:
    """Note that a flow that was put aside may be claimed, if this device is in an account and goes on with it."""
    account = connection.execute(_ACCOUNT).fetchone()
    if account is None:
        return
    found = connection.execute(_OPEN, (session, service)).fetchone()
    if found is None:
        form = form_of(connection, session, service)
        connection.execute(_ADD, (new_id(), session, service, account[0], form.text))
    elif found[3]:
        connection.execute(_CHANGE, (next_form(connection, FlowForm.of(found[2])).text, 0, 0, found[0]))


def end(connection: sqlite3.Connection, session: str, service: str) -> None:
    """Note that a flow is over, if it is one that this device has claimed."""
    found = connection.execute(_OPEN, (session, service)).fetchone()
    if found is not None and found[3]:
        form = replace(next_form(connection, FlowForm.of(found[2])), over=True)
        connection.execute(_CHANGE, (form.text, 0, 1, found[0]))


def close(connection: sqlite3.Connection, session: str, service: str) -> bool:
    """Let a flow be over here that another device has ended, perhaps during a message; whether it was open until now.

    Args:
        connection: with a transaction open.
        session: id of the conversation.
        service: name of the service.
    """
    found = connection.execute(_OPEN, (session, service)).fetchone()
    if found is None or not (form := FlowForm.of(found[2])).over:
        return False
    standing = connection.execute(_STANDING, (session, service)).fetchone()
    connection.execute(_CHANGE, (found[2], 0, 1, found[0]))
    put_session(connection, form, FlowStanding.OVER)
    return standing is not None and standing[0] != FlowStanding.OVER


def offer_all(connection: sqlite3.Connection) -> None:
    """Offer all that is put aside on a device that joins an account."""
    aside = "SELECT session, service FROM flow_sessions WHERE standing = 'parked'"
    for session, service in connection.execute(aside).fetchall():
        offer(connection, session, service)


def give_up_all(connection: sqlite3.Connection) -> None:
    """Let every flow be claimed again, because the account may no longer know who goes on with it."""
    for flow, form in connection.execute("SELECT flow, form FROM flow_offers WHERE held = 1").fetchall():
        connection.execute(_CHANGE, (next_form(connection, FlowForm.of(form)).text, 0, 0, flow))


def leave(connection: sqlite3.Connection, confirmed: Collection[str]) -> None:
    """Keep what this device alone has, as it leaves an account. What another may have claimed stays fenced.

    Args:
        connection: with a transaction open.
        confirmed: ids of the flows of which the account has just confirmed that this device goes on with them.
    """
    connection.executemany("DELETE FROM flow_offers WHERE held = 1 AND flow = ?", [(flow,) for flow in confirmed])
    give_up_all(connection)
    connection.execute("DELETE FROM flow_offers WHERE over = 1")
    connection.execute(_UNSENT)
    connection.execute("UPDATE flow_offers SET shared = 1")


class FlowOffers:
    """Every method raises ``StorageError`` when the database cannot be read or written.

    Args:
        database: the open database.
    """

    def __init__(self, database: Database) -> None:
        self._database = database

    async def open_one(self, session: str, service: str) -> FlowOffer | None:
        """The offered flow of a service in a conversation; ``None`` if none is open."""

        def work(connection: sqlite3.Connection) -> FlowOffer | None:
            found = connection.execute(_OPEN, (session, service)).fetchone()
            if found is None:
                return None
            flow, account, form, held = found
            in_account = connection.execute(_ACCOUNT).fetchone() == (account,)
            return FlowOffer(flow=flow, in_account=in_account, form=FlowForm.of(form), held=bool(held))

        return await self._database.read(work)

    async def held(self) -> tuple[FlowOffer, ...]:
        """The flows with which this device goes on."""

        def work(connection: sqlite3.Connection) -> tuple[FlowOffer, ...]:
            rows = connection.execute("SELECT flow, form FROM flow_offers WHERE held = 1").fetchall()
            return tuple(
                FlowOffer(flow=flow, in_account=True, form=FlowForm.of(form), held=True) for flow, form in rows
            )

        return await self._database.read(work)

    async def all(self, device: ThisDevice) -> Mapping[str, FlowForm]:
        """The forms of the account's flows, by their ids."""
        rows = await self._database.read(lambda connection: connection.execute(_OURS).fetchall())
        return {flow: FlowForm.of(form).begun_on(device.name) for flow, form in rows}

    async def claimed(self, offer: FlowOffer, form: FlowForm) -> None:
        """Note that the account has accepted a claim of this device.

        Args:
            offer: the flow as it was before. What this device held goes on as it is here, any other one as it is there.
            form: what was claimed. If it is over, nobody goes on.
        """

        def work(connection: sqlite3.Connection) -> None:
            connection.execute(_CHANGE, (form.text, int(not form.over), int(form.over), offer.flow))
            if not offer.held:
                put_session(connection, form, FlowStanding.OVER if form.over else FlowStanding.ACTIVE)

        await self._database.write(work)

    async def settled(self, session: str, service: str) -> bool:
        """Note that nothing is done in a flow any more until this device claims it again, so that its steps are known.

        Returns:
            Whether another device has ended it meanwhile.
        """

        def work(connection: sqlite3.Connection) -> bool:
            found = connection.execute(_OPEN, (session, service)).fetchone()
            if found is not None and found[3]:
                form = FlowForm.of(found[2])
                here = next_form(connection, form)
                here = replace(here, holder=form.holder, holder_name=form.holder_name, idle=True)
                connection.execute(_CHANGE, (here.text, 1, 0, found[0]))
            return close(connection, session, service)

        return await self._database.write(work)

    async def close(self, session: str, service: str) -> bool:
        """See the function of this name."""
        return await self._database.write(lambda connection: close(connection, session, service))

    async def take(self, flow: str, form: FlowForm | None, before: FlowForm | None, device: ThisDevice) -> bool:
        """Take over a flow from the account.

        Args:
            flow: its id.
            form: its form; ``None`` for one that is gone with its conversation.
            before: what is replaced; ``None`` for nothing.
            device: this device.

        Returns:
            Whether ``before`` was still here; nothing has changed otherwise.

        Raises:
            NoRoomError: it cannot be kept now.
        """

        def work(connection: sqlite3.Connection) -> bool:
            (account,) = connection.execute(_ACCOUNT).fetchone()
            here = connection.execute("SELECT form FROM flow_offers WHERE flow = ?", (flow,)).fetchone()
            if before != (None if here is None else FlowForm.of(here[0]).begun_on(device.name)):
                return False
            taking = FlowTaking(connection, flow, device.id)
            if form is None:
                taking.remove()
            else:
                taking.put(form, account)
            return True

        return await self._database.write(work)
