"""Which files of the user's own services the user has allowed to run."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from assistant.flows.loading.snapshot import ServiceFiles, digest_of
from assistant.storage.atomic import alone_with
from assistant.storage.kept_object import read_object, write_object

_OWNER_ONLY = 0o600


@dataclass(frozen=True, slots=True, kw_only=True)
class FileChanges:
    """What differs from the files that were allowed, by path."""

    added: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()


class FlowApprovals:
    """The approvals in a file of Sori's folder, outside of the services. A damaged file allows nothing.

    Args:
        path: the file; it may be missing.
    """

    def __init__(self, path: Path) -> None:
        self._path = path

    def allows(self, snapshot: ServiceFiles) -> bool:
        """Whether the user has allowed exactly these files."""
        return digest_of(self.files(snapshot.name)) == snapshot.digest

    def files(self, name: str) -> Mapping[str, str]:
        """SHA-256 of each allowed file of a service by its path; empty if nothing is allowed."""
        files = self._read().get(name)
        return {str(path): str(digest) for path, digest in files.items()} if isinstance(files, dict) else {}

    def changes(self, snapshot: ServiceFiles) -> FileChanges:
        """What differs from the allowed files."""
        before, now = self.files(snapshot.name), snapshot.digests
        return FileChanges(
            added=tuple(sorted(set(now) - set(before))),
            changed=tuple(sorted(each for each in set(now) & set(before) if now[each] != before[each])),
            removed=tuple(sorted(set(before) - set(now))),
        )

    def allow(self, snapshot: ServiceFiles) -> None:
        """Let exactly these files run from now on.

        Raises:
            StorageError: the file cannot be written.
        """
        with alone_with(self._path):
            if self._path.exists():
                self._path.chmod(_OWNER_ONLY)
            write_object(self._path, {**self._read(), snapshot.name: dict(snapshot.digests)})

    def _read(self) -> Mapping[str, object]:
        return read_object(self._path, ", so that no service of the user is allowed")
