"""Takes the conversations of an export into the database, each in one transaction."""

import asyncio
import sqlite3
import zlib
from collections.abc import AsyncGenerator, Callable, Generator, Mapping
from contextlib import closing
from dataclasses import dataclass, replace
from datetime import datetime
from enum import Enum
from functools import partial
from pathlib import Path
from typing import Any

from assistant.core.clock import Clock
from assistant.core.errors import ErrorCode, SoriError
from assistant.core.identity.hybrid_time import next_time
from assistant.core.messages import Role
from assistant.core.service.requests.conversations import ImportedConversations
from assistant.storage.attachments import save_files
from assistant.storage.database import Database
from assistant.storage.rows import CONVERSATIONS, MESSAGES, Rows, write_rows
from assistant.storage.stored_message import storable, to_row
from assistant.storage.transfer import sori_format
from assistant.storage.transfer.chatgpt import from_chatgpt, is_chatgpt
from assistant.storage.transfer.claude import from_claude, is_claude
from assistant.storage.transfer.elements import BrokenJsonError, JsonElements
from assistant.storage.transfer.foreign import id_from
from assistant.storage.transfer.librechat import from_librechat, is_librechat
from assistant.storage.transfer.lm_studio import from_lm_studio, is_lm_studio
from assistant.storage.transfer.markdown_format import ENDINGS, from_markdown, pages
from assistant.storage.transfer.open_webui import from_open_webui, is_open_webui
from assistant.storage.transfer.opening import DamagedArchiveError, NotAnExportError, opened_export
from assistant.storage.transfer.portable import InvalidContentError, PortableConversation
from assistant.storage.versions.paths import with_parent

_KNOWN = "SELECT EXISTS (SELECT 1 FROM conversations WHERE id = ?)"
_BURIED = "SELECT EXISTS (SELECT 1 FROM tombstones WHERE id = ?)"
_ANY_OF = "SELECT EXISTS (SELECT 1 FROM messages WHERE id = ?)"


_Reader = Callable[[Any], PortableConversation]
_READERS: tuple[tuple[Callable[[object], bool], _Reader], ...] = (
    (is_chatgpt, from_chatgpt),
    (is_claude, from_claude),
    (is_open_webui, from_open_webui),
    (is_librechat, from_librechat),
    (is_lm_studio, from_lm_studio),
)
_UNREAD: Mapping[str, frozenset[str]] = {
    "Gemini": frozenset({"header", "products", "time"}),
    "Grok": frozenset({"conversation", "responses"}),
}
"""Programs whose exports are known and not read, by the fields of an element."""


class _Taken(Enum):
    """What became of a conversation."""

    ADDED = "added"
    KNOWN = "known"
    EMPTY = "empty"


async def imports(
    database: Database, clock: Clock, path: Path
) -> AsyncGenerator[tuple[ImportedConversations, float | None], None]:
    """Take all conversations of a file that are not in the database yet.

    After each it tells what was done so far, and the part of the file that was read, if that is known.

    Args:
        database: the open database.
        clock: gives the time of each write.
        path: an export of Sori or a program in ``_READERS``: JSON, a zip archive with it, or a Markdown file of Sori.

    Raises:
        SoriError: the file cannot be read, is no export, or is damaged; the message names file and place. Conversations
            before the error stay.
        StorageError: the database cannot be written.
    """
    done = ImportedConversations()
    with closing(_found(path)) as conversations:
        while (found := await asyncio.to_thread(next, conversations, None)) is not None:
            done = await _take(database, clock, found, done)
            yield done, found.fraction


def is_export(path: Path) -> bool:
    """Whether the file is an export, by its name and its first conversation."""
    if path.suffix.casefold() not in {".json", ".zip", *ENDINGS}:
        return False
    try:
        with closing(_found(path)) as conversations:
            found = next(conversations, None)
            taken = _converted(found) if found is not None else None
    except (SoriError, InvalidContentError):
        return False
    return taken is not None and bool(taken.messages)


@dataclass(frozen=True, slots=True)
class _Found:
    place: str
    value: object
    reader: _Reader | None
    """The reader, where it is known already."""
    fraction: float | None = None
    """The part of the file that was read; ``None`` if it is not known."""


