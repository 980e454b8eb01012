"""The virtual environment beside ``main.py``: made, filled from the lock files, repaired after a kill, checked fast."""

import contextlib
import errno
import hashlib
import importlib.util
import json
import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from assistant.app.setup.pip_output import download_in, step_in, trouble_in
from assistant.app.setup.progress import Bar, run
from assistant.app.setup.words import SetupError, Words

_NEEDED_BYTES = 1_600_000_000
"""What the packages take when installed (1.05 GB measured) and what pip holds beside them meanwhile."""


class Environment:
    """The virtual environment of one checkout.

    Args:
        project: root of the checkout.
        words: the user's language.
    """

    def __init__(self, project: Path, words: Words) -> None:
        self.project = project
        self.folder = project / ".venv"
        self._words = words
        self._stamp = self.folder / ".sori.json"
        self._log = self.folder / "sori-setup.log"

    @property
    def python(self) -> Path:
        """The environment's interpreter."""
        return self.folder / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")

    @property
    def log(self) -> Path:
        """What pip and apt said."""
        return self._log

    @property
    def is_running(self) -> bool:
        """Whether this very process runs in it."""
        return Path(sys.prefix) == self.folder

    def ready(self, groups: Sequence[str]) -> bool:
        """Whether the requirement groups (``runtime``, ``test``) are installed as locked; reads two small files."""
        installed = self.note("locks")
        return self.python.exists() and all(installed.get(each) == self._lock_sum(each) for each in groups)

    def note(self, key: str) -> dict[str, Any]:
        """What was written down under ``key`` about this environment."""
        try:
            value = json.loads(self._stamp.read_text(encoding="utf-8")).get(key, {})
        except (OSError, ValueError, AttributeError):
            return {}
        return value if isinstance(value, dict) else {}

    def write_note(self, key: str, value: dict[str, Any]) -> None:
        """Write down something about this environment, atomically."""
        try:
            notes = json.loads(self._stamp.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            notes = {}
        fresh = self._stamp.with_suffix(f".{os.getpid()}")
        fresh.write_text(json.dumps({**notes, key: value}, indent=1), encoding="utf-8")
        fresh.replace(self._stamp)

    def install(self, groups: Sequence[str]) -> None:
        """Make the environment and install the groups, whatever state an earlier attempt left.

        Raises:
            SetupError: it cannot be done; the key says why.
        """
        try:
            with _locked(self.project / ".venv.lock"):
                if self.ready(groups):
                    return
                self._check_space()
                self._make()
                self._drop_half_installed()
                self._pip_install(groups)
                self.write_note("locks", {**self.note("locks"), **{each: self._lock_sum(each) for each in groups}})
        except OSError as error:
            raise disk_trouble(error, self.project) from error

    def _lock_file(self, group: str) -> Path:
        return self.project / "requirements" / f"{group}.txt"

    def _lock_sum(self, group: str) -> str:
        return hashlib.sha256(self._lock_file(group).read_bytes()).hexdigest()

    def _check_space(self) -> None:
        have = sum(each.stat().st_size for each in self.folder.rglob("*") if each.is_file() and not each.is_symlink())
        free = shutil.disk_usage(self.project).free
        if free + have < _NEEDED_BYTES:
            raise SetupError(
                "disk_full",
                folder=self.project,
                needed=f"{(_NEEDED_BYTES - have) / 1e9:.1f} GB",
                free=f"{free / 1e9:.1f} GB",
            )

    def _make(self) -> None:
        """Make the environment, unless there is one whose interpreter and pip work."""
        if self.python.exists() and self._pip_works():
            return
        if importlib.util.find_spec("ensurepip") is None:
            version = f"{sys.version_info.major}.{sys.version_info.minor}"
            raise SetupError("no_venv", package=f"python{version}-venv", python=sys.executable)
        bar = Bar(self._words("step.venv"))
        base = getattr(sys, "_base_executable", sys.executable)
        status, output = run([base, "-m", "venv", "--clear", str(self.folder)], bar=bar, log=None)
        bar.end(self._words("step.done" if status == 0 else "step.failed"))
        if status != 0:
            raise self._failure(output)

    def _pip_works(self) -> bool:
        if not any(self._site_packages().glob("pip-*.dist-info/RECORD")):
            return False
        answer = subprocess.run([self.python, "-m", "pip", "--version"], capture_output=True, check=False)
        return answer.returncode == 0

    def _site_packages(self) -> Path:
        inside = "Lib/site-packages" if sys.platform == "win32" else "lib"
        return next((self.folder / inside).glob("python3.*/site-packages"), self.folder / inside)

    def _drop_half_installed(self) -> None:
        """Make pip install again what a killed pip left half done: it writes ``RECORD`` last."""
        for metadata in self._site_packages().glob("*.dist-info"):
            if not (metadata / "RECORD").exists():
                shutil.rmtree(metadata)
        for remnant in self._site_packages().glob("~*"):
            shutil.rmtree(remnant, ignore_errors=True)

    def _pip_install(self, groups: Sequence[str]) -> None:
        files = [self._lock_file(each) for each in groups]
        total = sum(line[:1].isalnum() for each in files for line in each.read_text(encoding="utf-8").splitlines())
        command = [str(self.python), "-m", "pip", "install", "--disable-pip-version-check", "--no-input"]
        command += ["--require-hashes", "--only-binary=:all:", "--progress-bar=off", "--no-warn-script-location"]
        for each in files:
            command += ["--requirement", str(each)]
        bar = Bar(self._words("step.packages"), total)

        def show(line: str) -> None:
            if name := step_in(line):
                bar.step(name)
            elif file := download_in(line):
                bar.say(file)
            elif line.startswith("Installing collected packages"):
                bar.say(self._words("step.unpacking"))

        status, output = run(command, bar=bar, log=self._log, on_line=show)
        bar.end(self._words("step.done" if status == 0 else "step.failed"))
        if status != 0:
            raise self._failure(output)

    def _failure(self, output: str) -> SetupError:
        trouble = trouble_in(output)
        return SetupError(
            trouble.kind,
            reason=trouble.reason,
            package=trouble.package or "?",
            folder=self.project,
            log=self._log,
            platform=f"{platform.system()} {platform.machine()}, Python {platform.python_version()}",
            needed=f"{_NEEDED_BYTES / 1e9:.1f} GB",
            free=f"{shutil.disk_usage(self.project).free / 1e9:.1f} GB",
            python=sys.executable,
        )


def disk_trouble(error: OSError, folder: Path) -> SetupError:
    """An error of the file system in the set-up's terms."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return SetupError("disk_full", folder=folder, needed=f"{_NEEDED_BYTES / 1e9:.1f} GB", free="0 GB")
    if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
        return SetupError("read_only", folder=error.filename or folder)
    return SetupError("other", reason=str(error), folder=folder, log="-")


@contextlib.contextmanager
def _locked(path: Path) -> Iterator[None]:
    """Hold a lock that dies with the process, so that two first starts do not fill one environment at once."""
    with path.open("a") as stream:
        if sys.platform == "win32":
            import msvcrt

            msvcrt.locking(stream.fileno(), msvcrt.LK_LOCK, 1)
        else:
            import fcntl

            fcntl.flock(stream.fileno(), fcntl.LOCK_EX)
        yield
