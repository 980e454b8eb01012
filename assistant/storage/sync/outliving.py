"""Messages that outlive their conversation: whoever deleted it did not have them.

The device that deletes tells which messages came only afterwards (``spare``); they are in ``sync_held`` until then.
The device that wrote them moves them into a conversation of its own, with all that guards the former one (``save``).
"""

import json
import sqlite3

from assistant.storage.identities import new_id
from assistant.storage.rows import CONVERSATIONS, MESSAGES, THIS_DEVICE, Rows
from assistant.storage.sync.row_contents import SPARED, STAMPS, Content, number_of

_UNSENT = """
SELECT 1 FROM tombstones WHERE id = :id AND changed_by = :here
    AND id IN (SELECT id FROM sync_outbox) AND id IN (SELECT id FROM sync_numbers)
    AND id NOT IN (SELECT id FROM sync_held)
"""
"""A conversation that this device had in the account, and has deleted without having told that yet."""
_HOLD = "INSERT OR REPLACE INTO sync_held (id, awaits, number, content) VALUES (?, ?, ?, '')"
_ALONE = """
SELECT id, parent FROM messages LEFT JOIN sync_numbers USING (id) WHERE conversation = :conversation
    AND (number IS NULL OR device = :here AND (number > :deleted OR id IN (SELECT value FROM json_each(:spared))))
"""


def spare(connection: sqlite3.Connection, content: Content, number: int) -> bool:
    """Whether a row is a message of another device that is new to this one, which has deleted its conversation.

    Args:
        connection: with a transaction open.
        content: the row.
        number: its number in the account.
    """
    if content["table"] != "messages" or content.get("deleted"):
        return False
    conversation = str(content["row"]["conversation"])
    if number_of(connection, content["device"]) == THIS_DEVICE:
        return False
    if connection.execute(_UNSENT, {"id": conversation, "here": THIS_DEVICE}).fetchone() is None:
        return False
    connection.execute(_HOLD, (content["id"], conversation, number))
    return True


def note_unknown(connection: sqlite3.Connection, identity: str, number: int) -> None:
    """Note that what was deleted here was not known from the account, as before joining it again.

    So nothing tells which of its messages this device had.
    """
    connection.execute(_HOLD, (identity, "", number))


def save(rows: Rows, deletion: Content, number: int) -> bool:
    """Move what outlives a conversation that is about to be deleted; whether there is anything.

    Args:
        rows: the transaction.
        deletion: the conversation's.
        number: its number in the account.
    """
    conversation = str(deletion["id"])
    wanted = {
        "conversation": conversation,
        "here": THIS_DEVICE,
        "deleted": number,
        "spared": json.dumps(deletion.get(SPARED, [])),
    }
    own = dict(rows.connection.execute(_ALONE, wanted).fetchall())
    found = rows.connection.execute("SELECT * FROM conversations WHERE id = ?", (conversation,))
    values = found.fetchone()
    if not own or values is None:
        return False
    row = dict(zip((column[0] for column in found.description), values, strict=True))
    row = {name: value for name, value in row.items() if name not in STAMPS}
    row |= {"id": new_id(), "deleted_at": "", "summary": "", "summarised_until": ""}
    rows.add(CONVERSATIONS, row)
    for each, parent in own.items():
        kept = parent if parent in own else ""
        rows.change(MESSAGES, each, {"conversation": row["id"], "parent": kept})
    return True
