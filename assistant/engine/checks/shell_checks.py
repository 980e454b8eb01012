"""Checks of the shell commands that agents may run."""

from collections.abc import Iterator
from pathlib import Path

from assistant.core.settings import Settings
from assistant.core.texts import Texts
from assistant.engine.checks.check import Check, Checks, Grade
from assistant.host.places import Places
from assistant.tools.system.sandbox import Sandbox


class ShellChecks(Checks):
    """Checks the shell if it is set up; says nothing otherwise.

    Args:
        places: the user's files.
        texts: the user's words.
        settings: the settings; ``None`` if they cannot be read.
    """

    def __init__(self, places: Places, texts: Texts, settings: Settings | None) -> None:
        super().__init__(places, texts)
        self._folder = (settings or Settings()).shell.folder

    def shell(self) -> Iterator[Check]:
        """Whether commands can run: only in a sandbox, and in a folder that exists."""
        if not self._folder:
            return
        if not Sandbox.exists():
            yield self._line("shell", Grade.WARN, "no_sandbox", remedy="install")
        elif not (place := Path(self._folder).expanduser()).is_absolute() or not place.is_dir():
            yield self._line("shell", Grade.WARN, "no_folder", remedy="make", folder=self._folder)
        else:
            yield self._line("shell", Grade.OK, "ready", folder=self._folder)
