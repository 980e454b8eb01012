"""Files attached to messages. Their bytes stay in the database and are read only when they are needed."""

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
_FILE = """
SELECT attachments.rowid, attachments.name, mime_type FROM attachments
    JOIN messages ON messages.id = message JOIN conversations ON conversations.id = conversation
    WHERE message = ? AND position = ? AND deleted_at = ''
"""
_DATA = "SELECT data FROM attachments WHERE message = ? AND position = ?"


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredFile:
    """A file in the database; implements ``KeptFile``.

    Attributes:
        database: the database that holds it.
        message: id of the message that it is attached to.
        position: index among the files of that message, from 0.
        size: size in bytes.
        head: the first ``HEAD_BYTES`` bytes.
    """

    database: Database = field(repr=False)
    message: str
    position: int
    size: int
    head: bytes = field(repr=False)

    @property
    def reference(self) -> str:
        """The id of its message and its position there."""
        return f"{self.message}/{self.position}"

    def read(self) -> bytes:
        """All bytes.

        Raises:
            StorageError: the database cannot be read, or the message was deleted.
        """
        return self.database.read_waiting(self.read_from)

    def read_from(self, connection: sqlite3.Connection) -> bytes:
        """All bytes. Call it on the database's own thread.

        Raises:
            StorageError: the message was deleted.
        """
        row = connection.execute(_DATA, (self.message, self.position)).fetchone()
        if row is None:
            detail = f"file {self.position} of message {self.message} was deleted with its message"
            raise StorageError(str(self.database.path), detail)
        return bytes(row[0])


def part_of(connection: sqlite3.Connection, reference: str, offset: int, length: int) -> tuple[Attachment, int] | None:
    """At most ``length`` bytes of a file from ``offset`` on, and the size of the whole file.

    Returns:
        The file with these bytes alone; ``None`` if there is no such file, or its conversation is deleted.
    """
    message, _, position = reference.partition("/")
    row = connection.execute(_FILE, (message, position)).fetchone()
    if row is None:
        return None
    identity, name, mime_type = row
    with connection.blobopen("attachments", "data", identity, readonly=True) as blob:
        size = len(blob)
        blob.seek(min(offset, size))
        return Attachment(name=name, mime_type=mime_type, data=blob.read(length)), size


def save_files(connection: sqlite3.Connection, message: str, files: tuple[Attachment, ...]) -> None:
    """Save the files of a message. Files that are already saved are left unchanged."""
    connection.executemany(
        _ATTACH,
        (
            (message, position, each.mime_type, each.name, _bytes_of(connection, each))
            for position, each in enumerate(files)
            if not (isinstance(each.data, StoredFile) and each.data.message == message)
        ),
    )


def _bytes_of(connection: sqlite3.Connection, attachment: Attachment) -> bytes:
    """The bytes of a file, read on the database's thread. That thread must not wait for work queued on itself."""
    data = attachment.data
    return data.read_from(connection) if isinstance(data, StoredFile) else attachment.read()


def kept(database: Database, message: str, files: tuple[Attachment, ...]) -> tuple[Attachment, ...]:
    """The files of a message that was just saved. They refer to the database and hold no bytes but their heads."""
    return tuple(
        replace(
            each,
            data=StoredFile(database=database, message=message, position=position, size=each.size, head=each.head),
        )
        for position, each in enumerate(files)
    )


def files_of(database: Database, connection: sqlite3.Connection, message: str) -> tuple[Attachment, ...]:
    """The files of a stored message. Only their heads are read."""

    def found() -> Iterator[Attachment]:
        for row, position, mime_type, name, size in connection.execute(_FILES, (message,)).fetchall():
            with connection.blobopen("attachments", "data", row, readonly=True) as blob:
                head = blob.read(HEAD_BYTES)
            data = StoredFile(database=database, message=message, position=position, size=size, head=head)
            yield Attachment(mime_type=mime_type, name=name, data=data)

    return tuple(found())
