"""A file that is joined from parts in order, and resumes where a killed process stopped."""

from collections.abc import Iterable
from pathlib import Path


class JoinedParts:
    """The beginning of a file, and a list beside it of the parts that it holds.

    A part is listed after all of it is written, so bytes after the last listed part are cut off. Only a power failure
    can leave the list ahead of the file. A file that is shorter than its list starts again, and the checksum of the
    whole file detects everything else.

    Args:
        path: the file.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._list = path.with_name(f"{path.name}.parts")
        self._length = 0

    def keep(self, names: Iterable[str]) -> int:
        """Keep the parts that the file begins with, in this order; returns their number.

        Args:
            names: of all parts, without spaces.
        """
        listed = self._listed()
        kept = list[tuple[str, int]]()
        for name, entry in zip(names, listed, strict=False):
            if entry[0] != name:
                break
            kept.append(entry)
        size = self._path.stat().st_size if self._path.exists() else 0
        if not kept or size < kept[-1][1]:
            kept = []
        self._length = kept[-1][1] if kept else 0
        if size != self._length:
            with self._path.open("ab") as stream:
                stream.truncate(self._length)
        self._list.write_text("".join(f"{name} {length}\n" for name, length in kept), encoding="ascii")
        return len(kept)

    def append(self, name: str, chunks: Iterable[bytes]) -> None:
        """Append a part and list it.

        Raises:
            OSError: the disk failed.
        """
        with self._path.open("ab") as stream:
            stream.truncate(self._length)
            for chunk in chunks:
                stream.write(chunk)
            stream.flush()
            self._length = stream.tell()
        with self._list.open("a", encoding="ascii") as journal:
            journal.write(f"{name} {self._length}\n")

    def move_to(self, place: Path) -> None:
        """Move the complete file to its place and delete the list."""
        self._path.replace(place)
        self._list.unlink(missing_ok=True)

    def _listed(self) -> list[tuple[str, int]]:
        """Names of the parts, and the file's length after each. A truncated line ends the list."""
        try:
            lines = self._list.read_text(encoding="ascii").splitlines(keepends=True)
        except (OSError, UnicodeDecodeError):
            return []
        listed = list[tuple[str, int]]()
        for line in lines:
            name, _, length = line.partition(" ")
            if not line.endswith("\n") or not length.strip().isdigit():
                break
            listed.append((name, int(length)))
        return listed
