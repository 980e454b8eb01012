"""The user's projects: sets of files that questions are asked about (K-02)."""

import asyncio
import re
import sqlite3
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Final

from assistant.core.clock import Clock
from assistant.core.errors import ErrorCode, SoriError
from assistant.core.knowledge.files import FileState, HeldUp, KnownFile, Project, ProjectChanges
from assistant.core.knowledge.passages import FoundPassage, Passage, joined
from assistant.core.listeners import Listeners
from assistant.core.records.egress import DataClass
from assistant.knowledge.idle_times import AlwaysIdle, IdleTimes
from assistant.knowledge.index.passage_index import PassageIndex
from assistant.knowledge.projects import file_rows, project_rows, reading_rows
from assistant.knowledge.projects.changes import changes_since, forget_gone
from assistant.knowledge.projects.copies import StoredCopies
from assistant.knowledge.projects.differences import name_of
from assistant.knowledge.projects.file_rows import FileRow
from assistant.knowledge.projects.following import Following
from assistant.knowledge.projects.pages import PageNotReadError, PageReader, address_of
from assistant.knowledge.projects.pipeline import Pipeline
from assistant.knowledge.projects.schema import STEPS
from assistant.knowledge.projects.shared_rows import SharedProject, put_project, shared_projects
from assistant.knowledge.reading.reader import FileReader, UnreadableFileError
from assistant.knowledge.store import FileStore
from assistant.storage.database import Database
from assistant.tasks import TaskSupervisor

_LONGEST_NAME: Final = 100
_UNDO_S: Final = 10.0
"""Seconds in which the removal of a project or of a stored copy can be undone."""


