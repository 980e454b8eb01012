"""The texts of files in messages (K-01, C-04). Their bytes are kept with their messages; texts can be made again."""

import asyncio
import hashlib
import logging
from collections.abc import Callable

from assistant.core.knowledge.texts import ExtractedText
from assistant.core.messages import Attachment
from assistant.knowledge.reading.reader import FileReader, UnreadableFileError, tell_nobody
from assistant.knowledge.store import FileStore

_log = logging.getLogger(__name__)


class MessageDocuments:
    """Reads files of messages, and keeps what was read for a while. Lives on one event loop.

    Args:
        store: a store of its own, whose files nobody else refers to.
        reader: reads files.
    """

    def __init__(self, store: FileStore, reader: FileReader) -> None:
        self._store, self._reader = store, reader

    async def read(self, file: Attachment, progress: Callable[[float], None] = tell_nobody) -> ExtractedText:
        """The text of a file.

        Args:
            file: the file; its bytes are stored first.
            progress: is told the share that is read, from 0 to 1.

        Raises:
            UnreadableFileError: it gave no text.
            StorageError: the file belongs to a message and cannot be read from the database.
        """
        digest, kept = await asyncio.to_thread(self._kept, file)
        if kept is not None:
            return kept
        text = await self._reader.read(self._store.path(digest), file.name, progress)
        try:
            await asyncio.to_thread(self._store.keep_text, digest, self._reader.version, text)
        except UnreadableFileError as error:
            # It is made again when it is wanted.
            _log.warning("the text of a file is not kept: %s", error)
        return text

    async def text_of(self, file: Attachment) -> str | None:
        """The text of a file; ``None`` for a file without text.

        Raises:
            StorageError: the file cannot be read from the database.
        """
        try:
            return (await self.read(file)).text
        except UnreadableFileError as error:
            _log.info("a file of type %s gives no text: %s", file.mime_type, error.reason)
            return None

    async def close(self) -> None:
        """End the process that reads, and remove what is older than an hour: it can be made again."""
        await self._reader.close()
        await asyncio.to_thread(self._store.collect, ())

    def _kept(self, file: Attachment) -> tuple[str, ExtractedText | None]:
        content = file.read()
        digest = hashlib.sha256(content).hexdigest()
        kept = self._store.text(digest, self._reader.version)
        if kept is None:
            self._store.add(content)
        return digest, kept
