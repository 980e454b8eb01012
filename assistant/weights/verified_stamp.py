"""What was checked of a model's files, so that a start need not read them all."""

import json
import os
import threading
from pathlib import Path


class VerifiedStamp:
    """What was checked of a model's files, and when they were last changed then."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / ".verified.json"
        self._known: dict[str, dict[str, int | str]] = {}
        self._changed = False
        try:
            known = json.loads(self._path.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return  # never checked, or not readable: everything is checked again
        if isinstance(known, dict):
            self._known = {name: entry for name, entry in known.items() if isinstance(entry, dict)}

    def sum_of(self, name: str) -> str:
        """The sum that was found when the file was fetched, empty if it never was."""
        return str(self._known.get(name, {}).get("sha256", ""))

    def fits(self, name: str, status: os.stat_result, sha256: str) -> bool:
        """Whether the file is the one that was checked."""
        return self._known.get(name) == _entry(status, sha256)

    def note(self, name: str, status: os.stat_result, sha256: str) -> None:
        """The file was checked and is right."""
        self._changed = self._changed or not self.fits(name, status, sha256)
        self._known[name] = _entry(status, sha256)

    def forget(self, name: str) -> None:
        """The file was checked and is wrong; its sum stays known."""
        if name in self._known:
            self._known[name] = {"sha256": self.sum_of(name)}
            self._changed = True

    def save(self) -> None:
        """Write it down, if it says anything new; where that is not possible the next check takes longer, no more."""
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
