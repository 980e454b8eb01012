"""Deletes messages so that it can be undone.

The deleted messages move into a conversation of their own, which is deleted. So nothing shows, searches, sends or
exports them, and the purge of that conversation removes them from the disk, with their files and traces. It is purged
at the next start, too, where nobody is left to undo the deletion.

A message that followed the deleted ones follows the message before them from then on. What was another version of a
deleted message is a version of what follows, so every message that is left can still be reached.

The functions work within one transaction.
"""

import json
from dataclasses import dataclass
from itertools import pairwise

from assistant.storage.identities import new_id
from assistant.storage.rows import CONVERSATIONS, MESSAGES, Rows
from assistant.storage.versions import paths

_TREE = """
SELECT id, parent, role, turn, shown, added FROM messages WHERE conversation = ? ORDER BY added, id
"""
_CONVERSATION = """
SELECT workspace, agent, title, titled_by, summarised_until FROM conversations WHERE id = ? AND deleted_at = ''
"""
_STILL_DELETED = "SELECT 1 FROM conversations WHERE id = ? AND deleted_at != ''"
_MOVE_RECORDS = tuple(
    f"UPDATE {table} SET conversation = ? WHERE conversation = ? AND turn IN (SELECT value FROM json_each(?))"  # noqa: S608
    for table in ("traces", "audit")
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Deletion:
    """Messages that were deleted, and what undoes it.

    Attributes:
        id: id of the deleted conversation that holds them.
        conversation: the conversation in which they stood.
        messages: their ids, oldest first.
        count: the number of questions and answers among them that were shown.
        before: id of the message before them; empty for none.
        closed: the messages that followed them, each with the one that it followed.
        newest: the place in the order of rows behind which a message is newer than the deletion.
        turns: the turns whose traces were deleted too, and of these the ones whose calls of tools were.
        title: the title that a model had made of them; empty for none.
    """

    id: str
    conversation: str
    messages: tuple[str, ...]
    count: int
    before: str
    closed: tuple[tuple[str, str], ...]
    newest: int
    turns: tuple[tuple[str, ...], tuple[str, ...]]
    title: str = ""


@dataclass(frozen=True, slots=True)
class _Node:
    id: str
    parent: str
    role: str
    turn: str
    shown: int
    added: int

    @property
    def asks(self) -> bool:
        return self.role == "user"


def delete(rows: Rows, conversation: str, message: str, now: str, *, after: bool) -> Deletion | None:
    """Delete a shown message: a question alone, an answer with its calls of tools and their results.

    Args:
        rows: the transaction.
        conversation: its conversation.
        message: its id, of an answer that of any part.
        now: ISO 8601 with offset.
        after: whether all messages after it are deleted too, with their versions.

    Returns:
        ``None``, writing nothing, if the conversation does not show such a message.
    """
    tree = [_Node(*row) for row in rows.connection.execute(_TREE, (conversation,))]
    unit = _unit([each for each in tree if each.shown], message)
    found = rows.connection.execute(_CONVERSATION, (conversation,)).fetchone()
    if not unit or found is None:
        return None
    workspace, agent, title, titled_by, summarised = found
    gone = _with_descendants(tree, unit[0]) if after else unit
    ids = {each.id for each in gone}
    closed = tuple((each.id, each.parent) for each in tree if each.parent in ids and each.id not in ids)
    questions = [each.id for each in tree if each.asks and each.shown]
    untitled = titled_by == "model" and questions[:1] and questions[0] in ids
    deletion = Deletion(
        id=new_id(),
        conversation=conversation,
        messages=tuple(each.id for each in gone),
        count=_seen(gone),
        before=unit[0].parent,
        closed=closed,
        newest=tree[-1].added,
        turns=(_turns(gone), _turns([each for each in gone if not each.asks])),
        title=title if untitled else "",
    )
    own = {"id": deletion.id, "created_at": now, "deleted_at": now, "workspace": workspace, "agent": agent}
    rows.add(CONVERSATIONS, own)
    for each in deletion.messages:
        rows.change(MESSAGES, each, {"conversation": deletion.id})
    for each, _ in closed:
        rows.change(MESSAGES, each, {"parent": deletion.before})
    _move_records(rows, deletion, conversation, deletion.id)
    if untitled:
        rows.change(CONVERSATIONS, conversation, {"title": "", "titled_by": ""})
    until = next((each.added for each in tree if each.id == summarised), 0)
    if until >= unit[0].added:
        paths.drop_summary(rows, conversation)
    paths.settle(rows, conversation)
    return deletion


def restore(rows: Rows, deletion: Deletion) -> bool:
    """Put deleted messages back where they were; ``False``, writing nothing, when they have been purged.

    What was said meanwhile follows them, as if they had not been away. Where it follows another version of them, which
    was shown in their place, they are a version that is not shown.
    """
    connection = rows.connection
    known = connection.execute(_CONVERSATION, (deletion.conversation,)).fetchone()
    if known is None or connection.execute(_STILL_DELETED, (deletion.id,)).fetchone() is None:
        return False
    left = [_Node(*row) for row in connection.execute(_TREE, (deletion.conversation,))]
    back = [_Node(*row) for row in connection.execute(_TREE, (deletion.id,))]
    goes_on = any(each.added > deletion.newest for each in left)
    last = next(each for each in reversed(back) if each.shown)
    former = dict(deletion.closed)
    follow = {
        each.id: former.get(each.id, last.id)
        for each in left
        if each.parent == deletion.before and (each.id in former or (each.shown and each.added > deletion.newest))
    }
    seen = not goes_on or any(each.shown and each.id in follow for each in left)
    for each in back:
        rows.change(MESSAGES, each.id, {"conversation": deletion.conversation, "shown": int(seen and each.shown)})
    for message, parent in follow.items():
        rows.change(MESSAGES, message, {"parent": parent})
    _move_records(rows, deletion, deletion.id, deletion.conversation)
    if deletion.title and not known[2]:
        rows.change(CONVERSATIONS, deletion.conversation, {"title": deletion.title, "titled_by": "model"})
    rows.delete(CONVERSATIONS, deletion.id)
    if known[4]:
        paths.drop_summary(rows, deletion.conversation)
    if seen:
        paths.show(rows, deletion.conversation, last.id)
    return True


def _unit(path: list[_Node], message: str) -> list[_Node]:
    """The shown messages that are seen as one with this one: a question, or all parts of an answer."""
    at = next((number for number, each in enumerate(path) if each.id == message), -1)
    if at < 0 or path[at].asks:
        return path[at : at + 1] if at >= 0 else []
    first, end = at, at + 1
    while first and _same_answer(path[first - 1], path[at]):
        first -= 1
    while end < len(path) and _same_answer(path[end], path[at]):
        end += 1
    return path[first:end]


def _same_answer(one: _Node, other: _Node) -> bool:
    return not one.asks and one.turn == other.turn


def _with_descendants(tree: list[_Node], first: _Node) -> list[_Node]:
    """A message and all below it; a message is younger than its parent."""
    found = {first.id}
    for each in tree:
        if each.parent in found:
            found.add(each.id)
    return [each for each in tree if each.id in found]


def _seen(messages: list[_Node]) -> int:
    """How many messages a person sees: all parts of an answer are one."""
    shown = [each for each in messages if each.shown]
    parts = sum(_same_answer(one, other) and not other.asks for one, other in pairwise(shown))
    return len(shown) - parts


def _turns(messages: list[_Node]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(each.turn for each in messages if each.turn))


def _move_records(rows: Rows, deletion: Deletion, source: str, target: str) -> None:
    """Traces hold the words of a turn, the audit log those of calls: they go with the messages."""
    for statement, turns in zip(_MOVE_RECORDS, deletion.turns, strict=True):
        rows.connection.execute(statement, (target, source, json.dumps(turns)))
