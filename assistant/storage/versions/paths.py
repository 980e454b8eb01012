"""Versions of messages within a conversation: an edited question, or an answer that was made anew.

Each message names its ``parent``, the message before it. Children of one parent are versions of each other. Of all
versions one path is ``shown``; the others are kept. A message is younger than its parent, so the shown messages in the
order of their times are the path.

The functions work within one transaction.
"""

import sqlite3
from collections.abc import Mapping
from typing import Any

from assistant.storage.rows import CONVERSATIONS, MESSAGES, THIS_DEVICE, Row, Rows

_NEWEST = """
SELECT id FROM messages WHERE conversation = ? AND shown = 1 AND id != ? ORDER BY added DESC, id DESC LIMIT 1
"""
_QUESTION = """
SELECT id FROM messages WHERE conversation = :conversation AND shown = 1 AND role = 'user'
    AND (added, id) < (SELECT added, id FROM messages WHERE id = :answer) ORDER BY added DESC, id DESC LIMIT 1
"""
_FROM = """
SELECT id FROM messages WHERE conversation = :conversation AND shown = 1
    AND (added, id) >= (SELECT added, id FROM messages WHERE id = :first)
"""
_AFTER = _FROM.replace(">=", ">")
_TREE = "SELECT id, parent, shown FROM messages WHERE conversation = ? ORDER BY added, id"
_FORKS = "SELECT DISTINCT parent FROM messages WHERE conversation = ? AND shown = 0"
_CHILDREN = "SELECT parent, id FROM messages WHERE conversation = ? ORDER BY added, id"
_WITH_HIDDEN = f"SELECT DISTINCT conversation FROM messages WHERE shown = 0 AND changed_by = {THIS_DEVICE}"  # noqa: S608
"""What another device has hidden it settles itself: its new answer may still be on the way."""


def with_parent(rows: Rows, row: Mapping[str, Any]) -> Row:
    """The columns of a message with its parent: the newest shown message, unless the row names one."""
    if row["parent"] is not None:
        return dict(row)
    newest = rows.connection.execute(_NEWEST, (row["conversation"], row["id"])).fetchone()
    return {**row, "parent": newest[0] if newest else ""}


def is_shown(connection: sqlite3.Connection, conversation: str, message: str) -> bool:
    """Whether the conversation shows a message."""
    query = "SELECT EXISTS (SELECT 1 FROM messages WHERE id = ? AND conversation = ? AND shown = 1)"
    return bool(connection.execute(query, (message, conversation)).fetchone()[0])


def question_of(connection: sqlite3.Connection, conversation: str, answer: str) -> str:
    """Id of the shown question before an answer; empty if there is none."""
    found = connection.execute(_QUESTION, {"conversation": conversation, "answer": answer}).fetchone()
    return "" if found is None else str(found[0])


def hide_from(rows: Rows, conversation: str, message: str) -> None:
    """Hide a message and all shown ones after it."""
    _hide(rows, conversation, _FROM, message)


def hide_after(rows: Rows, conversation: str, message: str) -> None:
    """Hide all shown messages after one."""
    _hide(rows, conversation, _AFTER, message)


def _hide(rows: Rows, conversation: str, query: str, first: str) -> None:
    for (each,) in rows.connection.execute(query, {"conversation": conversation, "first": first}).fetchall():
        rows.change(MESSAGES, each, {"shown": 0})
    _drop_summary(rows, conversation)


def show(rows: Rows, conversation: str, message: str) -> bool:
    """Show the path through a message, with what was shown after it, else its newest descendants. Hide the rest.

    Returns:
        Whether the shown path has changed.
    """
    tree = rows.connection.execute(_TREE, (conversation,)).fetchall()
    parents = {identity: parent for identity, parent, _ in tree}
    if message not in parents:
        return False
    newest_child = {parent: identity for identity, parent, _ in tree}
    # A message that is shown already keeps what follows it.
    newest_child |= {parent: identity for identity, parent, shown in tree if shown}
    path = {message}
    at = message
    while (at := parents.get(at, "")) and at not in path:
        path.add(at)
    at = message
    while (at := newest_child.get(at, "")) and at not in path:
        path.add(at)
    changed = [identity for identity, _, shown in tree if bool(shown) != (identity in path)]
    for each in changed:
        rows.change(MESSAGES, each, {"shown": int(each in path)})
    if changed:
        _drop_summary(rows, conversation)
    return bool(changed)


def settle(rows: Rows, conversation: str) -> bool:
    """Show the newest version again where the path ends above hidden messages: a new answer did not come about.

    Returns:
        Whether the shown path has changed.
    """
    newest = rows.connection.execute(_NEWEST, (conversation, "")).fetchone()
    end = newest[0] if newest else ""
    query = "SELECT id FROM messages WHERE conversation = ? AND parent = ? ORDER BY added DESC, id DESC LIMIT 1"
    hidden = rows.connection.execute(query, (conversation, end)).fetchone()
    return hidden is not None and show(rows, conversation, hidden[0])


def settle_all(rows: Rows) -> None:
    """``settle`` every conversation in which this device has hidden messages."""
    for (conversation,) in rows.connection.execute(_WITH_HIDDEN).fetchall():
        settle(rows, conversation)


def versions_of(connection: sqlite3.Connection, conversation: str) -> dict[str, tuple[str, ...]]:
    """The versions of each message that has several, itself included, oldest first."""
    groups: dict[str, list[str]] = {parent: [] for (parent,) in connection.execute(_FORKS, (conversation,))}
    # Most conversations have no hidden messages, which an index tells at once.
    for parent, identity in connection.execute(_CHILDREN, (conversation,)) if groups else ():
        if parent in groups:
            groups[parent].append(identity)
    return {each: tuple(group) for group in groups.values() if len(group) > 1 for each in group}


def _drop_summary(rows: Rows, conversation: str) -> None:
    """Drop the summary of the conversation if it covers a hidden message."""
    query = """SELECT summarised_until FROM conversations WHERE id = ? AND summarised_until != '' AND NOT EXISTS
        (SELECT 1 FROM messages WHERE messages.id = summarised_until AND shown = 1)"""
    if rows.connection.execute(query, (conversation,)).fetchone():
        drop_summary(rows, conversation)


def drop_summary(rows: Rows, conversation: str) -> None:
    """Drop the summary of the conversation; the next turns make another one where it is needed."""
    rows.change(CONVERSATIONS, conversation, {"summary": "", "summarised_until": ""})
