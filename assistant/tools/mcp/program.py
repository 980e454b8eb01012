"""Finds the file that an entry's command starts."""

import os
import shutil
from collections.abc import Mapping
from pathlib import Path

from assistant.tools.mcp.entries import ServerEntry
from assistant.tools.mcp.environment import process_environment


def program_of(entry: ServerEntry, environment: Mapping[str, str]) -> str | None:
    """The file that the command of an expanded entry starts; ``None`` if there is none.

    Args:
        entry: an entry with a command and without references.
        environment: the user's environment.
    """
    if os.path.dirname(entry.command):  # noqa: PTH120 - Path drops the "./" that makes it a file
        return shutil.which(str(Path(entry.folder or Path.home()) / entry.command))
    return shutil.which(entry.command, path=process_environment(entry, environment).get("PATH"))
