"""The environment of this program: its place, its notes, and whether it is complete.

Every start imports this module, so its imports are few. ``installation`` has the slower part.
"""

import contextlib
import hashlib
import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from assistant.setup.words import PROJECT


class Environment:
    """The virtual environment of one checkout.

    Args:
        project: root of the checkout.
    """

    def __init__(self, project: Path) -> None:
        self.project = project
        self.folder = project / ".venv"
        self._stamp = self.folder / ".sori.json"

    @property
    def python(self) -> Path:
        """The environment's interpreter."""
        return self.folder / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")

    @property
    def log(self) -> Path:
        """Log of the output of pip and apt."""
        return self.folder / "sori-setup.log"

    @property
    def is_running(self) -> bool:
        """Whether this process runs in the environment."""
        return Path(sys.prefix) == self.folder

    def ready(self, groups: Sequence[str]) -> bool:
        """Whether the requirement groups are installed as locked. It reads only a few small files."""
        installed = self.note("locks")
        return self.python.exists() and all(installed.get(each) == self.lock_sum(each) for each in groups)

    def note(self, key: str) -> dict[str, Any]:
        """The note under ``key`` about this environment."""
        try:
            value = json.loads(self._stamp.read_text(encoding="utf-8")).get(key, {})
        except (OSError, ValueError, AttributeError):
            return {}
        return value if isinstance(value, dict) else {}

    def system_note(self) -> dict[str, Any]:
        """The note about the system's packages; empty if it was made for another list of them."""
        note = self.note("system")
        return note if note.get("needs") == self.needs_sum() else {}

    @staticmethod
    def needs_sum() -> str:
        """Checksum of the module that lists what the system must have. It is read without importing the module."""
        return hashlib.sha256(Path(__file__).with_name("system.py").read_bytes()).hexdigest()

    def write_note(self, key: str, value: dict[str, Any]) -> None:
        """Write a note about this environment, atomically."""
        try:
            notes = json.loads(self._stamp.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            notes = {}
        fresh = self._stamp.with_suffix(f".{os.getpid()}")
        fresh.write_text(json.dumps({**notes, key: value}, indent=1), encoding="utf-8")
        fresh.replace(self._stamp)

    def install_command(self, group: str, module: str) -> str:
        """The command line that installs a group of requirements, of which ``module`` is one."""
        del module
        return f"{sys.executable} -m pip install --require-hashes -r {self.lock_file(group)}"

    def lock_file(self, group: str) -> Path:
        """The locked requirements of a group."""
        return self.project / "requirements" / f"{group}.txt"

    def lock_sum(self, group: str) -> str:
        """Checksum of a group's locked requirements."""
        return hashlib.sha256(self.lock_file(group).read_bytes()).hexdigest()


class InstalledEnvironment(Environment):
    """The environment into which pip has installed Sori as a package. pip fills it, so Sori does not."""

    def __init__(self) -> None:
        super().__init__(PROJECT)
        self.folder = Path(sys.prefix)
        self._stamp = self.folder / ".sori.json"

    def ready(self, groups: Sequence[str]) -> bool:
        """Always, as far as Sori knows."""
        del groups
        return True

    def write_note(self, key: str, value: dict[str, Any]) -> None:
        """Write a note, unless the environment is the system's and cannot be written."""
        with contextlib.suppress(OSError):
            super().write_note(key, value)

    def install_command(self, group: str, module: str) -> str:
        """The command line that installs one package."""
        del group
        return f"{sys.executable} -m pip install {module}"


def own_environment() -> Environment:
    """The environment beside ``main.py`` of this checkout, or the one into which pip has installed this package."""
    return Environment(PROJECT) if (PROJECT / "main.py").is_file() else InstalledEnvironment()
