"""Reads and indexes the files of projects, one after another: stored, reading, indexing, ready (K-01, K-02).

The queue is the table of files, so an end at any point loses nothing: each step can be done again, and a step's result
is noted only if the file has not changed meanwhile (``version``). The index is another file than the table; what it is
to forget is noted in the table first. A passage that it has and the table has not is not shown.
"""

import asyncio
import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from assistant.core.errors import StorageError
from assistant.core.knowledge.files import FileState
from assistant.core.knowledge.passages import Passage
from assistant.core.knowledge.texts import ExtractedText
from assistant.core.listeners import Listeners
from assistant.knowledge.chunks.passages_of import chunks_of
from assistant.knowledge.idle_times import IdleTimes
from assistant.knowledge.index.passage_index import PassageIndex
from assistant.knowledge.projects import file_rows, reading_rows
from assistant.knowledge.projects.contents import digest_of, fingerprint, head_of
from assistant.knowledge.projects.file_rows import FileRow
from assistant.knowledge.projects.reading_rows import ReadFacts
from assistant.knowledge.reading.media_types import media_type_of
from assistant.knowledge.reading.reader import FileReader, UnreadableFileError
from assistant.knowledge.store import FileStore
from assistant.storage.database import Database

_LEFT_ALONE: Final = frozenset({"unknown_kind", "empty"})
"""Reasons of a reader for files that nobody expects to be read."""
_AGAIN_S: Final = 30.0
"""Seconds until work is tried again after the disk refused it."""
_WRITTEN_S: Final = 1.0
"""Seconds until a file that was written while it was read is read again."""

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class FileProgress:
    """How far a file is; ``share`` is the part that was read, from 0 to 1."""

    project: str
    file: str
    state: FileState
    share: float = 0.0


