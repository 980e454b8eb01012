"""Copies the beginning of a conversation into a new one."""

import re
from itertools import count

from assistant.storage.identities import new_id
from assistant.storage.rows import CONVERSATIONS, MESSAGES, Rows

_CONVERSATION = """
SELECT title, titled_by, model, workspace, agent, outside, told_bits FROM conversations WHERE id = ? AND deleted_at = ''
"""
_COLUMNS = (
    *("origin", "role", "text", "reasoning", "heard", "completion", "error", "provider", "model", "tool_uses"),
    *("tool_use_id", "usage", "signatures", "superseded", "own_words", "error_text", "citations", "turn"),
    "created_at",
)
_PATH = f"""
SELECT id, {", ".join(_COLUMNS)} FROM messages WHERE conversation = ? AND shown = 1 ORDER BY added, id
"""  # noqa: S608 - constants of this program
_TITLES = "SELECT title FROM conversations WHERE deleted_at = ''"
_NUMBER = re.compile(r" \(\d+\)$")
_COPY_FILES = """
INSERT INTO attachments (message, position, mime_type, name, data)
    SELECT ?, position, mime_type, name, data FROM attachments WHERE message = ?
"""


def branch(rows: Rows, conversation: str, message: str, created_at: str, shown_title: str) -> str:
    """Make a conversation with copies of the shown messages up to ``message``, to the end of its answer.

    Args:
        rows: the transaction.
        conversation: the conversation to copy from.
        message: id of one of its shown messages.
        created_at: ISO 8601 with offset.
        shown_title: title of that conversation in the list. The new one gets it with a number.

    Returns:
        Id of the new conversation; empty, writing nothing, if the conversation does not show such a message.
    """
    copied = _path(rows, conversation, message)
    found = rows.connection.execute(_CONVERSATION, (conversation,)).fetchone()
    if not copied or found is None:
        return ""
    title, titled_by, model, workspace, agent, outside, told_bits = found
    new = new_id()
    if shown_title:
        title, titled_by = _numbered(rows, shown_title), titled_by or "model"
    own = {"id": new, "created_at": created_at, "title": title, "titled_by": titled_by, "branched_from": message}
    provenance = {"outside": outside, "told_bits": told_bits}
    rows.add(CONVERSATIONS, {**own, "model": model, "workspace": workspace, "agent": agent, **provenance})
    parent = ""
    for identity, *values in copied:
        copy = new_id()
        row = dict(zip(_COLUMNS, values, strict=True))
        rows.add(MESSAGES, {"id": copy, "conversation": new, "parent": parent, **row})
        rows.connection.execute(_COPY_FILES, (copy, identity))
        parent = copy
    return new


def _numbered(rows: Rows, title: str) -> str:
    """The title with the first number from 2 on that no conversation of the list has."""
    titles = {str(row[0]) for row in rows.connection.execute(_TITLES)}
    plain = _NUMBER.sub("", title)
    return next(each for each in (f"{plain} ({number})" for number in count(2)) if each not in titles)


def _path(rows: Rows, conversation: str, message: str) -> list[tuple[str, ...]]:
    """The rows to copy: up to ``message``, and on to the next message of the user."""
    path = rows.connection.execute(_PATH, (conversation,)).fetchall()
    at = next((number for number, row in enumerate(path) if row[0] == message), -1)
    role = 1 + _COLUMNS.index("role")
    end = next((number for number in range(at + 1, len(path)) if path[number][role] == "user"), len(path))
    return path[:end] if at >= 0 else []
