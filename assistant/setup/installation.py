"""Makes the environment and fills it from the lock files, whatever state an earlier attempt left."""

import contextlib
import errno
import importlib.util
import platform
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from assistant.setup.environment import Environment
from assistant.setup.network import LOOK_S, RetryPause, has_route
from assistant.setup.pip_output import download_in, step_in, trouble_in
from assistant.setup.progress import Bar, run
from assistant.setup.words import SetupError, Words

_NEEDED_BYTES = 1_600_000_000
"""Size of the installed packages (1.05 GB measured) and of pip's temporary files."""


_LOCK_POLL_S = 0.2


class Installation:
    """Installs into one environment.

    Args:
        environment: the target.
        words: the texts in the user's language.
        watched: whether somebody is there who can end a wait.
    """

    def __init__(
        self, environment: Environment, words: Words, watched: Callable[[], bool] = lambda: sys.stderr.isatty()
    ) -> None:
        self._environment = environment
        self._project, self._folder = environment.project, environment.folder
        self._words, self._watched = words, watched
        self._lock = -1

    def install(self, groups: Sequence[str], pip_log: Path | None = None) -> None:
        """Make the environment and install the groups, whatever state an earlier attempt left.

        Args:
            groups: names of lock files.
            pip_log: file for pip's full log, including its requests.

        Raises:
            SetupError: the installation failed; the key gives the reason.
        """
        try:
            with _locked(self._project / ".venv.lock", self._say_waiting) as self._lock:
                if self._environment.ready(groups):
                    return
                self._check_space()
                self._make()
                self._fill(groups, pip_log)
                self._note(groups)
        except OSError as error:
            raise disk_trouble(error, self._project) from error

    def _fill(self, groups: Sequence[str], pip_log: Path | None) -> None:
        """Install the packages; where a person watches, wait for the network as long as it takes."""
        failures = 0
        while True:
            self._drop_half_installed()
            try:
                self._pip_install(groups, pip_log)
            except SetupError as error:
                if error.key != "no_network" or not self._watched():
                    raise
            else:
                return
            sys.stderr.write(f"{self._words('offline')}\n")
            failures += 1
            pause = RetryPause(failures, route=has_route())
            while True:
                time.sleep(LOOK_S)
                if pause.is_over(route=has_route()):
                    break
            failures = 0 if pause.is_back else failures

    def _say_waiting(self) -> None:
        sys.stderr.write(f"{self._words('waiting')}\n")

    def _note(self, groups: Sequence[str]) -> None:
        sums = {each: self._environment.lock_sum(each) for each in groups}
        self._environment.write_note("locks", {**self._environment.note("locks"), **sums})

    def _check_space(self) -> None:
        have = sum(each.stat().st_size for each in self._folder.rglob("*") if each.is_file() and not each.is_symlink())
        free = shutil.disk_usage(self._project).free
        if free + have < _NEEDED_BYTES:
            raise SetupError(
                "disk_full",
                folder=self._project,
                needed=f"{(_NEEDED_BYTES - have) / 1e9:.1f} GB",
                free=f"{free / 1e9:.1f} GB",
            )

    def _make(self) -> None:
        """Make the environment, unless its interpreter and pip work already."""
        if self._environment.python.exists() and self._pip_works():
            return
        if importlib.util.find_spec("ensurepip") is None:
            version = f"{sys.version_info.major}.{sys.version_info.minor}"
            raise SetupError("no_venv", package=f"python{version}-venv", python=sys.executable)
        bar = Bar(self._words("step.venv"))
        base = getattr(sys, "_base_executable", sys.executable)
        status, output = run(
            [base, "-m", "venv", "--clear", str(self._folder)], bar=bar, log=None, inherited=[self._lock]
        )
        bar.end(self._words("step.done" if status == 0 else "step.failed"))
        if status != 0:
            raise self._failure(output)

    def _pip_works(self) -> bool:
        if not any(self._site_packages().glob("pip-*.dist-info/RECORD")):
            return False
        answer = subprocess.run([self._environment.python, "-m", "pip", "--version"], capture_output=True, check=False)
        return answer.returncode == 0

    def _site_packages(self) -> Path:
        inside = "Lib/site-packages" if sys.platform == "win32" else "lib"
        return next((self._folder / inside).glob("python3.*/site-packages"), self._folder / inside)

    def _drop_half_installed(self) -> None:
        """Remove packages without ``RECORD``, so that they are installed again.

        pip writes ``RECORD`` last, so a package without it was left by a killed pip.
        """
        for metadata in self._site_packages().glob("*.dist-info"):
            if not (metadata / "RECORD").exists():
                shutil.rmtree(metadata)
        for remnant in self._site_packages().glob("~*"):
            shutil.rmtree(remnant, ignore_errors=True)

    def _pip_install(self, groups: Sequence[str], pip_log: Path | None) -> None:
        files = [self._environment.lock_file(each) for each in groups]
        waiting = {name for each in files for name in _package_names(each.read_text(encoding="utf-8"))}
        command = [str(self._environment.python), "-m", "pip", "install", "--disable-pip-version-check", "--no-input"]
        command += ["--require-hashes", "--only-binary=:all:", "--progress-bar=off", "--no-warn-script-location"]
        # A lock file names every package. A pip before 23.3 does not apply the pin of a package to a requirement with
        # an extra, such as google-auth[requests]. It would choose the newest release and refuse it without a hash.
        command += ["--no-deps"]
        command += ["--retries=3"]  # pip reports a failed connection only when it retries.
        # Without byte code an SDK takes twice as long to import. This overrides a user's setting of pip.
        command += ["--compile"]
        command += ["--log", str(pip_log)] if pip_log else []
        for each in files:
            command += ["--requirement", str(each)]
        bar = Bar(self._words("step.packages"), len(waiting))

        def show(line: str) -> None:
            name = step_in(line)
            if name in waiting:
                waiting.remove(name)
                bar.step(name)
            elif file := download_in(line):
                bar.say(file)
            elif line.startswith("Installing collected packages"):
                bar.say(self._words("step.unpacking"))

        status, output = run(command, bar=bar, log=self._environment.log, on_line=show, inherited=[self._lock])
        bar.end(self._words("step.done" if status == 0 else "step.failed"))
        if status != 0:
            raise self._failure(output)

    def _failure(self, output: str) -> SetupError:
        trouble = trouble_in(output)
        return SetupError(
            trouble.kind,
            reason=trouble.reason,
            package=trouble.package or "?",
            folder=self._project,
            log=self._environment.log,
            platform=f"{platform.system()} {platform.machine()}, Python {platform.python_version()}",
            needed=f"{_NEEDED_BYTES / 1e9:.1f} GB",
            free=f"{shutil.disk_usage(self._project).free / 1e9:.1f} GB",
            python=sys.executable,
        )


