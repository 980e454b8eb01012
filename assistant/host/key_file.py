"""API keys in a file of Sori's folder, for systems without a keyring, with the user's consent."""

import json
from pathlib import Path
from typing import Any

from assistant.core.errors import ErrorCode, SoriError, StorageError
from assistant.storage.atomic import alone_with, read_text, set_aside, write_text

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

    @property
    def damage(self) -> SoriError | None:
        """Why the keys in the file cannot be used; ``None`` if they can, or if there is no file."""
        try:
            self._read()
        except SoriError as error:
            return error
        return None

    def key(self, name: str) -> str:
        """A provider's key; empty without one, and in a damaged file."""
        try:
            key = self._read().get(name)
        except SoriError:
            return ""
        return key if isinstance(key, str) else ""

    def store(self, name: str, key: str) -> Path | None:
        """Store a provider's key; an empty key removes it.

        Returns:
            The place of the former file if it was damaged: it is kept there as it was. ``None`` otherwise.

        Raises:
            StorageError: the folder cannot be written, or the file cannot be read; it stays as it is.
        """
        with alone_with(self._path):
            aside = None
            try:
                known = self._read()
            except StorageError:
                raise
            except SoriError:
                known, aside = {}, set_aside(self._path)
            keys = {each: kept for each, kept in {**known, name: key}.items() if kept}
            if self._path.exists():
                self._path.chmod(_OWNER_ONLY)
            # ``write_text`` makes a new file readable by its owner alone from the start.
            write_text(self._path, json.dumps(keys))
        return aside

    def _read(self) -> dict[str, Any]:
        """The entries of the file.

        Raises:
            StorageError: the file cannot be read.
            SoriError: it is damaged.
        """
        try:
            found = json.loads(read_text(self._path))
        except FileNotFoundError:
            return {}
        except OSError as error:
            reason = error.strerror or str(error)
            raise StorageError(str(self._path), reason, message_key="keys_unreadable", cause=error) from error
        except (ValueError, RecursionError) as error:
            raise self._damaged(str(error), error) from error
        if not isinstance(found, dict):
            raise self._damaged("not an object with a key for each provider")
        return found

    def _damaged(self, reason: str, cause: Exception | None = None) -> SoriError:
        values = {"path": str(self._path), "detail": reason}
        return SoriError(
            ErrorCode.SETTINGS, f"{self._path}: {reason}", message_key="keys_damaged", values=values, cause=cause
        )
