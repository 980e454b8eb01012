"""Files in the folders that the user's settings allow, and no others.

A path is opened component by component from the allowed folder, and no component may be a link. So a link that somebody
puts there between check and use leads nowhere. Windows has no such call: there the opened file must be the one that the
resolved path names.
"""

import mimetypes
import os
import stat
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePath

from assistant.core.formats.mail import is_mail, mail_text
from assistant.core.formats.text_encoding import ANY, decoded
from assistant.storage.file_names import existing, matching, plain_name
from assistant.tools.tool import ToolError

MOST_BYTES = 1_000_000
"""Maximum number of bytes that are read of a file."""
MOST_MAIL_BYTES = 25_000_000
"""Maximum number of bytes that are read of a mail, whose attachments stand before or behind its text."""
MOST_ENTRIES = 200
"""Maximum number of entries that are listed of a folder."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FolderEntry:
    """An entry of a folder; ``size`` in bytes, ``None`` for a folder."""

    name: str
    size: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class FileText:
    """The text of a file; ``cut`` if the file is longer than what was read."""

    text: str
    encoding: str
    cut: bool


class AllowedFolders:
    """Lists and reads files. The methods block.

    Args:
        folders: gives the allowed folders as the settings name them.
    """

    def __init__(self, folders: Callable[[], Sequence[str]]) -> None:
        self._folders = folders

    @property
    def roots(self) -> tuple[Path, ...]:
        """The allowed folders that exist."""
        places = (existing(Path(folder).expanduser()) for folder in self._folders())
        return tuple(place.resolve() for place in places if place.is_absolute() and place.is_dir())

    def entries(self, path: str) -> list[FolderEntry]:
        """The entries of a folder by name, without hidden ones and links; of all allowed folders for an empty path.

        Raises:
            ToolError: the folder is not allowed or cannot be read.
        """
        if not path.strip():
            return [FolderEntry(name=str(root), size=None) for root in self.roots]
        with self._opened(path) as descriptor:
            if not stat.S_ISDIR(os.fstat(descriptor).st_mode):
                raise ToolError("tool_reason.is_file", path=path)
            return sorted(_entries(descriptor, self._place(path)), key=lambda entry: entry.name)[:MOST_ENTRIES]

    def folder_of(self, path: str, *, of_file: bool) -> str:
        """The folder that a path names, or the one that holds the file; the path itself where it is not allowed."""
        try:
            place = self._place(path)
        except ToolError:
            return path
        return str(place.parent if of_file else place)

    def read(self, path: str) -> FileText:
        """The text of a file.

        Raises:
            ToolError: the file is not allowed, is no text, or cannot be read.
        """
        with self._opened(path) as descriptor:
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                raise ToolError("tool_reason.no_ordinary_file", path=path)
            is_letter = is_mail(mimetypes.guess_type(path)[0] or "")
            content = _content(descriptor, MOST_MAIL_BYTES if is_letter else MOST_BYTES)
        if is_letter:
            return FileText(text=mail_text(content), encoding="mail", cut=len(content) > MOST_MAIL_BYTES)
        is_cut = len(content) > MOST_BYTES
        found = decoded(content[:MOST_BYTES], ANY, is_cut=is_cut)
        if found is None:
            raise ToolError("tool_reason.no_text", path=path)
        return FileText(text=found.text, encoding=found.encoding, cut=is_cut)

    def _place(self, path: str) -> Path:
        root, parts = self._within(path)
        return existing(root.joinpath(*parts))

    def _within(self, path: str) -> tuple[Path, tuple[str, ...]]:
        """The allowed folder of a path, and the components below it."""
        roots = self.roots
        if not roots:
            raise ToolError("tool_reason.no_folder_allowed")
        wanted = PurePath(_expanded(path.strip()))
        if ".." in wanted.parts:
            raise ToolError("tool_reason.path_not_allowed", path=path, folders=", ".join(map(str, roots)))
        for root in sorted(roots, key=lambda each: len(each.parts), reverse=True):
            for base in (root, PurePath(root.name)):
                if (below := _below(wanted, base)) is not None:
                    return root, _visible(below, path)
        if not wanted.is_absolute():
            parts = _visible(wanted.parts, path)
            return next((root for root in roots if existing(root.joinpath(*parts)).exists()), roots[0]), parts
        raise ToolError("tool_reason.path_not_allowed", path=path, folders=", ".join(map(str, roots)))

    @contextmanager
    def _opened(self, path: str) -> Iterator[int]:
        root, parts = self._within(path)
        try:
            descriptor = _open_below(root, parts) if os.open in os.supports_dir_fd else _open_resolved(root, parts)
        except FileNotFoundError as error:
            raise ToolError("tool_reason.path_missing", path=path) from error
        except OSError as error:
            raise ToolError("error.storage", path=path, detail=error.strerror or error) from error
        try:
            yield descriptor
        except OSError as error:
            raise ToolError("error.storage", path=path, detail=error.strerror or error) from error
        finally:
            os.close(descriptor)


def _expanded(path: str) -> Path:
    try:
        return Path(path).expanduser()
    except RuntimeError as error:
        raise ToolError("tool_reason.path_missing", path=path) from error


def _below(path: PurePath, folder: PurePath) -> tuple[str, ...] | None:
    """The components of a path below a folder; ``None`` if it is not below it. Names may be in any normal form."""
    count = len(folder.parts)
    same = len(path.parts) >= count and all(
        plain_name(mine) == plain_name(other) for mine, other in zip(path.parts, folder.parts, strict=False)
    )
    return path.parts[count:] if same else None


def _visible(parts: tuple[str, ...], path: str) -> tuple[str, ...]:
    if any(part.startswith(".") for part in parts):
        raise ToolError("tool_reason.path_hidden", path=path)
    return parts


def _open_below(root: Path, parts: Sequence[str]) -> int:
    """Open ``parts`` below ``root`` one by one; a link anywhere is an error."""
    descriptor = os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    for index, part in enumerate(parts):
        folder = os.O_DIRECTORY if index < len(parts) - 1 else 0
        # A named pipe would wait for a writer.
        flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC | folder
        try:
            following = _open_named(part, flags, descriptor)
        finally:
            os.close(descriptor)
        descriptor = following
    return descriptor


def _open_named(name: str, flags: int, folder: int) -> int:
    """Open the entry of an open folder that has this name in any normal form."""
    try:
        return os.open(name, flags, dir_fd=folder)
    except FileNotFoundError:
        other = None if name.isascii() else matching(name, os.listdir(folder))
        if other is None:
            raise
        return os.open(other, flags, dir_fd=folder)


def _open_resolved(root: Path, parts: Sequence[str]) -> int:
    """Open a path that resolves to itself; checked again after opening."""
    path = existing(root.joinpath(*parts))
    if path.resolve(strict=True) != path:
        raise ToolError("tool_reason.path_link", path=path)
    descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_BINARY", 0))
    if path.resolve(strict=True) != path or not os.path.samestat(os.fstat(descriptor), path.stat()):
        os.close(descriptor)
        raise ToolError("tool_reason.path_link", path=path)
    return descriptor


def _entries(descriptor: int, place: Path) -> Iterator[FolderEntry]:
    with os.scandir(descriptor if os.scandir in os.supports_fd else place) as entries:
        for entry in entries:
            if entry.name.startswith(".") or entry.is_symlink():
                continue
            if entry.is_dir(follow_symlinks=False):
                yield FolderEntry(name=f"{plain_name(entry.name)}/", size=None)
            elif entry.is_file(follow_symlinks=False):
                yield FolderEntry(name=plain_name(entry.name), size=entry.stat(follow_symlinks=False).st_size)


def _content(descriptor: int, most: int) -> bytes:
    """The first ``most`` bytes of a file, and one more if it is longer."""
    with os.fdopen(descriptor, "rb", closefd=False) as file:
        return file.read(most + 1)