@dataclass(slots=True, kw_only=True)
class Projects:
    """Projects, their files and what is found in them. Open it with ``open_projects``.

    Attributes:
        database: ``knowledge.db``.
        clock: gives the time.
        index: finds passages.
        pipeline: reads and indexes files.
        copies: adds and erases stored copies.
        following: follows folders.
        read_page: fetches pages of the web.
        changed: told of the id of a project that has changed; empty if the list has.
    """

    database: Database
    clock: Clock
    index: PassageIndex
    pipeline: Pipeline
    copies: StoredCopies
    following: Following
    read_page: PageReader
    changed: Listeners[[str], object] = field(default_factory=Listeners)
    _tasks: TaskSupervisor = field(default_factory=TaskSupervisor)
    _pause: IdleTimes | None = None
    _reads: bool = False

    async def start(self, pause: IdleTimes) -> None:
        """Read what waits and follow the folders, until ``close``.

        Args:
            pause: lets the work wait while Sori is busy.

        Raises:
            StorageError: the database cannot be used.
        """
        await self.erase_removed()
        at = self._now()
        await self.database.write(lambda db: forget_gone(db, at))
        self.following.changed.add(self.changed.tell)
        self._pause = pause
        self._read(pause)
        await self.following.follow(pause)

    async def close(self) -> None:
        """End all work and close the database."""
        await self.following.close()
        await self._tasks.close()
        await self.pipeline.reader.close()
        await self.index.close()
        await self.database.close()

    # Projects

    async def listed(self) -> tuple[Project, ...]:
        """All projects, by name, without whether they are found by meaning."""
        return tuple(await self.database.read(project_rows.projects))

    async def all(self) -> tuple[Project, ...]:
        """All projects, by name."""
        return tuple(await asyncio.gather(*map(self._with_state, await self.listed())))

    async def find(self, name: str, workspace: str = "") -> Project:
        """A project by its id or its name; among equal names that of the workspace, or the only one with files here.

        Raises:
            SoriError: there is none, or several.
        """
        found = await self.listed()
        wanted = name_of(name.strip()).casefold()
        named = [each for each in found if each.name.casefold() == wanted]
        for fitting in (
            [each for each in found if each.id == name],
            [each for each in named if each.workspace == workspace],
            named,
            # Another device may have one of the same name, which has nothing here.
            [each for each in named if each.folders or each.files],
        ):
            if len(fitting) == 1:
                return await self._with_state(fitting[0])
        raise SoriError(
            ErrorCode.INVALID_REQUEST, "there is no such project", message_key="project_unknown", values={"name": name}
        )

    async def _with_state(self, project: Project) -> Project:
        """The project, with how far its index is and whether the disk holds its files up."""
        state, refused = await self.index.state(project.id), self.pipeline.refused
        held = None
        if refused is not None and project.waiting:
            held = HeldUp(key=refused.message_key, path=refused.path, detail=refused.values["detail"])
        return replace(project, meaning=state.meaning, held=held)

    async def add(self, name: str, workspace: str, folders: Collection[str] = ()) -> Project:
        """Make a project.

        Raises:
            SoriError: the name is empty or taken, or a folder does not exist.
        """
        name = await self._free_name(name, workspace)
        paths = [await asyncio.to_thread(_folder, each) for each in folders]
        at = self._now()

        def make(db: sqlite3.Connection) -> str:
            made = project_rows.add_project(db, name, workspace, at)
            for path in paths:
                project_rows.add_folder(db, made, path)
            return made

        made = await self.database.write(make)
        self.changed.tell("")
        await self._begun(made)
        return await self.find(made)

    async def changes_since(self, workspace: str, since: datetime) -> tuple[ProjectChanges, ...]:
        """What has changed in the projects of a workspace since a time, by name; those without a change are left out.

        Raises:
            StorageError: it cannot be read.
        """
        at = since.isoformat(timespec="seconds")
        return tuple(await self.database.read(lambda db: changes_since(db, workspace, at)))

    def _now(self) -> str:
        return self.clock.now().isoformat(timespec="seconds")

    async def rename(self, project: str, name: str) -> None:
        """Give a project another name.

        Raises:
            SoriError: the name is empty or taken.
        """
        known = await self.find(project)
        if name_of(name.strip()) != known.name:
            name = await self._free_name(name, known.workspace)
            await self.database.write(lambda db: project_rows.rename_project(db, known.id, name))
            self.changed.tell("")

    async def remove(self, project: str) -> None:
        """Remove a project. The user's files are not touched. For ten seconds it can be restored.

        A process that follows nothing erases it at once when it ends (``erase_removed``).
        """
        if await self.database.write(lambda db: project_rows.set_removed(db, project, removed=True)):
            if self._pause is not None:
                self._tasks.start(self._erase_later(project), name="erase a project")
            await self._followed("")

    async def restore(self, project: str) -> bool:
        """Bring a removed project back; ``False`` if it is erased already."""
        restored = await self.database.write(lambda db: project_rows.set_removed(db, project, removed=False))
        if restored:
            await self._followed("")
        return restored

    async def shared(self) -> dict[str, SharedProject]:
        """What other devices have of the projects too, by id.

        Raises:
            StorageError: it cannot be read.
        """
        return await self.database.read(shared_projects)

    async def take_over(self, project: str, theirs: SharedProject | None, before: SharedProject | None) -> bool:
        """Take over a project from another device; whether it was still as ``before``. Nothing has changed otherwise.

        Args:
            project: its id.
            theirs: as it is there; ``None`` for one that was removed.
            before: as it was here; ``None`` for not at all.

        Raises:
            StillUsedError: it was removed there, and has folders or files here.
            StorageError: the database or the index cannot be written.
        """
        taken = await self.database.write(lambda db: put_project(db, project, theirs, before))
        if taken and theirs is None:
            await self._erase(project)
        if taken:
            self.changed.tell("")
        return taken

    async def erase_removed(self) -> None:
        """Erase what was removed now, for a process that ends."""
        for gone in await self.database.read(project_rows.removed_projects):
            await self._erase(gone)
        await self._erase_copies(await self.database.read(file_rows.removed_copies))

    async def erase_all(self) -> None:
        """Erase all projects, with the stored copies of files that belonged to them alone.

        Raises:
            StorageError: the database or the index cannot be written.
        """
        for each in await self.all():
            await self.database.write(lambda db, gone=each.id: project_rows.set_removed(db, gone, removed=True))  # type: ignore[misc]
        await self.erase_removed()
        await self._followed("")

    async def _erase_later(self, project: str) -> None:
        await self.clock.sleep(_UNDO_S)
        if project in await self.database.read(project_rows.removed_projects):
            await self._erase(project)

    async def _erase(self, project: str) -> None:
        await self.copies.erase(lambda db: project_rows.erase_project(db, project))

    async def _erase_copy_later(self, row: FileRow) -> None:
        await self.clock.sleep(_UNDO_S)
        # One that was brought back and removed again meanwhile has its own time.
        removed = await self.database.read(file_rows.removed_copies)
        await self._erase_copies([each for each in removed if (each.id, each.version) == (row.id, row.version + 1)])

    async def _erase_copies(self, rows: Sequence[FileRow]) -> None:
        at = self._now()

        def erase(db: sqlite3.Connection) -> None:
            for each in rows:
                file_rows.remove_file(db, each, at)

        if not rows:
            return
        await self.copies.erase(erase)
        for project in {each.project for each in rows}:
            self.changed.tell(project)

    async def _free_name(self, name: str, workspace: str) -> str:
        name = name_of(" ".join(name.split()))[:_LONGEST_NAME]
        if not name:
            raise SoriError(ErrorCode.INVALID_REQUEST, "the name is empty", message_key="project_name_empty")
        if await self.database.read(lambda db: project_rows.name_taken(db, name, workspace)):
            raise SoriError(
                ErrorCode.INVALID_REQUEST, "the name is taken", message_key="project_name_taken", values={"name": name}
            )
        return name

    # Folders

    async def add_folder(self, project: str, folder: str) -> None:
        """Let a project follow a folder.

        Raises:
            SoriError: it does not exist.
        """
        path = await asyncio.to_thread(_folder, folder)
        await self.database.write(lambda db: project_rows.add_folder(db, project, path))
        await self._begun(project)

    async def remove_folder(self, project: str, folder: str) -> None:
        """Follow a folder no longer, and forget its files."""
        for each in await self.database.read(lambda db: project_rows.folders(db, project)):
            if name_of(each.path) == name_of(folder):
                await self.database.write(lambda db, each=each: project_rows.remove_folder(db, each))  # type: ignore[misc]
        await self._followed(project)

    async def _begun(self, project: str) -> None:
        """Compare and follow the folders of a project. A large folder takes a while: who asked may leave meanwhile."""

        async def begin() -> None:
            await self._compare(project)
            await self._followed(project)

        await asyncio.shield(self._tasks.start(begin(), name="begin to follow folders", handled=True))

    async def _followed(self, changed: str) -> None:
        if self._pause is not None:  # A command beside the engine follows nothing.
            await self.following.follow(self._pause)
        self.pipeline.wake()
        self.changed.tell(changed)

    async def _compare(self, project: str = "") -> None:
        for folder in await self.database.read(lambda db: project_rows.folders(db, project)):
            await self.following.compare(folder)

    async def read_here(self) -> None:
        """Compare all folders and read what waits, in a process that follows nothing, until ``close``.

        Raises:
            StorageError: the database cannot be used.
        """
        await self._compare()
        self._read(AlwaysIdle())

    def _read(self, pause: IdleTimes) -> None:
        """Read what waits from now on. Two such tasks would work on one file, and the slower undo what is done."""
        self.pipeline.wake()
        if not self._reads:
            self._reads = True
            self._tasks.start(self.pipeline.run(pause), name="read the files of projects")

    # Files

    async def files(
        self, project: str, states: Iterable[FileState] = (), *, after: str = "", limit: int = -1
    ) -> tuple[KnownFile, ...]:
        """Files of a project, those that failed first; those after the file ``after``, at most ``limit``."""
        rows = await self.database.read(lambda db: file_rows.files(db, project, states, after=after, limit=limit))
        return tuple(row.shown() for row in rows)

    async def extent(self, project: str, states: Iterable[FileState]) -> tuple[int, int, int]:
        """Files in these states that have passages: how many, their tokens and their characters."""
        chosen = tuple(states)
        return await self.database.read(lambda db: file_rows.extent(db, project, chosen))

    async def file(self, identity: str) -> KnownFile:
        """A file by its id.

        Raises:
            SoriError: there is none.
        """
        return (await self._row(identity)).shown()

    async def add_copy(self, project: str, path: str) -> KnownFile:
        """Add a copy of a file; the same bytes are not added twice.

        Raises:
            SoriError: there is no such file, or it cannot be read.
            StorageError: the copy cannot be written.
        """
        store = self.pipeline.store
        return await self._added(project, await self.copies.add(project, path, lambda: store.add_file(Path(path))))

    async def add_bytes(self, project: str, name: str, content: bytes) -> KnownFile:
        """Add a file that is given by its bytes; the same bytes are not added twice.

        Raises:
            SoriError: it cannot be stored.
        """
        plain = re.split(r"[/\\]", name)[-1] or "file"
        store = self.pipeline.store
        made = await self.copies.add(project, plain, lambda: (store.add(content), len(content)))
        return await self._added(project, made)

    async def _added(self, project: str, file: str) -> KnownFile:
        self.pipeline.wake()
        self.changed.tell(project)
        return await self.file(file)

    async def keep_page(self, project: str, url: str, address_kind: DataClass = DataClass.ASKED_ADDRESS) -> KnownFile:
        """Keep the text of a page of the web, or read a kept page again. If it cannot be read, its old text stays.

        Args:
            project: id of the project.
            url: address of the page.
            address_kind: where the address comes from, for the egress ledger.

        Raises:
            PageNotReadError: the page cannot be read.
            StorageError: the request cannot be recorded, or the text cannot be written.
        """
        url = address_of(url)
        try:
            page = await self.read_page(url, address_kind)
            made = await self.copies.keep_page(project, url, page)
        except UnreadableFileError as error:
            reason, detail = error.reason, error.detail
            known = await self.database.read(lambda db: file_rows.page(db, project, url))
            if known is not None:
                await self.database.write(lambda db: file_rows.note_page(db, known, reason, detail))
                self.changed.tell(project)
            raise PageNotReadError(url, error) from error
        return await self._added(project, made)

    async def remove_file(self, identity: str) -> None:
        """Leave a file alone from now on, which ``read_again`` undoes. A stored copy is erased after ten seconds.

        Raises:
            SoriError: there is no such file.
        """
        row = await self._row(identity)
        await self.database.write(lambda db: file_rows.exclude_file(db, row))
        await self.pipeline.forget()
        await self.database.forget_deleted()
        if row.root is None and self._pause is not None:
            self._tasks.start(self._erase_copy_later(row), name="erase a copy")
        self.pipeline.wake()
        self.changed.tell(row.project)

    async def read_again(self, project: str, identity: str = "") -> int:
        """Read a file again, or all of a project that could not be read; returns how many.

        A page of the web that is named is fetched again, unless it was removed.

        Raises:
            SoriError: there is no such file, or the page cannot be read; then its old text stays.
        """
        rows = (
            [await self._row(identity)]
            if identity
            else await self.database.read(lambda db: file_rows.files(db, project, (FileState.FAILED,)))
        )
        if identity and (url := rows[0].url) and rows[0].reason != "removed":
            await self.keep_page(rows[0].project, url)
            return 1
        await self.database.write(lambda db: file_rows.read_again(db, rows))
        self.pipeline.wake()
        self.changed.tell(project)
        return len(rows)

    async def text_of(self, identity: str) -> str:
        """The text of a file. What stands between its passages is white space."""
        return joined(await self.passages(identity))

    async def passages(self, identity: str) -> Sequence[Passage]:
        """All passages of a file, in order."""
        return await self.database.read(lambda db: reading_rows.passages(db, identity))

    async def passage(self, identity: str, number: int) -> Passage | None:
        """A passage of a file; ``None`` if there is none with this number."""
        found = await self.database.read(lambda db: reading_rows.passages(db, identity, (number,)))
        return found[0] if found else None

    async def search(self, question: str, projects: Collection[str], *, limit: int = 10) -> tuple[FoundPassage, ...]:
        """The passages that match a question best, the best first.

        Raises:
            StorageError: the index cannot be read.
        """
        hits = await self.index.search(question, projects, limit=limit)

        def found(db: sqlite3.Connection) -> list[FoundPassage]:
            return [
                FoundPassage(
                    file=hit.file,
                    name=row.name,
                    passage=passages[0],
                    score=hit.score,
                    url=row.url,
                    nearness=hit.nearness,
                )
                for hit in hits
                if (row := file_rows.file(db, hit.file)) is not None
                and (passages := reading_rows.passages(db, hit.file, (hit.number,)))
            ]

        return tuple(await self.database.read(found))

    async def _row(self, identity: str) -> FileRow:
        row = await self.database.read(lambda db: file_rows.file(db, identity))
        if row is None:
            raise SoriError(
                ErrorCode.INVALID_REQUEST,
                "there is no such file",
                message_key="project_file_unknown",
                values={"name": identity},
            )
        return row


