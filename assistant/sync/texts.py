"""The files of the user's home that devices share: what is remembered, workspaces, agents and their personas."""

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Final

from assistant.core.errors import StorageError
from assistant.storage.atomic import alone_with, read_text, write_text
from assistant.storage.sync.text_bases import TextBase, TextBases
from assistant.sync.merging import merged

_SHARED: Final = ("memory/user.md", "workspaces/*/*", "workspaces/*/agents/*/*")
_ENDS: Final = (".md", ".toml")
_LISTS: Final = frozenset({"user.md", "memory.md"})
"""Files with a fact on each line. Both forms of a contested line can stand beside each other there."""
_LONGEST: Final = 1_000_000
"""Characters. A longer file is none that Sori has written, and stays here."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TextChange:
    """A file that differs from what the account has.

    Attributes:
        path: its path below the home, with slashes.
        text: its content; empty for a file that was removed.
        based_on: number of the account's form.
    """

    path: str
    text: str
    based_on: int


class SharedTexts:
    """Compares the files with what the account has, and takes over what comes.

    Every method raises ``StorageError`` when a file or the database cannot be read or written.
    """

    def __init__(self, home: Path, bases: TextBases) -> None:
        self._home, self._bases = home, bases

    async def waiting(self) -> list[TextChange]:
        """The files that wait to leave."""
        bases = await self._bases.all()
        here = await asyncio.to_thread(self._all)
        found = []
        for path in sorted({*here, *bases}):
            base, text = bases.get(path, TextBase()), here.get(path, "")
            if text != base.text:
                found.append(TextChange(path=path, text=text, based_on=base.number))
        return found

    async def left(self, change: TextChange, number: int) -> None:
        """Note that the account has a change."""
        await self._bases.keep(change.path, TextBase(number=number, text=change.text))

    async def take(self, path: str, text: str, number: int) -> bool:
        """Take over a file; whether both sides had changed the same lines.

        Args:
            path: its path below the home.
            text: its content; empty for a file that was removed elsewhere.
            number: its number.
        """
        if not _is_shared(path):
            raise StorageError(path, "another device has sent a file that is not shared", message_key="sync_newer")
        base = (await self._bases.all()).get(path, TextBase())
        before, contested = await asyncio.to_thread(self._put, path, base.text, text)
        if contested:
            await self._bases.differ(path, before, text)
        # The file is written first. If Sori ends in between, the same comes again and changes nothing.
        await self._bases.keep(path, TextBase(number=number, text=text))
        return contested

    def _put(self, path: str, base: str, theirs: str) -> tuple[str, bool]:
        """Bring a file and another form of it together; what it was, and whether lines were contested."""
        file = self._home / path
        with alone_with(file):
            ours = _text(file)
            if ours in (base, theirs):
                after, contested = theirs, False
            elif theirs == base:
                after, contested = ours, False
            else:
                both = merged(base, theirs, ours)
                prose = both.contested and file.name not in _LISTS
                after, contested = (ours if prose else both.text), both.contested
            if after != ours:
                _write(file, after)
        return ours, contested

    def _all(self) -> dict[str, str]:
        found = {}
        for pattern in _SHARED:
            for file in self._home.glob(pattern):
                path = file.relative_to(self._home).as_posix()
                if _is_shared(path) and file.is_file() and not file.is_symlink():
                    text = _text(file)
                    if text and len(text) <= _LONGEST:
                        found[path] = text
        return found


def _is_shared(path: str) -> bool:
    """Whether a path is that of a shared file. A path from another device never leads anywhere else."""
    pure = PurePosixPath(path)
    parts: Sequence[str] = path.split("/")
    plain = not pure.is_absolute() and "\\" not in path and all(each and not each.startswith(".") for each in parts)
    return (
        plain
        and path.endswith(_ENDS)
        and any(pure.match(pattern) and len(parts) == len(pattern.split("/")) for pattern in _SHARED)
    )


def _text(file: Path) -> str:
    try:
        return read_text(file)
    except FileNotFoundError:
        return ""
    except (OSError, UnicodeDecodeError) as error:
        raise StorageError(str(file), str(error), cause=error) from error


def _write(file: Path, text: str) -> None:
    if text:
        write_text(file, text)
        return
    try:
        file.unlink(missing_ok=True)
        with suppress(OSError):
            file.parent.rmdir()
    except OSError as error:
        raise StorageError(str(file), error.strerror or str(error), cause=error) from error
