"""The log file of one server: what it writes to its standard error."""

import re
from collections.abc import Iterable
from pathlib import Path

MOST_BYTES = 1_000_000
"""Maximum size of the file. Then it begins anew, and the former one is kept beside it."""
_SHORTEST_SECRET = 6


class ServerLog:
    """Appends to a file that cannot grow without limit. Failures are ignored: a server works without its log.

    Args:
        path: the file.
        secrets: values that are masked, such as those of the entry's environment.
    """

    def __init__(self, path: Path, secrets: Iterable[str]) -> None:
        self._path = path
        known = sorted({each for each in secrets if len(each) >= _SHORTEST_SECRET}, key=len, reverse=True)
        self._secrets = re.compile("|".join(map(re.escape, known)).encode()) if known else None

    def write(self, piece: bytes) -> None:
        """Append bytes."""
        if self._secrets is not None:
            piece = self._secrets.sub(b"***", piece)
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            if self._path.exists() and self._path.stat().st_size + len(piece) > MOST_BYTES:
                self._path.replace(self._path.with_suffix(".log.1"))
            with self._path.open("ab") as file:
                file.write(piece[-MOST_BYTES:])
        except OSError:
            return
