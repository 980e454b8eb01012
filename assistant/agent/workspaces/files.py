"""Reads the user's files below one folder. A link that leads elsewhere is not followed."""

import os
from dataclasses import dataclass
from itertools import accumulate, islice
from pathlib import Path

from assistant.core.errors import SettingsError, unreadable
from assistant.storage.atomic import read_text

LONGEST_TEXT = 20_000
"""Maximum length of a persona or a prompt in characters: a quarter of the largest context."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FileProblem:
    """A file that cannot be used as it is.

    Attributes:
        path: the file.
        error: the line, the problem and the remedy.
    """

    path: Path
    error: SettingsError


def is_own(path: Path, root: Path) -> bool:
    """Whether a path below ``root`` is itself there, or would be: none of its parts is a link.

    ``root`` may be a link: the user may keep the whole folder elsewhere.
    """
    parts = path.relative_to(root).parts
    if os.name == "nt":
        # A junction is no link for ``islink``.
        return os.path.realpath(path) == os.path.join(os.path.realpath(root), *parts)  # noqa: PTH118
    # Each request asks for several files, and ``realpath`` looks at every part of the root as well.
    below = islice(accumulate(parts, os.path.join, initial=os.fspath(root)), 1, None)
    return not any(map(os.path.islink, below))


def read(path: Path, root: Path) -> str:
    """The text of a file; empty when it is missing.

    Raises:
        SettingsError: the file is a link, is not UTF-8, or cannot be read.
    """
    if not is_own(path, root):
        raise SettingsError("link")
    try:
        return read_text(path)
    except (FileNotFoundError, NotADirectoryError):
        return ""
    except (UnicodeDecodeError, OSError) as error:
        raise unreadable(error) from error


def shortened(text: str) -> tuple[str, SettingsError | None]:
    """A text of at most ``LONGEST_TEXT`` characters, and the problem if it was longer."""
    text = text.strip()
    if len(text) <= LONGEST_TEXT:
        return text, None
    kept = text[:LONGEST_TEXT]
    return kept, SettingsError("too_long", line=kept.count("\n") + 1, most=str(LONGEST_TEXT))
