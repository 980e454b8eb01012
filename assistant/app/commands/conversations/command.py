"""``sori conversations list | search | show | rename | delete | export | import``."""

import argparse
import json
import os
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from assistant.app.cli.asking import CarryOut, attached
from assistant.app.cli.typed_ahead import answered_yes
from assistant.core.display.reading import local_time
from assistant.core.display.table import fitting
from assistant.core.records.conversation_names import chosen, shown_length
from assistant.core.records.conversations import ConversationEntry
from assistant.core.service.requests.conversations import (
    CountMessages,
    DeleteConversation,
    ExportConversation,
    ExportForm,
    ImportConversations,
    ListConversations,
    RenameConversation,
)
from assistant.core.texts import Texts
from assistant.host.places import Places

if TYPE_CHECKING:
    from contextlib import AbstractAsyncContextManager

    from assistant.engine.serving.hub import Hub
    from assistant.engine.serving.table import Domain

_BOLD, _PLAIN = "\x1b[1m", "\x1b[0m"


def run(places: Places, texts: Texts, arguments: argparse.Namespace) -> int:
    """List, search, show, rename, delete, export or import; returns the exit status: 1 when nothing was found or done.

    Raises:
        SoriError: no conversation has this id, or several have.
        StorageError: the database cannot be read or written.
        RefusedError: the engine that runs says so.
    """

    def part(_: "Hub") -> "AbstractAsyncContextManager[Domain]":
        from assistant.app.parts.conversations import stored_conversations

        return stored_conversations(places, texts)

    return attached(places, texts, part, lambda ask: _run(ask, texts, arguments))


async def _run(ask: CarryOut, texts: Texts, arguments: argparse.Namespace) -> int:
    match arguments.action:
        case "import":
            from assistant.app.cli.conversations.transfer import show_imported

            path = str(arguments.file.absolute())  # The engine that runs may be in another folder.
            return show_imported(await ask(ImportConversations(path=path)), texts)
        case "search":
            return await _list(ask, " ".join(arguments.text), texts, arguments)
        case "list":
            return await _list(ask, "", texts, arguments)
        case "export" if arguments.all:
            from assistant.app.cli.conversations.transfer import export

            return await export(ask, "", arguments, texts)
    entry = chosen(await ask(ListConversations()), arguments.id)
    match arguments.action:
        case "rename":
            await ask(RenameConversation(conversation=entry.id, title=" ".join(arguments.title)))
            renamed = chosen(await ask(ListConversations()), entry.id)
            print(texts("conversations.renamed", title=_title(renamed, texts)))
            return 0
        case "export":
            from assistant.app.cli.conversations.transfer import export

            return await export(ask, entry.id, arguments, texts)
        case "delete":
            return await _delete(ask, entry, texts, sure=arguments.yes)
        case _:
            print(await ask(ExportConversation(conversation=entry.id, form=ExportForm.PAGE)))
            return 0


async def _list(ask: CarryOut, query: str, texts: Texts, arguments: argparse.Namespace) -> int:
    entries = await ask(ListConversations(query=query, limit=arguments.limit or 0))
    counts = await ask(CountMessages())
    if arguments.json:
        print(json.dumps([_as_json(each, counts) for each in entries], ensure_ascii=False, indent=1))
    elif entries:
        everything = await ask(ListConversations()) if query or arguments.limit is not None else entries
        length = shown_length([each.id for each in everything])
        for line in _found(entries, length) if query else _table(entries, counts, length, texts):
            print(line)
    else:
        print(texts("conversations.not_found" if query else "conversations.none", query=query))
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


async def _delete(ask: CarryOut, entry: ConversationEntry, texts: Texts, *, sure: bool) -> int:
    title = _title(entry, texts)
    if not sure and not _confirmed(texts("conversations.ask", title=title), texts):
        return 1
    # The engine that runs stops the turns of the conversation, and leaves it if it is open.
    await ask(DeleteConversation(conversation=entry.id))
    print(texts("conversations.deleted", title=title))
    return 0


def _confirmed(question: str, texts: Texts) -> bool:
    """Ask in the terminal. Without a terminal nobody can answer, which means no."""
    answer = answered_yes(question)
    if answer is None:
        print(texts("conversations.cannot_ask"), file=sys.stderr)
    elif not answer:
        print(texts("conversations.kept"))
    return bool(answer)
