"""API keys in a file of Sori's folder, for systems without a keyring, and only where the user consents."""

import json
from pathlib import Path

from assistant.storage.atomic import write_text

_OWNER_ONLY = 0o600


class KeyFile:
    """Keys by the names of their providers, in a file that only its owner may read.

    The keys are not encrypted: whoever can read the user's files can read them.

    Args:
        path: the file; it need not be there.
    """

    def __init__(self, path: Path) -> None:
        self._path = path

    @property
    def path(self) -> Path:
        """The file."""
        return self._path

    def key(self, name: str) -> str:
        """A provider's key; empty where there is none."""
        return self._read().get(name, "")

    def store(self, name: str, key: str) -> None:
        """Put a provider's key into the file; an empty one takes it out.

        Raises:
            StorageError: the folder cannot be written.
        """
        keys = {each: kept for each, kept in {**self._read(), name: key}.items() if kept}
        if self._path.exists():
            self._path.chmod(_OWNER_ONLY)
        # A new file is readable by its owner alone from its first byte.
        write_text(self._path, json.dumps(keys))

    def _read(self) -> dict[str, str]:
        try:
            found = json.loads(self._path.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return {}
        return {str(name): str(key) for name, key in found.items()} if isinstance(found, dict) else {}
