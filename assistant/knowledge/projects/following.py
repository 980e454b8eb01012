"""Keeps the files of projects like the user's folders: what was added, changed, moved, renamed or deleted (K-02).

A folder is compared with the table as a whole at the start, and where something has changed while Sori runs. A moved or
renamed file is recognised by its number on the file system, or by its bytes, and keeps its id and passages, also where
it moved from one folder of the project to another. A folder that cannot be reached, such as one on a disk that is not
there, keeps its files.
"""

import asyncio
import logging
import os
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from watchfiles import awatch

from assistant.core.clock import Clock
from assistant.core.errors import StorageError
from assistant.core.listeners import Listeners
from assistant.knowledge.idle_times import IdleTimes
from assistant.knowledge.projects import file_rows, project_rows
from assistant.knowledge.projects.differences import Differences, came, differences, name_of, went
from assistant.knowledge.projects.pipeline import Pipeline
from assistant.knowledge.projects.project_rows import FolderRow
from assistant.knowledge.projects.rules import IGNORE_FILES
from assistant.knowledge.projects.scanning import scan
from assistant.storage.database import Database
from assistant.tasks import TaskSupervisor

_AWAY_S: Final = 5.0
"""Seconds between two looks for a folder that cannot be reached."""
_POLL_S: Final = 15.0
"""Seconds between two scans of a folder whose changes the system does not tell."""
_BATCH: Final = 1_000
"""Changes in one transaction, which takes about 50 ms."""
_MANY_PLACES: Final = 500
"""Changed places from which on the whole folder is scanned."""
_SETTLED_MS: Final = 400
"""Milliseconds without another change after which changes are told, so that a save or a move is seen as one."""

log = logging.getLogger(__name__)


