"""Files that went with messages: they stay in the database and are read when somebody needs their bytes."""

import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from assistant.core.errors import StorageError
from assistant.core.messages import HEAD_BYTES, Attachment
from assistant.storage.database import Database

_ATTACH = """
INSERT INTO attachments (message, position, mime_type, name, data) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING
"""
_FILES = """
SELECT rowid, position, mime_type, name, length(data) FROM attachments WHERE message = ? ORDER BY position
"""
_DATA = "SELECT data FROM attachments WHERE message = ? AND position = ?"


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredFile:
    """A file in the database; implements ``KeptFile``.

    Attributes:
        database: where it is.
        message: id of the message that it went with.
        position: its place among that message's files.
    """

    database: Database = field(repr=False)
    message: str
    position: int
    size: int
    head: bytes = field(repr=False)

    def read(self) -> bytes:
        """All bytes.

        Raises:
            StorageError: it cannot be read, or its message was deleted.
        """
        return self.database.read_waiting(self.read_from)

    def read_from(self, connection: sqlite3.Connection) -> bytes:
        """All bytes; for the database's own thread.

        Raises:
            StorageError: its message was deleted.
        """
        row = connection.execute(_DATA, (self.message, self.position)).fetchone()
        if row is None:
            raise StorageError(str(self.database.path), f"file {self.position} of message {self.message} is gone")
        return bytes(row[0])


def save_files(connection: sqlite3.Connection, message: str, files: tuple[Attachment, ...]) -> None:
    """Save the files of a message; those that are there already stay as they are."""
    connection.executemany(
        _ATTACH,
        (
            (message, position, each.mime_type, each.name, _bytes_of(connection, each))
            for position, each in enumerate(files)
            if not (isinstance(each.data, StoredFile) and each.data.message == message)
        ),
    )


def _bytes_of(connection: sqlite3.Connection, attachment: Attachment) -> bytes:
    """A file's bytes on the database's thread, which must not wait for itself."""
    data = attachment.data
    return data.read_from(connection) if isinstance(data, StoredFile) else attachment.read()


def kept(database: Database, message: str, files: tuple[Attachment, ...]) -> tuple[Attachment, ...]:
    """The files of a message that was just saved, with their bytes in the database only."""
    return tuple(
        replace(
            each,
            data=StoredFile(database=database, message=message, position=position, size=each.size, head=each.head),
        )
        for position, each in enumerate(files)
    )


def files_of(database: Database, connection: sqlite3.Connection, message: str) -> tuple[Attachment, ...]:
    """The files of a stored message, of whose bytes only the heads are read."""

    def found() -> Iterator[Attachment]:
        for row, position, mime_type, name, size in connection.execute(_FILES, (message,)).fetchall():
            with connection.blobopen("attachments", "data", row, readonly=True) as blob:
                head = blob.read(HEAD_BYTES)
            data = StoredFile(database=database, message=message, position=position, size=size, head=head)
            yield Attachment(mime_type=mime_type, name=name, data=data)

    return tuple(found())
