"""The files of the user's home that devices share: what is remembered, workspaces, agents and their personas."""

import asyncio
import logging
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path, PurePosixPath
from stat import S_ISREG
from typing import Final

from assistant.core.clock import Clock
from assistant.core.errors import StorageError
from assistant.storage.atomic import alone_with, read_text, write_text
from assistant.storage.sync.inbox import NewerSoriError
from assistant.storage.sync.text_bases import TextBase
from assistant.sync.comparing import Met, uncontested
from assistant.sync.folders import belongs, come_back, folder_that_stays, listed
from assistant.sync.merging import merged

log = logging.getLogger(__name__)

_SHARED: Final = ("memory/user.md", "workspaces/*/*", "workspaces/*/agents/*/*")
_ENDS: Final = (".md", ".toml")
_LISTS: Final = frozenset({"user.md", "memory.md"})
"""Files with a fact on each line. Both forms of a contested line can stand beside each other there."""
_GONE_S: Final = 2.0
"""Seconds after which a missing file counts as removed. An editor may replace a file by removing and writing it."""
_LONGEST: Final = 1_000_000
"""Characters. A longer file is none that Sori has written, and stays here."""


class SharedTexts:
    """Implements ``TextPlace`` for files, which are named by their path below the home, with slashes.

    Every method raises ``StorageError`` when a file cannot be read or written.
    """

    def __init__(self, home: Path, clock: Clock) -> None:
        self._home, self._clock = home, clock
        self._read: dict[str, tuple[tuple[int, int], str]] = {}
        self._missing: dict[str, float] = {}
        """Since when files are missing, by path."""

    async def here(self, bases: Mapping[str, TextBase]) -> Mapping[str, str]:
        """The files that are here; see ``TextPlace``."""
        here = await asyncio.to_thread(self._all)
        known = [path for path, base in bases.items() if base.text and path not in here]
        missing = await asyncio.to_thread(lambda: [path for path in known if self._is_gone(path)])
        now = self._clock.monotonic()
        self._missing = {path: self._missing.get(path, now) for path in missing}
        return here | {path: "" for path, since in self._missing.items() if now - since >= _GONE_S}

    async def meet(self, name: str, bases: Mapping[str, TextBase], theirs: str) -> Met:
        """Take over a file; see ``TextPlace``. Lines that both sides have changed are contested.

        A removal counts only where nothing of the folder was changed meanwhile; see ``folders``.
        """
        if not _is_shared(name):
            raise NewerSoriError(name, "another device has sent a file that is not shared", message_key="sync_newer")
        return await asyncio.to_thread(self._meet, name, bases, theirs)

    def _meet(self, path: str, bases: Mapping[str, TextBase], theirs: str) -> Met:
        base, file = bases.get(path, TextBase()), self._home / path
        if not theirs and not file.exists():
            return Met(before="", after="")
        ours = _text(file)
        if theirs == base.text:
            return Met(before=ours, after=ours)
        if theirs == ours or not belongs(path):
            return self._put(path, base.last_text, theirs)
        if not theirs:
            here = self._all()
            if folder := folder_that_stays(path, bases, here):
                return Met(before=ours, after=ours, folder=folder, files=listed(folder, here))
            return self._put(path, base.last_text, theirs)
        gone = {each: "" for each in bases if belongs(each) and self._is_gone(each)}
        folder, names = come_back(path, bases, gone)
        # The file itself comes last. If Sori ends in between, the others are found to be removed once more.
        for each in names:
            if each != path:
                write_text(self._home / each, bases[each].last_text)
        met = self._put(path, "" if path in names else base.last_text, theirs)
        return replace(met, folder=folder, files=listed(folder, self._all())) if folder else met

    def _put(self, path: str, base: str, theirs: str) -> Met:
        file = self._home / path
        with alone_with(file):
            ours = _text(file)
            after, contested = uncontested(base, ours, theirs), False
            if after is None:
                both = merged(base, theirs, ours)
                if file.name in _LISTS:
                    after, contested = both.text, both.contested
                else:
                    # Sentences and settings belong together, so nothing is put into them that their user did not see.
                    contested = both.beside or file.suffix != ".md"
                    after = ours if contested else both.text
            if after != ours:
                _write(file, after)
        return Met(before=ours, after=after, contested=contested)

    def _all(self) -> dict[str, str]:
        """The files that can be read, by path. Others are left alone, here and in the account."""
        found = {}
        for pattern in _SHARED:
            for file in self._home.glob(pattern):
                path = file.relative_to(self._home).as_posix()
                if _is_shared(path) and (text := self._text_of(path, file)) and len(text) <= _LONGEST:
                    found[path] = text
        return found

    def _text_of(self, path: str, file: Path) -> str:
        """The text of a file as it was read last, unless it has changed since; empty if it cannot be read."""
        try:
            stat = file.lstat()
            if not S_ISREG(stat.st_mode):
                return ""
            seen = (stat.st_mtime_ns, stat.st_size)
            known = self._read.get(path)
            if known is None or known[0] != seen:
                known = self._read[path] = (seen, _text(file))
        except (OSError, StorageError) as error:
            log.warning("%s is not synced: %s", path, error)
            return ""
        return known[1]

    def _is_gone(self, path: str) -> bool:
        """Whether a file was removed. One that cannot be seen, or whose folders are away as a whole, was not."""
        file = self._home / path
        try:
            file.lstat()
        except (FileNotFoundError, NotADirectoryError):
            return (self._home / PurePosixPath(path).parts[0]).is_dir()
        except OSError:
            return False
        return False


def _is_shared(path: str) -> bool:
    """Whether a path is that of a shared file. A path from another device never leads anywhere else."""
    pure = PurePosixPath(path)
    parts: Sequence[str] = path.split("/")
    plain = path.isprintable() and not pure.is_absolute() and "\\" not in path
    plain = plain and all(each and not each.startswith(".") for each in parts)
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
        # It stays beside its place, because another device has removed it and this user may not know.
        file.replace(file.with_name(f".{file.name}.removed"))
    except OSError as error:
        raise StorageError(str(file), error.strerror or str(error), cause=error) from error
