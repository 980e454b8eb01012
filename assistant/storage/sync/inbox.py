"""Takes over what other devices have written.

Where only one device has changed a row since both were alike, its change counts, whatever the clocks say. Where both
have, this device's row stays and is sent again as the newer one, and the other is kept beside it as a difference, which
the user is told of (S-04). Rows that meet for the first time, as in a home that joins anew, are decided by their times.
A deletion always counts, but what was said meanwhile, and the device that deleted did not have, goes on in a
conversation of its own; see ``outliving.py``.
"""

import json
import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from assistant.core.clock import Clock
from assistant.core.errors import StorageError
from assistant.storage.database import Database
from assistant.storage.instants import stored
from assistant.storage.migrations.steps import LATEST
from assistant.storage.rows import MESSAGES, THIS_DEVICE, Rows, write_rows
from assistant.storage.sync import outliving
from assistant.storage.sync.differences import note
from assistant.storage.sync.outbox import keep_number, note_parts, part_of
from assistant.storage.sync.row_contents import SPARED, STAMPS, Content, number_of, put_files
from assistant.storage.sync.tables import SYNCED

log = logging.getLogger(__name__)

SEEN: Final = {
    "conversations": ("title", "deleted_at", "workspace", "agent", "project"),
    "messages": ("text",),
    "people": ("name", "relation", "aliases", "accounts", "phone", "email", "birthday", "note", "deleted_at"),
    "base_prompts": ("text",),
}
"""Columns whose difference a user is shown. Which version of a message is shown can be changed at any time."""
_SHOWN_ANSWERS: Final = """
SELECT parent, id FROM messages WHERE conversation = ? AND shown = 1 AND role = 'assistant'
    ORDER BY added DESC, id DESC
"""
_GREATEST: Final = {"conversations": ("outside", "told_bits")}
"""What guards a conversation is never taken back: the greater value counts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Arrived:
    """A row from the account.

    Attributes:
        number: its number there.
        content: its content.
    """

    number: int
    content: Content


@dataclass(slots=True)
class Taken:
    """What has changed here.

    Attributes:
        tables: names of the tables with new content.
        differences: how many rows were changed on both sides.
        refused: how many rows were older than what was here, as a server would give that was set back.
    """

    tables: set[str] = field(default_factory=set)
    differences: int = 0
    refused: int = 0


class NewerSoriError(StorageError):
    """Another device has a newer Sori, whose rows this one cannot keep."""


class SyncInbox:
    """Takes over rows.

    Every method raises ``StorageError`` when the database cannot be read or written; nothing has changed then.
    """

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database, self._clock = database, clock

    async def take(self, arrived: Sequence[Arrived], pulled: int) -> Taken:
        """Take over rows in one transaction, and note that all numbers until ``pulled`` are here.

        Raises:
            NewerSoriError: a row has a newer form.
        """
        for each in arrived:
            if each.content["schema"] > LATEST or each.content["table"] not in SYNCED:
                raise NewerSoriError(
                    str(self._database.path), "another device has a newer Sori", message_key="sync_newer"
                )
        now = stored(self._clock.now())

        def work(rows: Rows) -> Taken:
            taking = _Taking(rows, now)
            for each in arrived:
                taking.take(each)
            taking.show_one_answer()
            rows.connection.execute("UPDATE sync_place SET pulled = MAX(pulled, ?) WHERE one = 1", (pulled,))
            return taking.taken

        return await write_rows(self._database, self._clock, work)


class _Taking:
    """Takes over rows within one transaction."""

    def __init__(self, rows: Rows, now: str) -> None:
        self._rows, self._connection, self._now = rows, rows.connection, now
        self.taken = Taken()
        self._answers: dict[str, set[str]] = {}
        """The questions to which answers have come, by conversation."""

    def show_one_answer(self) -> None:
        """Show the newest of several answers to one question: two devices may both have answered it anew."""
        for conversation, questions in self._answers.items():
            shown = self._connection.execute(_SHOWN_ANSWERS, (conversation,)).fetchall()
            seen: set[str] = set()
            for question, answer in shown:
                if question in seen:
                    self._rows.change(MESSAGES, answer, {"shown": 0})
                elif question in questions:
                    seen.add(question)

    def take(self, arrived: Arrived) -> None:
        content = arrived.content
        table, identity = str(content["table"]), str(content["id"])
        met = self._one("SELECT 1 FROM sync_numbers WHERE id = ?", identity) is not None
        self._rows.see(content["changed"])
        if not met and outliving.spare(self._connection, content, arrived.number):
            return
        keep_number(self._connection, content, arrived.number)
        if self._one("SELECT 1 FROM tombstones WHERE id = ?", identity):
            if not met and table == "conversations":
                outliving.note_unknown(self._connection, identity, arrived.number)
            if content.get("deleted"):
                self._connection.execute("DELETE FROM sync_outbox WHERE id = ?", (identity,))
            return
        if content.get("deleted"):
            self._delete(table, identity, arrived)
        elif conversation := self._missing_conversation(content):
            self._hold(arrived, conversation)
        else:
            self._put(table, identity, content, met=met)

    def _put(self, table: str, identity: str, content: Content, *, met: bool) -> None:
        self._connection.execute("DELETE FROM sync_held WHERE id = ?", (identity,))
        here = self._one(f"SELECT changed, changed_by FROM {table} WHERE id = ?", identity)  # noqa: S608 - our names
        if here is None:
            self._write(table, identity, content)
            self._release(identity)
            return
        by = number_of(self._connection, content["changed_by"])
        if here == (content["changed"], by):
            # This device's own change, whose acknowledgement was lost.
            self._connection.execute(
                "DELETE FROM sync_outbox WHERE id = ? AND changed = ?", (identity, content["changed"])
            )
        elif by == THIS_DEVICE and content["changed"] < here[0]:
            # This device's own change before last; the newest one is waiting.
            return
        elif self._one("SELECT 1 FROM sync_outbox WHERE id = ?", identity) and (met or content["changed"] < here[0]):
            self._keep_both(table, identity, content)
        elif content["changed"] > here[0]:
            self._write(table, identity, content)
        else:
            self.taken.refused += 1
            log.warning("the account gave an older row of %s", table)

    def _write(self, table: str, identity: str, content: Content) -> None:
        stamps = {name: content[name] for name in STAMPS}
        for name in ("device", "changed_by"):
            stamps[name] = number_of(self._connection, stamps[name])
        known = {name for (name,) in self._connection.execute("SELECT name FROM pragma_table_info(?)", (table,))}
        row = {name: value for name, value in content["row"].items() if name in known}
        values = {"id": identity, **stamps, **row}
        names, places = ", ".join(values), ", ".join("?" * len(values))
        over = ", ".join(f"{name} = excluded.{name}" for name in values if name != "id")
        self._connection.execute(
            f"INSERT INTO {table} ({names}) VALUES ({places}) ON CONFLICT (id) DO UPDATE SET {over}",  # noqa: S608
            tuple(values.values()),
        )
        # A home that was copied to another computer has the same id, so the trigger took the row for one of its own.
        self._connection.execute("DELETE FROM sync_outbox WHERE id = ?", (identity,))
        if table == "messages":
            if row["role"] == "assistant" and row["parent"]:
                self._answers.setdefault(row["conversation"], set()).add(row["parent"])
            put_files(self._connection, identity, content.get("files", []))
        self.taken.tables.add(table)

    def _keep_both(self, table: str, identity: str, content: Content) -> None:
        """Let this device's row stay, as the newer one, and keep the other as a difference if a user would see it."""
        found = self._connection.execute(f"SELECT * FROM {table} WHERE id = ?", (identity,))  # noqa: S608 - our names
        row = dict(zip((column[0] for column in found.description), found.fetchone(), strict=True))
        theirs: Mapping[str, Any] = content["row"]
        greatest = {name: max(row[name], theirs.get(name, 0)) for name in _GREATEST.get(table, ())}
        values = {"revision": max(row["revision"], content["revision"]) + 1, "changed": self._rows.time(), **greatest}
        assigned = ", ".join(f"{name} = ?" for name in values)
        self._connection.execute(
            f"UPDATE {table} SET {assigned} WHERE id = ?",  # noqa: S608 - our names
            (*values.values(), identity),
        )
        seen = {name: theirs[name] for name in SEEN[table] if name in theirs and theirs[name] != row[name]}
        if seen:
            self.taken.differences += 1
            note(self._connection, self._now, table, identity, {name: row[name] for name in seen}, seen)

    def _delete(self, table: str, identity: str, arrived: Arrived) -> None:
        content = arrived.content
        by = number_of(self._connection, content["changed_by"])
        device = number_of(self._connection, content["device"])
        if table == "conversations" and outliving.save(self._rows, content, arrived.number):
            self.taken.tables.add("conversations")
        self._connection.execute("DELETE FROM sync_differences WHERE of_table = ? AND name = ?", (table, identity))
        self._connection.execute(
            "INSERT INTO tombstones (id, of_table, device, revision, changed, changed_by) VALUES (?, ?, ?, ?, ?, ?)",
            (identity, table, device, content["revision"], content["changed"], by),
        )
        self._connection.execute(f"DELETE FROM {table} WHERE id = ?", (identity,))  # noqa: S608 - our names
        self._connection.execute("DELETE FROM sync_outbox WHERE id = ?", (identity,))
        self._connection.execute("DELETE FROM sync_held WHERE awaits = ? OR id = ?", (identity, identity))
        if table == "conversations":
            # Also what this device has added and no other knew of.
            note_parts(self._connection, identity, self._rows.time(), without=content.get(SPARED, ()))
        self.taken.tables.add(table)

    def _missing_conversation(self, content: Content) -> str:
        """The conversation that a message needs and that has not come yet; empty for none."""
        conversation = part_of(content)
        if not conversation or self._one("SELECT 1 FROM conversations WHERE id = ?", conversation):
            return ""
        return conversation

    def _hold(self, arrived: Arrived, conversation: str) -> None:
        """Keep a message until its conversation comes: a conversation stands at its newest number, behind them."""
        if self._one("SELECT 1 FROM tombstones WHERE id = ?", conversation):
            return
        self._connection.execute(
            "INSERT OR REPLACE INTO sync_held (id, awaits, number, content) VALUES (?, ?, ?, ?)",
            (arrived.content["id"], conversation, arrived.number, json.dumps(arrived.content, ensure_ascii=False)),
        )

    def _release(self, conversation: str) -> None:
        """Take over the messages that have waited for a conversation."""
        held = "SELECT id, content FROM sync_held WHERE awaits = ? ORDER BY number"
        for identity, content in self._connection.execute(held, (conversation,)).fetchall():
            self._put("messages", identity, json.loads(content), met=False)

    def _one(self, query: str, *values: Any) -> tuple[Any, ...] | None:
        found: tuple[Any, ...] | None = self._connection.execute(query, values).fetchone()
        return found
