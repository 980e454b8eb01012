"""A file that is joined from parts in order, and goes on where a killed process stopped."""

from collections.abc import Iterable
from pathlib import Path


class JoinedParts:
    """The beginning of a file, and a list beside it that says which parts it holds.

    A part is listed once all of it is written, so what stands behind the last listed part is of no use and is cut off.
    The list may be ahead of the file only after a power failure: a file that is shorter than its list is begun anew,
    and the sum of the whole tells the rest.

    Args:
        path: the file.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._list = path.with_name(f"{path.name}.parts")
        self._length = 0

    def keep(self, names: Iterable[str]) -> int:
        """Keep those of the parts that the file begins with, in this order; tells how many there are.

        Args:
            names: of all parts; no spaces.
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
        """Write a part behind the others, and list it.

        Raises:
            OSError: the disk.
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
        """The file is whole: it gets its name, and the list is no longer needed."""
        self._path.replace(place)
        self._list.unlink(missing_ok=True)

    def _listed(self) -> list[tuple[str, int]]:
        """Names and the file's lengths after them; a line that was cut off ends the list."""
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
