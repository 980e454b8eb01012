"""History of typed lines for the arrow keys, stored in a file of the user."""

import logging
from collections.abc import Iterable
from pathlib import Path

from prompt_toolkit.history import History

from assistant.core.errors import StorageError
from assistant.storage.typed_lines import TypedLines

_log = logging.getLogger(__name__)


class LineHistory(History):
    """Stores typed lines in a file.

    An error of reading or writing is logged. The lines of this session stay available.
    """

    def __init__(self, path: Path) -> None:
        super().__init__()
        self._lines = TypedLines(path)

    def load_history_strings(self) -> Iterable[str]:
        """Lines of earlier sessions, newest first."""
        try:
            return reversed(self._lines.read())
        except StorageError:
            _log.exception("the typed lines cannot be read")
            return []

    def store_string(self, string: str) -> None:
        """Store a line."""
        try:
            # Read again: the purge of a conversation may have removed lines from the file.
            self._lines.write([*self._lines.read(), string])
        except StorageError:
            _log.exception("the typed lines cannot be kept")
