"""API keys in a file of Sori's folder, for systems without a keyring, with the user's consent."""

import json
from pathlib import Path

from assistant.storage.atomic import write_text

_OWNER_ONLY = 0o600


class KeyFile:
    """Keys by the names of their providers, in a file that only its owner may read.

    The keys are not encrypted: every program that can read the user's files can read them.

    Args:
        path: the file; it may be missing.
    """

    def __init__(self, path: Path) -> None:
        self._path = path

    @property
    def path(self) -> Path:
        """The file."""
        return self._path

    def key(self, name: str) -> str:
        """A provider's key; empty without one."""
        return self._read().get(name, "")

    def store(self, name: str, key: str) -> None:
        """Store a provider's key; an empty key removes it.

        Raises:
            StorageError: the folder cannot be written.
        """
        keys = {each: kept for each, kept in {**self._read(), name: key}.items() if kept}
        if self._path.exists():
            self._path.chmod(_OWNER_ONLY)
        # ``write_text`` makes a new file readable by its owner alone from the start.
        write_text(self._path, json.dumps(keys))

    def _read(self) -> dict[str, str]:
        try:
            found = json.loads(self._path.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return {}
        return {str(name): str(key) for name, key in found.items()} if isinstance(found, dict) else {}
