"""Lines typed in the terminal, in a file of the user's: one JSON string a line, the oldest first."""

import json
from collections.abc import Collection, Sequence
from pathlib import Path

from assistant.core.errors import StorageError
from assistant.storage import atomic

_MOST_LINES = 500
"""The oldest lines are removed beyond this number."""


class TypedLines:
    """Reads and changes the file, which only its owner can read. A damaged row is skipped.

    Every method raises ``StorageError`` when the file cannot be read or written.
    """

    def __init__(self, path: Path) -> None:
        self._path = path

    def read(self) -> list[str]:
        """All lines, the oldest first."""
        try:
            rows = self._path.read_text(encoding="utf-8", errors="replace").splitlines()
        except FileNotFoundError:
            return []
        except OSError as error:
            raise StorageError(str(self._path), str(error), cause=error) from error
        return [line for line in map(_line_of, rows) if line]

    def write(self, lines: Sequence[str]) -> None:
        """Replace the lines; keeps the newest 500."""
        kept = lines[-_MOST_LINES:]
        atomic.write_text(self._path, "".join(f"{json.dumps(line, ensure_ascii=False)}\n" for line in kept))

    def forget(self, texts: Collection[str]) -> None:
        """Remove every line that is one of ``texts``, regardless of white space around it."""
        forgotten = {text.strip() for text in texts}
        lines = self.read()
        kept = [line for line in lines if line.strip() not in forgotten]
        if len(kept) < len(lines):
            self.write(kept)


def _line_of(row: str) -> str:
    """The line in a row of the file; empty if the row is damaged."""
    try:
        line = json.loads(row)
    except ValueError:
        return ""
    return line if isinstance(line, str) else ""
