"""``sori conversations export | import``."""

import argparse
import asyncio
import os
import sys
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import aclosing
from pathlib import Path
from typing import TextIO

from assistant.app.cli.conversations.choosing import chosen
from assistant.app.cli.conversations.page import markdown
from assistant.core.errors import ErrorCode, SoriError
from assistant.core.records.conversations import ConversationEntry
from assistant.core.texts import Texts
from assistant.host.clock import SystemClock
from assistant.storage.conversation_list import ConversationList
from assistant.storage.conversations import ConversationStore
from assistant.storage.database import Database
from assistant.storage.transfer import sori_format
from assistant.storage.transfer.exporting import portable
from assistant.storage.transfer.importing import ImportReport, import_file
from assistant.storage.transfer.markdown_format import BETWEEN_PAGES, id_line


async def export(
    database: Database, conversations: ConversationList, arguments: argparse.Namespace, texts: Texts
) -> int:
    """Write conversations to a file or to standard output; returns the exit status.

    Raises:
        SoriError: no conversation has this id, several have, or the file cannot be written.
        StorageError: the database cannot be read.
    """
    every = await conversations.entries()
    # The oldest first, so that an import adds them in the order in which they were.
    entries = tuple(reversed(every)) if arguments.all else (chosen(every, arguments.id),)
    store = ConversationStore(database, SystemClock())
    pieces = _json(database, store, entries) if arguments.format == "json" else _pages(store, entries, texts)
    async with aclosing(pieces):
        if arguments.output is None:
            async for piece in pieces:
                sys.stdout.write(piece)
            return 0
        await _write(arguments.output, pieces)
    print(texts("conversations.exported", count=len(entries), file=arguments.output))
    return 0


async def export_one(
    database: Database, store: ConversationStore, entry: ConversationEntry, path: Path, texts: Texts
) -> None:
    """Write one conversation to a file, as JSON if its name ends so, else as Markdown.

    Raises:
        SoriError: the file cannot be written.
        StorageError: the database cannot be read.
    """
    as_json = path.suffix.casefold() == ".json"
    pieces = _json(database, store, (entry,)) if as_json else _pages(store, (entry,), texts)
    async with aclosing(pieces):
        await _write(path, pieces)


async def _json(
    database: Database, store: ConversationStore, entries: Sequence[ConversationEntry]
) -> AsyncGenerator[str, None]:
    before = sori_format.beginning(SystemClock().now().isoformat())
    for entry in entries:
        # Another process may have deleted it meanwhile.
        if conversation := await portable(database, store, entry.id):
            yield f"{before}\n{await asyncio.to_thread(sori_format.to_json, conversation)}"
            before = ","
    yield f"{'' if before == ',' else before}{sori_format.ending()}"


async def _pages(
    store: ConversationStore, entries: Sequence[ConversationEntry], texts: Texts
) -> AsyncGenerator[str, None]:
    between = ""
    for entry in entries:
        yield between + markdown(entry, await store.messages(entry.id), texts) + id_line(entry.id)
        between = BETWEEN_PAGES
    yield "\n"


async def _write(path: Path, pieces: AsyncIterator[str]) -> None:
    """Write a file that only the user can read. It replaces ``path`` when it is complete."""
    partial = path.with_name(f"{path.name}.partial")
    try:
        try:
            with _private_file(partial) as file:
                async for piece in pieces:
                    file.write(piece)
            partial.replace(path)
        except BaseException:
            partial.unlink(missing_ok=True)
            raise
    except OSError as error:
        problem = error.strerror or str(error)
        raise SoriError(
            ErrorCode.INVALID_REQUEST,
            f"{path} cannot be written: {problem}",
            message_key="export_unwritable",
            values={"file": str(path), "problem": problem},
            cause=error,
        ) from error


def _private_file(path: Path) -> TextIO:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    return os.fdopen(descriptor, "w", encoding="utf-8", newline="\n")


async def take(database: Database, path: Path, texts: Texts) -> int:
    """Import a file and print what was taken; returns the exit status: 1 if something was skipped.

    Raises:
        SoriError: the file cannot be read, is no export, or is damaged. What was taken before is printed.
        StorageError: the database cannot be written.
    """
    report = ImportReport()
    try:
        await import_file(database, SystemClock(), path, report)
    finally:
        for line in _lines(report, texts):
            print(line)
    return 1 if report.invalid or report.unknown else 0


def _lines(report: ImportReport, texts: Texts) -> list[str]:
    lines = [texts("conversations.imported", count=report.added, messages=report.messages)]
    counts = {name: getattr(report, name) for name in ("known", "grown", "empty", "left_out")}
    lines += [texts(f"conversations.import_{name}", count=count) for name, count in counts.items() if count]
    if report.unknown:
        lines.append(texts("conversations.import_unknown", count=len(report.unknown), place=report.unknown[0]))
    return [*lines, *(texts("conversations.import_invalid", place=place) for place in report.invalid)]
