"""``sori conversations export | import``."""

import argparse
import asyncio
import sys
from contextlib import aclosing

from assistant.app.cli.database import opened
from assistant.app.cli.private_file import private_file
from assistant.core.clock import Clock
from assistant.core.conversation_names import chosen
from assistant.core.service.requests.conversations import ImportedConversations
from assistant.core.texts import Texts
from assistant.host.clock import SystemClock
from assistant.host.places import Places
from assistant.storage.conversation_list import ConversationList
from assistant.storage.conversations import ConversationStore
from assistant.storage.database import Database
from assistant.storage.transfer.pieces import json_pieces, pages


def export(places: Places, arguments: argparse.Namespace, texts: Texts) -> int:
    """Write conversations to a file or to standard output; returns the exit status.

    They are read from the database piece by piece, also while an engine runs: with their files they may be larger than
    a frame of the local socket.

    Raises:
        SoriError: no conversation has this id, several have, or the file cannot be written.
        StorageError: the database cannot be read.
    """
    return asyncio.run(_export(places, arguments, texts))


async def _export(places: Places, arguments: argparse.Namespace, texts: Texts) -> int:
    clock = SystemClock()
    async with opened(places, clock, texts) as database:
        return await _write(database, clock, arguments, texts)


async def _write(database: Database, clock: Clock, arguments: argparse.Namespace, texts: Texts) -> int:
    every = await ConversationList(database, clock).entries()
    # The oldest first, so that an import adds them in the order in which they were.
    entries = tuple(reversed(every)) if arguments.all else (chosen(every, arguments.id),)
    store = ConversationStore(database, clock)
    as_json = arguments.format == "json"
    pieces = json_pieces(database, store, clock, entries) if as_json else pages(store, entries, texts)
    async with aclosing(pieces):
        if arguments.output is None:
            async for piece in pieces:
                sys.stdout.write(piece)
            return 0
        with private_file(arguments.output) as file:
            async for piece in pieces:
                file.write(piece)
    print(texts("conversations.exported", count=len(entries), file=arguments.output))
    return 0


def show_imported(done: ImportedConversations, texts: Texts) -> int:
    """Print what an import has done; returns the exit status: 1 if something was skipped, or it ended early."""
    for line in _lines(done, texts):
        print(line)
    if done.failure:
        print(done.failure, file=sys.stderr)
    return 1 if done.failure or done.invalid or done.unknown else 0


def _lines(report: ImportedConversations, texts: Texts) -> list[str]:
    lines = [texts("conversations.imported", count=report.added, messages=report.messages)]
    counts = {name: getattr(report, name) for name in ("known", "grown", "empty", "left_out")}
    lines += [texts(f"conversations.import_{name}", count=count) for name, count in counts.items() if count]
    if report.unknown:
        lines.append(texts("conversations.import_unknown", count=len(report.unknown), place=report.unknown[0]))
    return [*lines, *(texts("conversations.import_invalid", place=place) for place in report.invalid)]
