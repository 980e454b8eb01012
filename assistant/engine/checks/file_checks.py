"""Checks of the user's files: the folder, the settings, the disk, the database."""

import asyncio
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from assistant.agent.model_choice import has_model
from assistant.agent.workspaces.directory import Workspaces
from assistant.agent.workspaces.files import FileProblem, read
from assistant.agent.workspaces.profiles import model_problems
from assistant.core.display.sizes import size_words
from assistant.core.errors import SettingsError, StorageError
from assistant.core.settings import Settings
from assistant.core.texts import Texts
from assistant.engine.checks.check import Check, Checks, Grade
from assistant.engine.checks.health import writable
from assistant.host.clock import SystemClock
from assistant.host.needed_models import for_this_machine
from assistant.host.places import Places
from assistant.host.settings_file import read_settings, settings_trouble
from assistant.storage.database import Database
from assistant.tools.grants import GrantFile

_LOW_DISK_BYTES = 1_000_000_000
_NO_DISK_BYTES = 100_000_000


class FileChecks(Checks):
    """Checks the user's files.

    Attributes:
        settings: the settings after ``config``; ``None`` if they cannot be read.
    """

    def __init__(self, places: Places, texts: Texts) -> None:
        super().__init__(places, texts)
        self.settings: Settings | None = None

    def home(self) -> Iterator[Check]:
        """Whether Sori's folder can be written."""
        home = self._places.home
        if trouble := writable(home):
            yield self._line("home", Grade.FAIL, "unwritable", remedy="remedy", home=home, reason=trouble)
        else:
            yield self._line("home", Grade.OK, "writable", home=home)

    def config(self) -> Iterator[Check]:
        """Whether the settings file can be read."""
        path = self._places.config
        try:
            self.settings = for_this_machine(read_settings(path), self._places.home)
        except SettingsError as error:
            where = f"{path}:{error.line}" if error.line else str(path)
            problem, remedy = settings_trouble(error, self._texts)
            detail = self._texts("doctor.config.bad", where=where, detail=problem)
            yield Check(name="config", verdict=Grade.FAIL, detail=detail, remedy=remedy)
            return
        yield self._line("config", Grade.OK, "read" if path.exists() else "defaults", path=path)

    def disk(self) -> Iterator[Check]:
        """Whether the disk has room."""
        folder = next(each for each in (self._places.home, *self._places.home.parents) if each.exists())
        free = shutil.disk_usage(folder).free
        limits = ((_NO_DISK_BYTES, Grade.FAIL), (_LOW_DISK_BYTES, Grade.WARN))
        verdict = next((verdict for limit, verdict in limits if free < limit), Grade.OK)
        remedy = "" if verdict is Grade.OK else "remedy"
        yield self._line("disk", verdict, "free", remedy=remedy, free=size_words(free), folder=folder)

    def grants(self) -> Iterator[Check]:
        """Whether it can be read what the user has allowed for good; nothing if it can."""
        path = self._places.grants
        if damage := GrantFile(path).damage:
            yield self._line("grants", Grade.WARN, "damaged", remedy="remedy", path=path, reason=damage)

    def database(self) -> Iterator[Check]:
        """Whether the database can be opened."""
        if not self._places.database.exists():
            return
        try:
            damaged = asyncio.run(self._damaged())
        except StorageError as error:
            detail = self._texts(error.message_key, **error.values)
            line = self._line("database", Grade.FAIL, "unusable", remedy="remedy", detail=detail)
            yield replace(line, code=error.code.value)
            return
        verdict, outcome = (Grade.WARN, "damaged") if damaged else (Grade.OK, "opened")
        yield self._line("database", verdict, outcome, path=self._places.database, detail=damaged)

    def agents(self) -> Iterator[Check]:
        """Whether the files of workspaces and agents can be used as they are."""
        if not self._places.workspaces.is_dir():
            return
        settings = self.settings or Settings()
        found = Workspaces(self._places.workspaces, SystemClock(), lambda: settings.memory.max_size)
        workspaces = found.workspaces()
        agents = [agent for workspace in workspaces for agent in found.agents(workspace.name)]
        problems = [problem for workspace in workspaces for problem in workspace.problems]
        for agent in agents:
            problems += agent.problems
            if self.settings is not None:
                problems += model_problems(agent, lambda name: has_model(settings, name))
        folders = [*(found.folder / each.name for each in workspaces), *(agent.folder for agent in agents)]
        problems += _unreadable([folder / "memory.md" for folder in folders], found.folder)
        yield from map(self._file_line, problems)
        if not problems:
            yield self._line("agents", Grade.OK, "read", agents=len(agents), workspaces=len(workspaces))

    def _file_line(self, problem: FileProblem) -> Check:
        error = problem.error
        where = f"{problem.path}:{error.line}" if error.line else str(problem.path)
        detail, remedy = settings_trouble(error, self._texts)
        words = self._texts("doctor.agents.bad", where=where, detail=detail)
        return Check(name="agents", verdict=Grade.WARN, detail=words, remedy=remedy)

    async def _damaged(self) -> str:
        """How a damaged database was handled; empty for an intact one.

        Raises:
            StorageError: it cannot be opened.
        """
        database = await Database.open(self._places.database, SystemClock())
        await database.close()
        if database.set_aside is None:
            return ""
        return self._texts("notice.storage_set_aside", path=database.path, set_aside=database.set_aside)


def _unreadable(paths: Sequence[Path], root: Path) -> Iterator[FileProblem]:
    """The problems of files that are read as they are."""
    for path in paths:
        try:
            read(path, root)
        except SettingsError as error:
            yield FileProblem(path=path, error=error)
