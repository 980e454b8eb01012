"""Takes over one flow as the account has it, within one transaction."""

import sqlite3
from dataclasses import replace
from typing import Any, Final

from assistant.core.records.flows import FlowStanding
from assistant.storage.sync.flow_form import FlowForm
from assistant.storage.sync.flow_rows import next_form, put_session, put_steps, steps_of

_HERE: Final = "SELECT form, held, over FROM flow_offers WHERE flow = ?"
_PUT: Final = """
INSERT INTO flow_offers (flow, session, service, account, form, held, over, shared) VALUES (?, ?, ?, ?, ?, 0, ?, 1)
ON CONFLICT (flow) DO UPDATE SET form = excluded.form, held = 0, over = excluded.over, shared = 1
"""
_TAKEN: Final = """
SELECT 1 FROM flow_offers WHERE session = :session AND service = :service AND over = 0
UNION SELECT 1 FROM flow_sessions WHERE session = :session AND service = :service AND standing <> 'over'
"""


class NoRoomError(Exception):
    """The conversation of a flow is not here, or has another flow of the service that is not over."""


class FlowTaking:
    """Takes over a flow.

    Args:
        connection: with a transaction open.
        flow: its id.
        device: id of this device in the account.
    """

    def __init__(self, connection: sqlite3.Connection, flow: str, device: str) -> None:
        self._connection, self._flow, self._device = connection, flow, device

    def put(self, form: FlowForm, account: str) -> None:
        """Keep a form. From then on the flow must be claimed here.

        Raises:
            NoRoomError: it cannot be kept now; nothing has changed.
        """
        here = self._here()
        if here is None:
            self._find_room(form)
        put_steps(self._connection, form)
        kept = self._counting(form, here)
        kept = replace(kept, steps=steps_of(self._connection, form.session, form.service))
        # Where a message to it is under way here, it stays fenced until that has ended; see ``close``.
        under_way = here is not None and bool(here[1]) and not FlowForm.of(here[0]).idle
        values = (self._flow, form.session, form.service, account, kept.text, int(kept.over and not under_way))
        self._connection.execute(_PUT, values)
        if not kept.over:
            put_session(self._connection, kept, FlowStanding.PARKED)
        elif here is not None and not here[2]:
            put_session(self._connection, kept, FlowStanding.OVER)

    def remove(self) -> None:
        """Forget a flow whose conversation is gone."""
        here = self._here()
        if here is None:
            return
        form = FlowForm.of(here[0])
        self._connection.execute("DELETE FROM flow_offers WHERE flow = ?", (self._flow,))
        if not here[2]:
            query = "DELETE FROM flow_sessions WHERE session = ? AND service = ?"
            self._connection.execute(query, (form.session, form.service))

    def _counting(self, form: FlowForm, here: tuple[Any, ...] | None) -> FlowForm:
        """The form that is kept. What is over stays so.

        What the account says this device holds is offered again: the answer to its claim was lost, or the flow was
        changed meanwhile.
        """
        if here is not None and here[2] and not form.over:
            return replace(FlowForm.of(here[0]), revision=form.revision + 1)
        if form.over or form.holder != self._device:
            return form
        if here is not None and here[1]:
            newer = max(FlowForm.of(here[0]), form, key=lambda each: each.revision)
            return next_form(self._connection, newer)
        return replace(form, holder="", holder_name="", revision=form.revision + 1)

    def _find_room(self, form: FlowForm) -> None:
        conversation = "SELECT 1 FROM conversations WHERE id = ?"
        if self._connection.execute(conversation, (form.session,)).fetchone() is None:
            raise NoRoomError
        place = {"session": form.session, "service": form.service}
        if not form.over and self._connection.execute(_TAKEN, place).fetchone() is not None:
            raise NoRoomError

    def _here(self) -> tuple[Any, ...] | None:
        found: tuple[Any, ...] | None = self._connection.execute(_HERE, (self._flow,)).fetchone()
        return found
