"""Takes the conversations of an export into the database, each in one transaction."""

import asyncio
import sqlite3
import zlib
from collections.abc import Callable, Generator, Mapping
from contextlib import closing
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import Enum
from pathlib import Path

from assistant.core.clock import Clock
from assistant.core.errors import ErrorCode, SoriError
from assistant.core.identity.hybrid_time import next_time
from assistant.storage.attachments import save_files
from assistant.storage.database import Database
from assistant.storage.rows import CONVERSATIONS, MESSAGES, Rows, write_rows
from assistant.storage.stored_message import storable, to_row
from assistant.storage.transfer import sori_format
from assistant.storage.transfer.chatgpt import from_chatgpt, is_chatgpt
from assistant.storage.transfer.claude import from_claude, is_claude
from assistant.storage.transfer.elements import BrokenJsonError, JsonElements
from assistant.storage.transfer.foreign import id_from
from assistant.storage.transfer.markdown_format import ENDINGS, from_markdown, pages
from assistant.storage.transfer.opening import NotAnExportError, opened_export
from assistant.storage.transfer.portable import InvalidContentError, PortableConversation
from assistant.storage.versions.paths import with_parent

_KNOWN = "SELECT EXISTS (SELECT 1 FROM conversations WHERE id = ?)"
_BURIED = "SELECT EXISTS (SELECT 1 FROM tombstones WHERE id = ?)"
_ANY_OF = "SELECT EXISTS (SELECT 1 FROM messages WHERE id = ?)"


class _Taken(Enum):
    """What became of a conversation."""

    ADDED = "added"
    KNOWN = "known"
    EMPTY = "empty"


@dataclass(slots=True, kw_only=True)
class ImportReport:
    """What an import has done.

    Attributes:
        added: conversations that were added.
        messages: their messages.
        known: conversations that were there already.
        empty: conversations without messages that can be taken.
        left_out: messages and files of the added conversations that could not be taken.
        invalid: places of the conversations that were skipped because they have another form.
    """

    added: int = 0
    messages: int = 0
    known: int = 0
    empty: int = 0
    left_out: int = 0
    invalid: list[str] = field(default_factory=list)


async def import_file(database: Database, clock: Clock, path: Path, report: ImportReport) -> None:
    """Take all conversations of a file that are not in the database yet.

    Args:
        database: the open database.
        clock: gives the time of each write.
        path: an export of Sori, ChatGPT or Claude: JSON, a zip archive with it, or a Markdown file of Sori.
        report: counts what was done, also up to an error. Conversations before the error stay.

    Raises:
        SoriError: the file cannot be read, is no export, or is damaged; the message names file and place.
        StorageError: the database cannot be written.
    """
    with closing(_found(path)) as conversations:
        while (found := await asyncio.to_thread(next, conversations, None)) is not None:
            await _take(database, clock, found, report)


@dataclass(frozen=True, slots=True)
class _Found:
    place: str
    value: object
    of_sori: bool


def _found(path: Path) -> Generator[_Found, None, None]:
    name = path.name
    try:
        with opened_export(path) as texts:
            for name, text in texts:
                if path.suffix.casefold() in ENDINGS:
                    for number, page in enumerate(pages(text.read())):
                        yield _Found(f"{name}: conversations[{number}]", page, of_sori=False)
                    continue
                elements = JsonElements(text)
                for number, value in enumerate(elements):
                    yield _Found(f"{name}: conversations[{number}]", value, _is_of_sori(elements.head, name))
    except BrokenJsonError as error:
        values = {"file": name, "line": str(error.line), "column": str(error.column)}
        raise _error("import_broken", f"{name} is no JSON from {error} on", values, error) from error
    except (UnicodeDecodeError, NotAnExportError, zlib.error) as error:
        raise _error("import_not_export", f"{name} is no export: {error}", {"file": name}, error) from error
    except OSError as error:
        values = {"file": str(path), "problem": error.strerror or str(error)}
        raise _error("import_unreadable", f"{path} cannot be read: {error}", values, error) from error


def _error(key: str, detail: str, values: dict[str, str], cause: Exception) -> SoriError:
    return SoriError(ErrorCode.INVALID_REQUEST, detail, message_key=key, values=values, cause=cause)


