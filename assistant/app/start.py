"""From ``python3 main.py`` to Sori: sets up missing parts, then runs the command line in the environment's Python.

Every start runs this twice (in the system's Python, then in the environment's). So modules that a complete environment
does not need are imported where they are used.
"""

import gc
import os
import sys
from collections.abc import Sequence

from assistant.setup.display import has_display
from assistant.setup.environment import Environment, own_environment
from assistant.setup.words import PROJECT, SetupError, Words, desktop_language

_OBJECTS_PER_COLLECTION = 10_000


def start(arguments: Sequence[str]) -> int:
    """Set up missing parts and run Sori; returns the exit status (on POSIX the first process is replaced instead)."""
    words = Words(desktop_language())
    environment = Environment(PROJECT)
    try:
        set_up(environment, words, testing=list(arguments[:1]) == ["test"])
    except SetupError as error:
        from assistant.setup.plain_window import show_plainly

        told = words(f"error.{error.key}", **error.values).strip()
        sys.stderr.write(f"{told}\n")
        if not arguments or arguments[0] == "start":
            show_plainly(words("no_start"), told)
        return 1
    except KeyboardInterrupt:
        sys.stderr.write(f"\n{words('stopped')}\n")
        return 130
    if environment.is_running:
        return _run(arguments)
    return _enter(environment, arguments)


def start_installed() -> int:
    """Run Sori as a package that pip has installed; returns the exit status.

    pip has installed the Python packages. Libraries of the system are installed, or named, as for a checkout.
    """
    _provide(["engines", "sound", *(["window"] if has_display() else [])], own_environment(), Words(desktop_language()))
    return _run(sys.argv[1:])


def set_up(environment: Environment, words: Words, *, testing: bool) -> None:
    """Complete the environment: locked packages, system libraries, the ``sori`` command.

    Raises:
        SetupError: a step failed.
    """
    groups = ["runtime", "plot", "test"] if testing else ["runtime"]
    if not environment.ready(groups):
        _install(environment, groups, words, link=not testing)
    scopes = ["engines", "sound", *(["window"] if testing or has_display() else []), *(["test"] if testing else [])]
    _provide(scopes, environment, words)


def _provide(scopes: Sequence[str], environment: Environment, words: Words) -> None:
    if not set(scopes) <= set(environment.system_note().get("checked", [])):
        from assistant.setup.system import provide

        for line in provide(scopes, environment, words):
            sys.stderr.write(f"{line}\n")


def _run(arguments: Sequence[str]) -> int:
    # Imports make many objects and no garbage. At Python's 700, collecting takes a twentieth of a start.
    gc.set_threshold(_OBJECTS_PER_COLLECTION)
    from assistant.app.command_line import main
    from assistant.app.leaving import leave

    return leave(main(arguments))


def _install(environment: Environment, groups: Sequence[str], words: Words, *, link: bool) -> None:
    from assistant.setup.installation import Installation
    from assistant.setup.launcher import link_launcher, write_launcher
    from assistant.setup.system import VENV, apt_install

    sys.stderr.write(f"{words('first', folder=environment.project)}\n")
    try:
        Installation(environment, words).install(groups)
    except SetupError as error:
        if error.key != "no_venv" or not apt_install([VENV], words, None):
            raise
        # This process has already failed to import the module. A new process finds the package that apt has installed.
        sys.stderr.flush()
        os.execv(sys.executable, [sys.executable, *sys.argv])
    launcher = write_launcher(environment)
    linked = link_launcher(launcher) if link else None
    if linked is not None:
        sys.stderr.write(f"{words('linked', link=linked)}\n")


def _enter(environment: Environment, arguments: Sequence[str]) -> int:
    command = [str(environment.python), str(environment.project / "main.py"), *arguments]
    sys.stdout.flush()
    sys.stderr.flush()
    if os.name != "nt":
        os.execv(command[0], command)
    # On Windows exec would return to the shell before the program ends.
    import subprocess

    return subprocess.call(command)


if __name__ == "__main__":
    sys.exit(start_installed())
