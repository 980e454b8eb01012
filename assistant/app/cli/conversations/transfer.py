"""``sori conversations export | import``."""

import argparse
import sys
import tempfile
from pathlib import Path

from assistant.app.cli.asking import CarryOut
from assistant.core.display.imports import import_report
from assistant.core.service.requests.conversations import ExportForm, ImportedConversations, WriteConversations
from assistant.core.texts import Texts

_PIECE = 1 << 20


async def export(ask: CarryOut, conversation: str, arguments: argparse.Namespace, texts: Texts) -> int:
    """Have conversations written to a file, or to standard output; returns the exit status.

    Args:
        ask: carries out requests.
        conversation: id of one conversation; empty for all.
        arguments: the form and the file.
        texts: the user's words.

    Raises:
        RefusedError: the file cannot be written, or the database cannot be read.
    """
    chosen = (conversation,) if conversation else ()
    form = ExportForm.JSON if arguments.format == "json" else ExportForm.MARKDOWN
    if arguments.output is not None:
        path = arguments.output.absolute()  # The engine that runs may be in another folder.
        count = await ask(WriteConversations(path=str(path), conversations=chosen, form=form))
        print(texts("conversations.exported", count=count, file=arguments.output))
        return 0
    with tempfile.TemporaryDirectory(prefix="sori-") as folder:
        path = Path(folder) / "export"
        await ask(WriteConversations(path=str(path), conversations=chosen, form=form))
        with path.open(encoding="utf-8", newline="") as file:
            while piece := file.read(_PIECE):
                sys.stdout.write(piece)
    return 0


def show_imported(done: ImportedConversations, texts: Texts) -> int:
    """Print what an import has done; returns the exit status: 1 if something was skipped, or it ended early."""
    for line in import_report(done, texts):
        print(line)
    if done.failure:
        print(done.failure, file=sys.stderr)
    return 1 if done.failure or done.invalid or done.unknown else 0