@dataclass(slots=True, kw_only=True)
class Pipeline:
    """Works on the files that wait. ``run`` is one task; ``wake`` tells it of new work.

    Attributes:
        database: ``knowledge.db``.
        reader: extracts texts.
        index: finds passages.
        tokens: counts the tokens of a text; called in a thread.
        store: keeps copies of files, and what was read of them.
        progressed: told of each step.
        stopped: told once when the disk refuses the work, which is tried again until it takes it.
        refused: why it refuses the work at present; ``None`` while it takes it.
    """

    database: Database
    reader: FileReader
    index: PassageIndex
    tokens: Callable[[str], int]
    store: FileStore
    progressed: Listeners[[FileProgress], None] = field(default_factory=Listeners)
    stopped: Listeners[[StorageError], None] = field(default_factory=Listeners)
    refused: StorageError | None = field(default=None, init=False)
    _work: asyncio.Event = field(default_factory=asyncio.Event)
    _idle: asyncio.Event = field(default_factory=asyncio.Event)

    def wake(self) -> None:
        """Look for work."""
        self._idle.clear()
        self._work.set()

    async def done(self) -> None:
        """Wait until no file waits."""
        await self._idle.wait()

    async def run(self, pause: IdleTimes) -> None:
        """Work until the task is cancelled; ``pause`` lets it wait while Sori is busy."""
        self.wake()
        compared = recognised = False
        while True:
            try:
                await self._work.wait()
                self._work.clear()
                if not compared:
                    await pause.free()
                    await self.give_again()
                    compared = True
                if self.reader.recognises is not recognised:  # Its data can be installed at any time.
                    await self.read_scans()
                    recognised = self.reader.recognises
                await self.work_off(pause)
                self.refused = None
                if not self._work.is_set():
                    self._idle.set()
            except StorageError as error:
                log.warning("files cannot be indexed at present: %s", error)
                known, self.refused = self.refused, error
                if known is None:
                    self.stopped.tell(error)
                await asyncio.sleep(_AGAIN_S)
                self._work.set()

    async def work_off(self, pause: IdleTimes) -> None:
        """Work on all files that wait.

        Raises:
            StorageError: the database or the index cannot be written.
        """
        while True:
            await pause.free()
            await self.forget()
            row = await self.database.read(reading_rows.next_waiting)
            if row is None:
                return
            await self._work_on(row)

    async def give_again(self) -> None:
        """Note what the index should have and lacks, because it was damaged, or is another one now.

        Raises:
            StorageError: the database or the index cannot be read.
        """
        for project, files in (await self.database.read(reading_rows.ready)).items():
            if lacking := files - await self.index.files(project):
                log.info("the index lacks %d files of a project", len(lacking))
                await self.database.write(lambda db, lacking=lacking: reading_rows.index_again(db, lacking))  # type: ignore[misc]

    async def read_scans(self) -> None:
        """Read the files again whose letters can be recognised now, because the user wants it or installed the data.

        Raises:
            StorageError: the database cannot be written.
        """
        if self.reader.recognises and await self.database.write(file_rows.read_scans):
            self.wake()

    async def forget(self) -> None:
        """Let the index forget what is gone."""
        for project, file in await self.database.read(reading_rows.forgotten):
            await self.index.remove(project, file or None)
            await self.database.write(lambda db, which=(project, file): reading_rows.is_forgotten(db, *which))  # type: ignore[misc]

    async def _work_on(self, row: FileRow) -> None:
        if row.state is FileState.INDEXING:
            found: Sequence[Passage] = await self.database.read(lambda db: reading_rows.passages(db, row.id))
        else:
            read = await self._read(row)
            if read is None:
                return
            found = read
        self._tell(row, FileState.INDEXING, 1.0)
        await self.index.replace(row.project, row.id, found, name=row.name)
        if await self.database.write(lambda db: reading_rows.set_ready(db, row)):
            self._tell(row, FileState.READY, 1.0)

    async def _read(self, row: FileRow) -> Sequence[Passage] | None:
        """Read a file and keep its passages; ``None`` if there is nothing to index."""
        if not await self.database.write(lambda db: reading_rows.set_state(db, row, FileState.READING), durable=False):
            return None
        self._tell(row, FileState.READING)
        path = Path(row.path) if row.root is not None else self.store.path(row.place)
        try:
            before, digest, head = await asyncio.to_thread(lambda: (fingerprint(path), digest_of(path), head_of(path)))
            if digest == row.read_digest and not (row.lacks_letters and self.reader.recognises):
                await self.database.write(lambda db: reading_rows.set_ready(db, row))
                self._tell(row, FileState.READY, 1.0)
                return None
            text = await self._text(row, path, digest)
            after = await asyncio.to_thread(fingerprint, path)
        except UnreadableFileError as error:
            state = FileState.SKIPPED if error.reason in _LEFT_ALONE else FileState.FAILED
            await self._unreadable(row, state, error.reason, error.detail)
            return None
        except FileNotFoundError:
            await self._unreadable(row, FileState.FAILED, "gone", "")
            return None
        except OSError as error:
            await self._unreadable(row, FileState.FAILED, "no_access", error.strerror or "")
            return None
        if after != before:
            # Its folder tells of the change too.
            await self.database.write(lambda db: reading_rows.set_state(db, row, FileState.STORED), durable=False)
            await asyncio.sleep(_WRITTEN_S)
            return None
        found, facts = await asyncio.to_thread(self._facts, text, digest, head, row.read_as)
        if not await self.database.write(lambda db: reading_rows.set_passages(db, row, facts, found)):
            return None
        return found

    async def _text(self, row: FileRow, path: Path, digest: str) -> ExtractedText:
        version = self.reader.version
        if (known := await asyncio.to_thread(self.store.text, digest, version)) is not None:
            return known
        text = await self.reader.read(path, row.read_as, lambda share: self._tell(row, FileState.READING, share))
        if row.root is None:  # The text of a file that can be read again is kept as passages alone.
            await asyncio.to_thread(self.store.keep_text, digest, version, text)
        return text

    async def _unreadable(self, row: FileRow, state: FileState, reason: str, detail: str) -> None:
        await self.database.write(lambda db: reading_rows.set_unreadable(db, row, state, reason, detail))
        self._tell(row, state)

    def _facts(self, text: ExtractedText, digest: str, head: bytes, name: str) -> tuple[Sequence[Passage], ReadFacts]:
        return chunks_of(text), ReadFacts(
            digest=digest,
            media_type=media_type_of(head, name),
            characters=len(text.text),
            tokens=self.tokens(text.text),
            notes=text.notes,
        )

    def _tell(self, row: FileRow, state: FileState, share: float = 0.0) -> None:
        self.progressed.tell(FileProgress(project=row.project, file=row.id, state=state, share=share))
