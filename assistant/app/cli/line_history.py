"""History of typed lines for the arrow keys, stored in a file of the user."""

import json
import logging
from collections.abc import Iterable
from pathlib import Path

from prompt_toolkit.history import History

from assistant.core.errors import StorageError
from assistant.storage import atomic

_MOST_LINES = 500
"""Most stored lines; the oldest are dropped first."""

_log = logging.getLogger(__name__)


class LineHistory(History):
    """Stores typed lines in a file that only its owner can read: one JSON string per line, oldest first.

    An error of reading or writing is logged. The lines of this session stay available.
    """

    def __init__(self, path: Path) -> None:
        super().__init__()
        self._path = path
        self._kept: list[str] = []

    def load_history_strings(self) -> Iterable[str]:
        """Lines of earlier sessions, newest first."""
        try:
            rows = self._path.read_text(encoding="utf-8").splitlines()
        except FileNotFoundError:
            return []
        except (OSError, UnicodeDecodeError):
            _log.exception("the typed lines of %s cannot be read", self._path)
            return []
        self._kept = [line for line in map(_line_of, rows) if line]
        return reversed(self._kept)

    def store_string(self, string: str) -> None:
        """Store a line."""
        self._kept = [*self._kept, string][-_MOST_LINES:]
        try:
            atomic.write_text(self._path, "".join(f"{json.dumps(line, ensure_ascii=False)}\n" for line in self._kept))
        except StorageError:
            _log.exception("the typed lines cannot be kept")


def _line_of(row: str) -> str:
    """The line in a row of the file; empty if the row is damaged."""
    try:
        line = json.loads(row)
    except ValueError:
        return ""
    return line if isinstance(line, str) else ""
