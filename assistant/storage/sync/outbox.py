"""What this device has written and the account does not have yet."""

import json
import sqlite3
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from assistant.core.clock import Clock
from assistant.storage.database import Database
from assistant.storage.rows import THIS_DEVICE
from assistant.storage.sync import device_notes, flow_offers, tables
from assistant.storage.sync.row_contents import Content, content_of, deletion

_WAITING = """
SELECT id, of_table, changed FROM sync_outbox
WHERE of_table <> 'conversations' OR id IN (SELECT id FROM sync_numbers)
    OR EXISTS (SELECT 1 FROM messages WHERE conversation = sync_outbox.id)
ORDER BY CASE of_table WHEN 'conversations' THEN 0 WHEN 'messages' THEN 2 WHEN 'tombstones' THEN 3 ELSE 1 END,
    changed, id LIMIT ?
"""
"""Conversations before their messages, and deletions last: messages may have been moved out of what is deleted. A
conversation in which nothing was said yet stays here; every start makes one and removes one."""
_NUMBER = "SELECT number FROM sync_numbers WHERE id = ?"
_KEPT = """
INSERT INTO sync_numbers (id, number, part_of) VALUES (?, ?, ?)
ON CONFLICT (id) DO UPDATE SET number = MAX(number, excluded.number),
    part_of = CASE excluded.part_of WHEN '' THEN part_of ELSE excluded.part_of END
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class WaitingRow:
    """A row that waits to leave.

    Attributes:
        identity: its id.
        based_on: the number under which the account has it; 0 for not yet.
        changed: hybrid time of the change.
        content: its content.
    """

    identity: str
    based_on: int
    changed: int
    content: Content


@dataclass(frozen=True, slots=True, kw_only=True)
class SyncPlace:
    """Where this device stands in an account.

    Attributes:
        account: its id in hexadecimal digits.
        pulled: all numbers until this one are here.
        new: whether it joins: it has not yet had a whole round in the account.
        seen: when the account has seen this device last, as far as that matters; see ``keep_seen``.
    """

    account: str
    pulled: int
    new: bool = False
    seen: datetime | None = None


class SyncOutbox:
    """Rows that wait to leave.

    Every method raises ``StorageError`` when the database cannot be read or written.
    """

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database, self._clock = database, clock

    async def begin(self, account: str) -> SyncPlace:
        """Take part in an account from now on. All that is here waits to leave, unless this device was in it before."""

        def work(connection: sqlite3.Connection) -> SyncPlace:
            found = connection.execute("SELECT account, pulled FROM sync_place").fetchone()
            if found is not None and found[0] != account:
                tables.end(connection)
                found = None
            tables.begin(connection)
            if found is None:
                tables.note_all(connection)
                connection.execute("INSERT INTO sync_place (one, account, pulled) VALUES (1, ?, 0)", (account,))
                flow_offers.offer_all(connection)
                device_notes.put(connection, device_notes.JOINS)
                found = (account, 0)
            new = device_notes.get(connection, device_notes.JOINS) is not None
            seen = device_notes.get(connection, device_notes.SEEN)
            return SyncPlace(
                account=account, pulled=found[1], new=new, seen=None if seen is None else datetime.fromisoformat(seen)
            )

        return await self._database.write(work)

    async def joined(self) -> None:
        """Note that this device has met all that the account has, so that it joins no more."""
        await self._database.write(lambda connection: device_notes.drop(connection, device_notes.JOINS))

    async def keep_seen(self, seen: datetime) -> None:
        """Note when the account had seen this device after its last exchange.

        Args:
            seen: by the server's clock. A server that has seen it at an earlier time only is not the same any more.
        """
        text = seen.isoformat()
        await self._database.write(lambda connection: device_notes.put(connection, device_notes.SEEN, text))

    async def compare_seen(self, seen: datetime) -> None:
        """Learn when the account had seen this device before it joined once more, so that a server set back is known.

        Args:
            seen: by the server's clock.
        """

        def work(connection: sqlite3.Connection) -> None:
            noted = device_notes.get(connection, device_notes.SEEN)
            if noted is not None and seen < datetime.fromisoformat(noted):
                device_notes.put(connection, device_notes.SEEN, datetime.max.replace(tzinfo=UTC).isoformat())

        await self._database.write(work)

    async def end(self, own_flows: Collection[str] = ()) -> None:
        """Take part no longer, and note that this device has left. What is here stays.

        Args:
            own_flows: ids of the offered flows that go on here, as the account has just confirmed.
        """

        def work(connection: sqlite3.Connection) -> None:
            tables.end(connection, own_flows)
            device_notes.put(connection, device_notes.LEFT)

        await self._database.write(work)

    async def has_left(self) -> bool:
        """Whether this device has left an account, and something of that may be left to do."""
        return await self._database.read(lambda used: device_notes.get(used, device_notes.LEFT) is not None)

    async def settle_leaving(self) -> None:
        """Note that nothing of leaving is left to do."""
        await self._database.write(lambda connection: device_notes.drop(connection, device_notes.LEFT))

    async def count(self) -> int:
        """How many rows wait."""
        counted = f"SELECT COUNT(*) FROM ({_WAITING})"  # noqa: S608 - a constant
        return await self._database.read(lambda connection: int(connection.execute(counted, (-1,)).fetchone()[0]))

    async def waiting(self, most: int, most_bytes: int) -> list[WaitingRow]:
        """The rows that leave next, conversations before their messages; fewer where they are large, at least one."""

        def work(connection: sqlite3.Connection) -> list[WaitingRow]:
            found: list[WaitingRow] = []
            size = 0
            for identity, table, changed in connection.execute(_WAITING, (most,)).fetchall():
                content = content_of(connection, table, identity)
                if content is None:
                    content = _gone_with_its_conversation(connection, table, identity, changed)
                size += _size(content)
                if found and size > most_bytes:
                    break
                based_on = connection.execute(_NUMBER, (identity,)).fetchone()
                number = 0 if based_on is None else based_on[0]
                found.append(WaitingRow(identity=identity, based_on=number, changed=changed, content=content))
            return found

        return await self._database.read(work)

    async def left(self, sent: Sequence[tuple[WaitingRow, int]], pulled: int) -> None:
        """Note under which numbers the account has rows now. A row that was changed meanwhile goes on waiting.

        Args:
            sent: the rows and their numbers.
            pulled: all numbers until this one are here.
        """

        def work(connection: sqlite3.Connection) -> None:
            for each, number in sent:
                keep_number(connection, each.content, number)
                connection.execute(
                    "DELETE FROM sync_outbox WHERE id = ? AND changed = ?", (each.identity, each.changed)
                )
                if each.content.get("deleted") and each.content["table"] == "conversations":
                    note_parts(connection, each.identity, each.changed)
            connection.execute("UPDATE sync_place SET pulled = MAX(pulled, ?) WHERE one = 1", (pulled,))

        await self._database.write(work)

    async def forget_account(self) -> None:
        """Forget what the account has, because its server was set back. All that is here waits to leave again."""

        def work(connection: sqlite3.Connection) -> None:
            for table in ("sync_numbers", "sync_held"):
                connection.execute(f"DELETE FROM {table}")  # noqa: S608 - constants
            connection.execute("DELETE FROM sync_texts WHERE path LIKE 'held:%'")
            # What is here was in the account, so it does not give way as on a device that joins.
            connection.execute("UPDATE sync_texts SET number = 0, base = '' WHERE path NOT LIKE 'note:%'")
            connection.execute("UPDATE sync_place SET pulled = 0 WHERE one = 1")
            device_notes.drop(connection, device_notes.SEEN)
            tables.note_all(connection)
            flow_offers.give_up_all(connection)

        await self._database.write(work)

    async def pull_again(self) -> None:
        """Take all that the account has once more."""
        await self._database.write(
            lambda connection: connection.execute("UPDATE sync_place SET pulled = 0 WHERE one = 1")
        )


def keep_number(connection: sqlite3.Connection, content: Content, number: int) -> None:
    """Note under which number the account has a row. Numbers only grow."""
    connection.execute(_KEPT, (content["id"], number, part_of(content)))


def part_of(content: Content) -> str:
    """The id of the conversation of a message; empty for other rows."""
    return str(content["row"]["conversation"]) if content["table"] == "messages" and "row" in content else ""


def note_parts(connection: sqlite3.Connection, conversation: str, changed: int, *, without: Sequence[str] = ()) -> None:
    """Let the messages of a deleted conversation leave as deletions, so that the server keeps nothing of them.

    Args:
        connection: with a transaction open.
        conversation: its id.
        changed: hybrid time of the deletion.
        without: ids of messages that go on elsewhere.
    """
    connection.execute(
        "INSERT OR REPLACE INTO sync_outbox (id, of_table, changed) SELECT id, 'messages', ? FROM sync_numbers"
        " WHERE part_of = ? AND id NOT IN (SELECT value FROM json_each(?))",
        (changed, conversation, json.dumps(list(without))),
    )


def _gone_with_its_conversation(connection: sqlite3.Connection, table: str, identity: str, changed: int) -> Content:
    """The deletion of a message that has no tombstone, because that of its conversation covers it."""
    (device,) = connection.execute("SELECT id FROM devices WHERE number = ?", (THIS_DEVICE,)).fetchone()
    return deletion(table, identity, changed, str(device))


def _size(content: Content) -> int:
    row = content.get("row", {})
    texts = sum(len(value) for value in row.values() if isinstance(value, str))
    return 500 + 3 * texts + sum(len(each["data"]) for each in content.get("files", ()))
