"""Takes conversations from a file, for the engine and for a command while no engine runs."""

from dataclasses import asdict
from pathlib import Path

from assistant.core.clock import Clock
from assistant.core.errors import SoriError
from assistant.core.service.requests.conversations import ImportedConversations
from assistant.core.texts import Texts
from assistant.storage.database import Database
from assistant.storage.transfer.importing import ImportReport, import_file


async def imported(database: Database, clock: Clock, path: Path, texts: Texts) -> ImportedConversations:
    """Take the conversations of a file that are not stored yet; the result tells also why it ended early."""
    report, failure = ImportReport(), ""
    try:
        await import_file(database, clock, path, report)
    except SoriError as error:
        failure = texts(error.message_key, **error.values)
    done = {**asdict(report), "invalid": tuple(report.invalid), "unknown": tuple(report.unknown)}
    return ImportedConversations(**done, failure=failure)
