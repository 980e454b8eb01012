"""Remembers which files of a model were checked, so that a start does not read them all."""

import json
import os
import threading
from pathlib import Path


class VerifiedStamp:
    """The checked files of a model, with their sizes and modification times at the check."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / ".verified.json"
        self._known: dict[str, dict[str, int | str]] = {}
        self._changed = False
        try:
            known = json.loads(self._path.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return  # never checked, or unreadable: everything is checked again
        if isinstance(known, dict):
            self._known = {name: entry for name, entry in known.items() if isinstance(entry, dict)}

    def sum_of(self, name: str) -> str:
        """The checksum of the file when it was fetched; empty if it was never fetched."""
        return str(self._known.get(name, {}).get("sha256", ""))

    def fits(self, name: str, status: os.stat_result, sha256: str) -> bool:
        """Whether the file is unchanged since its check."""
        return self._known.get(name) == _entry(status, sha256)

    def note(self, name: str, status: os.stat_result, sha256: str) -> None:
        """Note that the file was checked and is right."""
        self._changed = self._changed or not self.fits(name, status, sha256)
        self._known[name] = _entry(status, sha256)

    def forget(self, name: str) -> None:
        """Note that the file was checked and is wrong. Its checksum is kept."""
        if name in self._known:
            self._known[name] = {"sha256": self.sum_of(name)}
            self._changed = True

    def save(self) -> None:
        """Write the stamp if it has changed. If that fails, the next check only takes longer."""
        if not self._changed:
            return
        fresh = self._path.with_name(f"{self._path.name}.{os.getpid()}.{threading.get_ident()}")
        try:
            fresh.write_text(json.dumps(self._known, indent=1), encoding="utf-8")
            fresh.replace(self._path)
        except OSError:
            fresh.unlink(missing_ok=True)
        self._changed = False


def _entry(status: os.stat_result, sha256: str) -> dict[str, int | str]:
    return {"size": status.st_size, "mtime_ns": status.st_mtime_ns, "sha256": sha256}