def _found(path: Path) -> Generator[_Found, None, None]:
    name = path.name
    try:
        with opened_export(path) as (texts, files):
            for name, text, fraction in texts:
                if path.suffix.casefold() in ENDINGS:
                    for number, page in enumerate(pages(text.read())):
                        yield _Found(f"{name}: conversations[{number}]", page, from_markdown, fraction())
                    continue
                elements = JsonElements(text)
                for number, value in enumerate(elements):
                    place = name if value is elements.head else f"{name}: conversations[{number}]"
                    own: _Reader | None = sori_format.from_json if _is_of_sori(elements.head, name) else None
                    if own is None and is_chatgpt(value):
                        own = partial(from_chatgpt, files=files)
                    yield _Found(place, value, own, fraction())
    except BrokenJsonError as error:
        values = {"file": name, "line": str(error.line), "column": str(error.column)}
        raise _error("import_broken", f"{name} is no JSON from {error} on", values, error) from error
    except (DamagedArchiveError, zlib.error) as error:
        raise _error("import_damaged", f"{name} is damaged: {error}", {"file": name}, error) from error
    except (UnicodeDecodeError, NotAnExportError) as error:
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


async def _take(database: Database, clock: Clock, found: _Found, done: ImportedConversations) -> ImportedConversations:
    """Take one conversation; returns what was done with it as well."""
    try:
        conversation = await asyncio.to_thread(_converted, found)
    except InvalidContentError as error:
        place = f"{found.place}.{error.place}" if error.place else found.place
        return replace(done, invalid=(*done.invalid, place))
    if conversation is None:
        return replace(done, unknown=(*done.unknown, found.place))
    taken, missing = await write_rows(database, clock, _adding(_dated(conversation, clock.now().isoformat())))
    match taken:
        case _Taken.ADDED:
            messages, left_out = done.messages + len(conversation.messages), done.left_out + conversation.left_out
            return replace(done, added=done.added + 1, messages=messages, left_out=left_out)
        case _Taken.KNOWN:
            return replace(done, known=done.known + 1, grown=done.grown + missing)
        case _Taken.EMPTY:
            return replace(done, empty=done.empty + 1)


def _converted(found: _Found) -> PortableConversation | None:
    """The conversation; ``None`` if it is one of no known program.

    Raises:
        InvalidContentError: the program is known, but not this form.
        SoriError: the program is known, but its exports are not read.
    """
    reader = found.reader or next((reader for fits, reader in _READERS if fits(found.value)), None)
    if reader is not None:
        return reader(found.value)
    keys = found.value.keys() if isinstance(found.value, dict) else frozenset[str]()
    if program := next((name for name, fields in _UNREAD.items() if fields <= keys), ""):
        values = {"file": found.place, "program": program}
        detail = f"{found.place} is an export of {program}"
        raise SoriError(ErrorCode.INVALID_REQUEST, detail, message_key="import_unread", values=values)
    return None


def _dated(conversation: PortableConversation, now: str) -> PortableConversation:
    """The conversation with a time for what has none: that of what came before, at first of the import."""
    began = conversation.created_at or next((each.created_at for each in conversation.messages if each.created_at), now)
    dated, time = [], began
    for message in conversation.messages:
        time = message.created_at or time
        dated.append(replace(message, created_at=time))
    return replace(conversation, created_at=began, messages=tuple(dated))


def _adding(conversation: PortableConversation) -> Callable[[Rows], tuple[_Taken, int]]:
    """Adds a conversation. Of one that is known, the result tells how many of its messages are not there."""

    def work(rows: Rows) -> tuple[_Taken, int]:
        if not conversation.messages:
            return _Taken.EMPTY, 0
        named = _not_buried(rows.connection, conversation)
        if rows.connection.execute(_KNOWN, (named.id,)).fetchone()[0]:
            return _Taken.KNOWN, _missing(rows.connection, named)
        _add(rows, named)
        return _Taken.ADDED, 0

    return work


def _missing(connection: sqlite3.Connection, conversation: PortableConversation) -> int:
    """The number of messages that are not stored and were not deleted, under their ids or the new ones they got."""
    again = _renamed(conversation, conversation.id).messages
    return sum(
        not any(
            connection.execute(query, (identity,)).fetchone()[0]
            for query in (_ANY_OF, _BURIED)
            for identity in (message.id, renamed.id)
        )
        for message, renamed in zip(conversation.messages, again, strict=True)
    )


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
        # Anybody may have written the file, also one in Sori's own form.
        "outside": 1,
    }
    time = next_time(0, _milliseconds(conversation.created_at))
    rows.add(CONVERSATIONS, values, added=time)
    for message in conversation.messages:
        # The times of the messages give the conversation its place in the list.
        time = next_time(time, _milliseconds(message.created_at))
        row = to_row(replace(message, own_words="" if message.role is Role.USER else None))
        rows.add(MESSAGES, with_parent(rows, row), added=time)
        if message.attachments:
            save_files(rows.connection, message.id, message.attachments)


def _milliseconds(at: str) -> int:
    """Unix time in milliseconds; 0 for an impossible one."""
    try:
        return max(int(datetime.fromisoformat(at).timestamp() * 1000), 0)
    except (ValueError, OverflowError, OSError):
        return 0
