"""The ``sori`` command: a small program in the environment that starts ``main.py``, and a link to it on the path."""

import os
import shlex
import sys
from collections.abc import Mapping
from pathlib import Path

from assistant.setup.environment import Environment


def write_launcher(environment: Environment) -> Path:
    """Write ``sori`` into the environment unless it is up to date; returns its path."""
    main = environment.project / "main.py"
    if sys.platform == "win32":
        path = environment.python.with_name("sori.cmd")
        text = f'@"{environment.python}" "{main}" %*\n'
    else:
        path = environment.python.with_name("sori")
        text = f'#!/bin/sh\nexec {shlex.quote(str(environment.python))} {shlex.quote(str(main))} "$@"\n'
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")
        path.chmod(0o755)
    return path


def link_launcher(launcher: Path, environment: Mapping[str, str] = os.environ) -> Path | None:
    """Link the launcher into ``~/.local/bin``, if this folder is on the path and has no other ``sori``.

    Returns:
        The new link, or ``None`` when nothing was done.
    """
    folder = Path(environment.get("HOME", "")) / ".local" / "bin"
    on_path = str(folder) in environment.get("PATH", "").split(os.pathsep)
    if sys.platform == "win32" or not on_path or not folder.is_dir():
        return None
    link = folder / "sori"
    if link.exists() or (link.is_symlink() and link.readlink() == launcher):
        return None
    try:
        link.unlink(missing_ok=True)  # The link points to a deleted checkout.
        link.symlink_to(launcher)
    except OSError:
        return None  # The link is optional, because `python3 main.py` works without it.
    return link