@dataclass(slots=True, kw_only=True)
class Following:
    """Follows the folders of all projects.

    Attributes:
        database: ``knowledge.db``.
        clock: gives the time.
        pipeline: reads what has changed.
        changed: told of a project whose files have changed.
        polls: told of the path of a folder whose changes the system does not tell, so that it is scanned regularly.
    """

    database: Database
    clock: Clock
    pipeline: Pipeline
    changed: Listeners[[str], object] = field(default_factory=Listeners)
    polls: Listeners[[str], object] = field(default_factory=Listeners)
    _tasks: TaskSupervisor = field(default_factory=TaskSupervisor)
    _followed: dict[int, "asyncio.Task[None]"] = field(default_factory=dict)
    _comparing: defaultdict[str, asyncio.Lock] = field(default_factory=lambda: defaultdict(asyncio.Lock))
    """One comparison of a project at a time, because a file may go from one folder and come to another."""

    async def follow(self, pause: IdleTimes) -> None:
        """Follow the folders that the table has now, and no others; ``pause`` lets scans wait while Sori is busy.

        Raises:
            StorageError: the table cannot be read.
        """
        wanted = {each.id: each for each in await self.database.read(project_rows.folders)}
        for identity in self._followed.keys() - wanted.keys():
            self._followed.pop(identity).cancel()
        for identity in wanted.keys() - self._followed.keys():
            self._followed[identity] = self._tasks.start(self._watch(wanted[identity], pause), name="follow a folder")

    async def close(self) -> None:
        """Follow nothing any more."""
        await self._tasks.close()

    async def compare(self, folder: FolderRow, within: Collection[str] = ("",)) -> bool:
        """Bring the table up to date; whether the folder can be reached.

        Args:
            folder: the folder.
            within: the places that may have changed; ``""`` for all.

        Raises:
            StorageError: the table cannot be written.
        """
        async with self._comparing[folder.project]:
            return await self._compare(folder, within)

    async def _compare(self, folder: FolderRow, within: Collection[str]) -> bool:
        root = Path(folder.path)
        try:
            found = await asyncio.to_thread(scan, root, within)
        except OSError as error:
            log.info("a folder is out of reach: %s", error.strerror)
            await self._set_reach(folder, 0, away=True)
            return False
        rows = await self.database.read(lambda db: file_rows.files_of_folder(db, folder.id))
        if rows and folder.device not in (0, found.device) and await asyncio.to_thread(_is_empty, root):
            await self._set_reach(folder, 0, away=True)  # The place at which a disk is mounted, without the disk.
            return False
        await self._set_reach(folder, found.device, away=False)
        changes = await asyncio.to_thread(differences, root, rows, found, within)
        if changes.added or changes.gone:
            changes = await self._between_folders(folder, changes)
        if changes:
            await self._note(folder, changes)
        self.pipeline.wake()
        return True

    async def _between_folders(self, folder: FolderRow, changes: Differences) -> Differences:
        """The changes of a folder but for what moved to another folder of the project, which is noted here."""
        for other in await self.database.read(lambda db: project_rows.folders(db, folder.project)):
            root = Path(other.path)
            if other.id == folder.id or not await asyncio.to_thread(root.is_dir):
                continue
            rows = await self.database.read(lambda db, other=other: file_rows.files_of_folder(db, other.id))  # type: ignore[misc]
            changes = await asyncio.to_thread(came, Path(folder.path), changes, rows)
            if changes.gone:
                with suppress(OSError):  # It is out of reach now, so nothing came to it.
                    found = await asyncio.to_thread(scan, root)
                    moved = await asyncio.to_thread(went, changes.gone, root, rows, found)
                    await self._note(other, moved)
                    from_here = {row.id for row, _ in moved.moved}
                    changes = replace(changes, gone=[row for row in changes.gone if row.id not in from_here])
        return changes

    async def _set_reach(self, folder: FolderRow, device: int, *, away: bool) -> None:
        known = {
            each.id: each for each in await self.database.read(lambda db: project_rows.folders(db, folder.project))
        }
        now = known.get(folder.id)
        if now is not None and (now.away is not away or (device and now.device != device)):
            await self.database.write(lambda db: project_rows.set_reach(db, folder.id, device, away=away))
            self.changed.tell(folder.project)

    async def _note(self, folder: FolderRow, changes: Differences) -> None:
        at = self.clock.now().isoformat(timespec="seconds")
        steps: list[Callable[..., object]] = []
        # Places must be free before others take them.
        steps += [lambda db, row=row: file_rows.remove_file(db, row, at) for row in changes.gone]
        steps += [
            lambda db, row=row, found=found: file_rows.move_file(db, row, folder.id, found, name_of(found.place))
            for row, found in changes.moved
        ]
        steps += [
            lambda db, row=row, found=found: file_rows.change_file(db, row, found, at) for row, found in changes.changed
        ]
        steps += [
            lambda db, found=found: file_rows.add_file(db, folder.project, folder.id, found, name_of(found.place), at)
            for found in changes.added
        ]
        for batch in _batches(steps):
            await self.database.write(lambda db, batch=batch: [step(db) for step in batch])  # type: ignore[misc]
            self.changed.tell(folder.project)

    async def _watch(self, folder: FolderRow, pause: IdleTimes) -> None:
        """Follow one folder until the task is cancelled."""
        while True:
            try:
                if not await self.compare(folder):
                    await asyncio.sleep(_AWAY_S)
                    continue
                await self._follow_changes(folder, pause)
            except StorageError as error:
                log.warning("a folder cannot be followed at present: %s", error)
                await asyncio.sleep(_POLL_S)

    async def _follow_changes(self, folder: FolderRow, pause: IdleTimes) -> None:
        """Compare what changes; return when the folder is out of reach."""
        try:
            try:
                await self._follow_told(folder, pause)
            except PermissionError:
                await self._follow_told(folder, pause, scanned=True)
        except (OSError, RuntimeError) as error:
            # Linux limits the number of watched folders (fs.inotify.max_user_watches).
            log.warning("the system does not tell of changes in a folder: %s", error)
            self.polls.tell(folder.path)
            while await self.compare(folder):
                await asyncio.sleep(_POLL_S)
                await pause.free()

    async def _follow_told(self, folder: FolderRow, pause: IdleTimes, *, scanned: bool = False) -> None:
        """Compare what the system tells of; return when the folder is out of reach.

        Args:
            folder: the folder.
            pause: lets scans wait while Sori is busy.
            scanned: whether it is scanned regularly as well, because a folder below it may not be watched. The library
                then passes over all that it cannot watch, without telling why: the limit of the system too.

        Raises:
            PermissionError: a folder below it may not be watched; only without ``scanned``.
            OSError: the limit of the system is reached.
            RuntimeError: the system cannot tell of changes.
        """
        root, missed, quiet_s = folder.path, True, 0.0
        async for seen in awatch(
            root,
            watch_filter=None,
            debounce=10_000,
            step=_SETTLED_MS,
            yield_on_timeout=True,
            rust_timeout=int(_AWAY_S * 1000),
            ignore_permission_denied=scanned,
            recursive=True,
        ):
            quiet_s = quiet_s + _AWAY_S if scanned and not seen else 0.0
            # What changed between the last comparison and the beginning of the watch was not told.
            missed = missed or quiet_s >= _POLL_S
            places = ("",) if missed else _places([path for _, path in seen], root)
            if seen or missed or not await asyncio.to_thread(Path(root).is_dir):
                missed, quiet_s = False, 0.0
                await pause.free()
                if not await self.compare(folder, places or ("",)):
                    return


def _places(paths: Sequence[str], root: str) -> Collection[str]:
    """The places below ``root`` that must be scanned after changes of these paths; ``""`` for all."""
    places = set(_changed_places(paths, root))
    if "" in places or len(places) > _MANY_PLACES:
        return ("",)
    return [each for each in places if not any(each.startswith(f"{other}/") for other in places)]


def _changed_places(paths: Sequence[str], root: str) -> Iterator[str]:
    for path in paths:
        place = os.path.relpath(path, root)
        if place == ".":
            yield ""
        # Rules hold for their folder. A name that is no text is told inexactly.
        elif place.rsplit("/", 1)[-1] in IGNORE_FILES or "\N{REPLACEMENT CHARACTER}" in place:
            yield place.rpartition("/")[0]
        else:
            yield place


def _is_empty(folder: Path) -> bool:
    with os.scandir(folder) as entries:
        return next(entries, None) is None


def _batches(steps: Sequence[Callable[..., object]]) -> Iterator[Sequence[Callable[..., object]]]:
    for start in range(0, len(steps), _BATCH):
        yield steps[start : start + _BATCH]