def _is_of_sori(head: Mapping[str, object], name: str) -> bool:
    if head.get("format") != sori_format.FORMAT:
        return False
    version = head.get("version")
    if not isinstance(version, int) or version > sori_format.VERSION:
        detail = f"{name} has version {version} of the format; this version of Sori knows {sori_format.VERSION}"
        raise SoriError(ErrorCode.INVALID_REQUEST, detail, message_key="import_newer", values={"file": name})
    return True


async def _take(database: Database, clock: Clock, found: _Found, report: ImportReport) -> None:
    try:
        conversation = _converted(found)
    except InvalidContentError as error:
        report.invalid.append(f"{found.place}.{error.place}" if error.place else found.place)
        return
    match await write_rows(database, clock, _adding(conversation)):
        case _Taken.ADDED:
            report.added += 1
            report.messages += len(conversation.messages)
            report.left_out += conversation.left_out
        case _Taken.KNOWN:
            report.known += 1
        case _Taken.EMPTY:
            report.empty += 1


def _converted(found: _Found) -> PortableConversation:
    if found.of_sori:
        return sori_format.from_json(found.value)
    if isinstance(found.value, str):
        return from_markdown(found.value)
    if is_chatgpt(found.value):
        return from_chatgpt(found.value)
    if is_claude(found.value):
        return from_claude(found.value)
    raise InvalidContentError("")


def _adding(conversation: PortableConversation) -> Callable[[Rows], _Taken]:
    def work(rows: Rows) -> _Taken:
        if not conversation.messages:
            return _Taken.EMPTY
        named = _not_buried(rows.connection, conversation)
        if rows.connection.execute(_KNOWN, (named.id,)).fetchone()[0]:
            return _Taken.KNOWN
        _add(rows, named)
        return _Taken.ADDED

    return work


def _not_buried(connection: sqlite3.Connection, conversation: PortableConversation) -> PortableConversation:
    """The conversation under an id that was not deleted: a deleted row is never written again.

    The new id depends on the old one only, so a second import finds the conversation of the first.
    """
    while connection.execute(_BURIED, (conversation.id,)).fetchone()[0]:
        conversation = _renamed(conversation, id_from("again", conversation.id))
    if connection.execute(_KNOWN, (conversation.id,)).fetchone()[0]:
        return conversation
    ids = [each.id for each in conversation.messages]
    queries = (_ANY_OF, _BURIED)
    taken = any(connection.execute(query, (each,)).fetchone()[0] for each in ids for query in queries)
    # Messages may be in another conversation, or were deleted one by one.
    return _renamed(conversation, conversation.id) if taken or len(set(ids)) < len(ids) else conversation


def _renamed(conversation: PortableConversation, identity: str) -> PortableConversation:
    """The conversation with another id, and new ids of its messages that depend on it."""
    ids = {each.id: id_from(identity, f"{number}/{each.id}") for number, each in enumerate(conversation.messages)}
    messages = [
        replace(
            each,
            id=id_from(identity, f"{number}/{each.id}"),
            conversation=identity,
            parent=None if each.parent is None else ids.get(each.parent, ""),
        )
        for number, each in enumerate(conversation.messages)
    ]
    until = ids.get(conversation.summarised_until, "")
    return replace(
        conversation,
        id=identity,
        messages=tuple(messages),
        summarised_until=until,
        summary=conversation.summary if until else "",
    )


def _add(rows: Rows, conversation: PortableConversation) -> None:
    values = {
        "id": conversation.id,
        "created_at": conversation.created_at,
        "title": storable(conversation.title),
        "titled_by": conversation.titled_by,
        "model": conversation.model,
        "summary": storable(conversation.summary),
        "summarised_until": conversation.summarised_until,
        "workspace": conversation.agent.workspace,
        "agent": conversation.agent.name,
    }
    time = next_time(0, _milliseconds(conversation.created_at))
    rows.add(CONVERSATIONS, values, added=time)
    for message in conversation.messages:
        # The times of the messages give the conversation its place in the list.
        time = next_time(time, _milliseconds(message.created_at))
        rows.add(MESSAGES, with_parent(rows, to_row(message)), added=time)
        if message.attachments:
            save_files(rows.connection, message.id, message.attachments)


def _milliseconds(at: str) -> int:
    """Unix time in milliseconds; 0 for an impossible one."""
    try:
        return max(int(datetime.fromisoformat(at).timestamp() * 1000), 0)
    except (ValueError, OverflowError, OSError):
        return 0
