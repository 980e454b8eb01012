"""``sori conversations list | search | show | delete | export | import``."""

import argparse
import asyncio
import json
import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from assistant.app.cli.asking import carried_out
from assistant.app.cli.conversations.transfer import export, show_imported
from assistant.app.cli.database import opened
from assistant.app.cli.typed_ahead import answered_yes
from assistant.core.conversation_names import chosen, shown_length
from assistant.core.display.reading import local_time
from assistant.core.display.table import fitting
from assistant.core.records.conversations import ConversationEntry
from assistant.core.service.requests.conversations import DeleteConversation, ImportConversations, ImportedConversations
from assistant.core.texts import Texts
from assistant.engine.domains.imports import imported
from assistant.host.clock import SystemClock
from assistant.host.places import Places
from assistant.remote.local.client import connect
from assistant.storage.conversation_list import ConversationList
from assistant.storage.conversations import ConversationStore
from assistant.storage.transfer.page import markdown
from assistant.storage.typed_lines import TypedLines

_INDEXED_BLOCKS = 4
"""How much a search indexes for the next one: about a second's work."""
_BOLD, _PLAIN = "\x1b[1m", "\x1b[0m"


@dataclass(frozen=True, slots=True)
class _Shelf:
    """The stored conversations, and what a command needs besides."""

    list: ConversationList
    store: ConversationStore
    texts: Texts
    places: Places


def run(places: Places, texts: Texts, arguments: argparse.Namespace) -> int:
    """List, search, show or delete; returns the exit status: 1 when nothing was found or deleted.

    Raises:
        SoriError: no conversation has this id, or several have.
        StorageError: the database cannot be read or written.
    """
    if arguments.action == "import":
        file = arguments.file.absolute()  # The engine that runs may be in another folder.
        return show_imported(asyncio.run(_imported(places, texts, file)), texts)
    return asyncio.run(_run(places, texts, arguments))


async def _run(places: Places, texts: Texts, arguments: argparse.Namespace) -> int:
    clock = SystemClock()
    async with opened(places, clock, texts) as database:
        conversations = ConversationList(database, clock, typed_lines=TypedLines(places.typed_lines))
        shelf = _Shelf(conversations, ConversationStore(database, clock), texts, places)
        match arguments.action:
            case "show":
                return await _show(shelf, arguments.id)
            case "export":
                return await export(database, conversations, arguments, texts)
            case "delete":
                return await _delete(shelf, arguments.id, sure=arguments.yes)
            case "search":
                status = await _list(shelf, " ".join(arguments.text), arguments)
                await conversations.index(most=_INDEXED_BLOCKS, pause_s=0)
                return status
            case _:
                return await _list(shelf, "", arguments)


async def _imported(places: Places, texts: Texts, file: Path) -> ImportedConversations:
    if (connection := connect(places.home, texts, name="command")) is not None:
        try:
            return await connection.result(ImportConversations(path=str(file)))
        finally:
            connection.close()
    async with opened(places, SystemClock(), texts) as database:
        return await imported(database, SystemClock(), file, texts)


async def _list(shelf: _Shelf, query: str, arguments: argparse.Namespace) -> int:
    entries = await shelf.list.entries(query, -1 if arguments.limit is None else arguments.limit)
    counts = await shelf.list.message_counts()
    if arguments.json:
        print(json.dumps([_as_json(each, counts) for each in entries], ensure_ascii=False, indent=1))
    elif entries:
        everything = await shelf.list.entries() if query or arguments.limit is not None else entries
        length = shown_length([each.id for each in everything])
        for line in _found(entries, length) if query else _table(entries, counts, length, shelf.texts):
            print(line)
    else:
        print(shelf.texts("conversations.not_found" if query else "conversations.none", query=query))
    return 1 if query and not entries else 0


def _as_json(entry: ConversationEntry, counts: dict[str, int]) -> dict[str, object]:
    told: dict[str, object] = {
        "id": entry.id,
        "title": entry.title,
        "updated_at": entry.updated_at,
        "messages": counts.get(entry.id, 0),
    }
    if not entry.message:
        return told
    passage = entry.passage()
    return {**told, "snippet": passage.text, "marks": passage.marks, "message": entry.message}


def _table(entries: Sequence[ConversationEntry], counts: dict[str, int], length: int, texts: Texts) -> list[str]:
    heads = [texts(f"conversations.column.{name}") for name in ("id", "at", "messages", "title")]
    rows = [
        [each.id[:length], local_time(each.updated_at), f"{counts.get(each.id, 0):,}", _title(each, texts)]
        for each in entries
    ]
    return fitting([heads, *rows], {2})


def _title(entry: ConversationEntry, texts: Texts) -> str:
    return entry.title or texts("conversations.untitled")


def _found(entries: Sequence[ConversationEntry], length: int) -> list[str]:
    lines = []
    for entry in entries:
        lines.append(f"{entry.id[:length]}  {local_time(entry.updated_at)}  {entry.title}")
        if entry.message:
            passage = entry.passage()
            marked_by = (_BOLD, _PLAIN) if sys.stdout.isatty() and not os.environ.get("NO_COLOR") else ("[", "]")
            lines.append(f"    {marked(passage.text, passage.marks, *marked_by)}")
    return lines


def marked(text: str, marks: Sequence[tuple[int, int]], before: str, after: str) -> str:
    """The text with ``before`` and ``after`` around each marked part."""
    for start, end in reversed(marks):
        text = f"{text[:start]}{before}{text[start:end]}{after}{text[end:]}"
    return text


async def _show(shelf: _Shelf, prefix: str) -> int:
    entry = chosen(await shelf.list.entries(), prefix)
    print(markdown(entry, await shelf.store.messages(entry.id), shelf.texts))
    return 0


async def _delete(shelf: _Shelf, prefix: str, *, sure: bool) -> int:
    entry = chosen(await shelf.list.entries(), prefix)
    title = _title(entry, shelf.texts)
    if not sure and not _confirmed(shelf.texts("conversations.ask", title=title), shelf.texts):
        return 1
    # The engine that runs stops the turns of the conversation, and leaves it if it is open.
    if not await carried_out(shelf.places, shelf.texts, DeleteConversation(conversation=entry.id)):
        await shelf.list.delete(entry.id)
        await shelf.list.purge(entry.id)
    print(shelf.texts("conversations.deleted", title=title))
    return 0


def _confirmed(question: str, texts: Texts) -> bool:
    """Ask in the terminal. Without a terminal nobody can answer, which means no."""
    answer = answered_yes(question)
    if answer is None:
        print(texts("conversations.cannot_ask"), file=sys.stderr)
    elif not answer:
        print(texts("conversations.kept"))
    return bool(answer)