def _package_names(lock: str) -> set[str]:
    """The packages in a lock file; pip names each of them, also those that it leaves out on this platform."""
    return {line.partition("==")[0] for line in lock.splitlines() if line[:1].isalnum()}


def disk_trouble(error: OSError, folder: Path) -> SetupError:
    """The ``SetupError`` for an error of the file system."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return SetupError("disk_full", folder=folder, needed=f"{_NEEDED_BYTES / 1e9:.1f} GB", free="0 GB")
    if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
        return SetupError("read_only", folder=error.filename or folder)
    return SetupError("other", reason=str(error), folder=folder, log="-")


@contextlib.contextmanager
def _locked(path: Path, on_wait: Callable[[], None]) -> Iterator[int]:
    """Hold a lock, so that two first starts do not fill one environment at once; yields its file descriptor.

    The lock ends with the last process that holds the descriptor: a pip that outlives a killed Sori keeps it.
    ``on_wait`` is called once if another process holds the lock.
    """
    with path.open("a") as stream:
        if not _lock(stream.fileno()):
            on_wait()
            while not _lock(stream.fileno()):
                time.sleep(_LOCK_POLL_S)
        yield stream.fileno()


def _lock(descriptor: int) -> bool:
    """Try to take the lock; returns whether this process has it."""
    try:
        if sys.platform == "win32":
            import msvcrt

            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except PermissionError:
        if sys.platform == "win32":  # Windows reports a lock of another process by this error.
            return False
        raise
    return True