async def open_projects(
    path: Path,
    clock: Clock,
    *,
    reader: FileReader,
    index: PassageIndex,
    tokens: Callable[[str], int],
    store: FileStore,
    read_page: PageReader,
) -> Projects:
    """Open ``knowledge.db``. Nothing is read or followed before ``start``.

    Args:
        path: the database.
        clock: gives the time.
        reader: extracts texts.
        index: finds passages; it is closed with the projects.
        tokens: counts the tokens of a text; called in a thread.
        store: keeps copies of files, and what was read of them.
        read_page: fetches pages of the web.

    Raises:
        StorageError: the database cannot be used.
    """
    database = await Database.open(path, clock, STEPS)
    pipeline = Pipeline(database=database, reader=reader, index=index, tokens=tokens, store=store)
    following = Following(database=database, clock=clock, pipeline=pipeline)
    return Projects(
        database=database,
        clock=clock,
        index=index,
        pipeline=pipeline,
        copies=StoredCopies(database=database, clock=clock, pipeline=pipeline),
        following=following,
        read_page=read_page,
    )


def _folder(path: str) -> str:
    """The folder's own path, without links.

    Raises:
        SoriError: there is no such folder.
    """
    real = Path(path).expanduser().resolve()
    if not real.is_dir():
        raise SoriError(
            ErrorCode.INVALID_REQUEST, "there is no such folder", message_key="folder_unknown", values={"path": path}
        )
    return str(real)
