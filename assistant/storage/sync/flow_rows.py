"""Reads and writes the rows of a flow, its session and its steps, as one form."""

import json
import sqlite3
from dataclasses import replace
from typing import Any, Final

from assistant.core.records.flows import FlowStanding
from assistant.storage.sync.flow_form import FlowForm

_SESSION: Final = "SELECT state, memory, changed_at FROM flow_sessions WHERE session = ? AND service = ?"
PUT_SESSION: Final = """
INSERT INTO flow_sessions (session, service, standing, state, memory, changed_at) VALUES (?, ?, ?, ?, ?, ?)
ON CONFLICT (session, service) DO UPDATE SET
    standing = excluded.standing, state = excluded.state, memory = excluded.memory, changed_at = excluded.changed_at
"""
_COLUMNS: Final = ("step", "digest", "begun_at", "outcome", "text")
_STEPS: Final = f"SELECT key, {', '.join(_COLUMNS)} FROM flow_steps WHERE session = ? AND service = ?"  # noqa: S608
_PUT_STEP: Final = f"""
INSERT INTO flow_steps (session, service, key, {", ".join(_COLUMNS)}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (key) DO UPDATE SET outcome = excluded.outcome, text = excluded.text WHERE outcome = 'unknown'
"""  # noqa: S608 - constants


def form_of(connection: sqlite3.Connection, session: str, service: str, *, revision: int = 1) -> FlowForm:
    """A flow as it is here, for every device to claim."""
    state, memory, changed_at = connection.execute(_SESSION, (session, service)).fetchone()
    return FlowForm(
        session=session,
        service=service,
        revision=revision,
        state=json.loads(state),
        memory=json.loads(memory),
        changed_at=changed_at,
        steps=steps_of(connection, session, service),
    )


def next_form(connection: sqlite3.Connection, former: FlowForm) -> FlowForm:
    """A flow as it is here now, after a former form of it."""
    form = form_of(connection, former.session, former.service, revision=former.revision + 1)
    return replace(form, began=former.began)


def steps_of(connection: sqlite3.Connection, session: str, service: str) -> dict[str, dict[str, str]]:
    """The steps that have begun, by key."""
    rows: list[tuple[Any, ...]] = connection.execute(_STEPS, (session, service)).fetchall()
    return {key: dict(zip(_COLUMNS, values, strict=True)) for key, *values in rows}


def put_steps(connection: sqlite3.Connection, form: FlowForm) -> None:
    """Keep the steps of a form. How a step has ended here is not taken back."""
    for key, step in form.steps.items():
        values = (form.session, form.service, key, *(step[name] for name in _COLUMNS))
        connection.execute(_PUT_STEP, values)


def put_session(connection: sqlite3.Connection, form: FlowForm, standing: FlowStanding) -> None:
    """Keep the session of a form in place of its former one."""
    texts = (json.dumps(each, ensure_ascii=False) for each in (form.state, form.memory))
    connection.execute(PUT_SESSION, (form.session, form.service, standing.value, *texts, form.changed_at))
