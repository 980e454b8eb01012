"""The user's notes: one Markdown file each, which the user may also edit by hand."""

import re
import unicodedata
from dataclasses import dataclass
from pathlib import Path

from assistant.core.errors import StorageError
from assistant.core.formats.text_encoding import ANY, decoded
from assistant.storage.atomic import write_text
from assistant.tools.tool import ToolError

_LONGEST_TITLE = 60
"""Maximum length of a title in characters; 60 Hangul syllables are 180 bytes of a file name."""
MOST_BYTES = 1_000_000
"""Maximum size of a note."""
_FORBIDDEN = re.compile(r'[\x00-\x1f\x7f/\\:*?"<>|]+')
_RESERVED = re.compile(r"(?:con|prn|aux|nul|com\d|lpt\d)", re.IGNORECASE)
"""Names that Windows gives to devices."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundLine:
    """A line of a note that contains the words of a search."""

    title: str
    line: str


class NoteFolder:
    """Creates, reads and deletes notes. The methods block; changes raise ``StorageError`` if the disk refuses them.

    Args:
        folder: the folder of the notes; made with the first note.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def titles(self) -> list[str]:
        """The titles of all notes, the one that was changed last first."""
        notes = [(path.stat().st_mtime, path.stem) for path in self._files()]
        return [title for _, title in sorted(notes, reverse=True)]

    def create(self, title: str, text: str) -> str:
        """Save a new note and return its title, in which characters that file names lack are replaced.

        Raises:
            ToolError: there is such a note, or the title or the text cannot be used.
        """
        name = file_title(title)
        if self._find(name) is not None:
            raise ToolError("tool_reason.note_exists", title=name)
        self._write(self._folder / f"{name}.md", text.rstrip() + "\n")
        return name

    def append(self, title: str, text: str) -> str:
        """Add lines to the end of a note and return its title.

        Raises:
            ToolError: there is no such note, or it would become too long.
        """
        path = self._existing(title)
        before = self._text(path).rstrip("\n")
        self._write(path, f"{before}\n{text.rstrip()}\n" if before else f"{text.rstrip()}\n")
        return path.stem

    def read(self, title: str) -> str:
        """The text of a note.

        Raises:
            ToolError: there is no such note.
        """
        return self._text(self._existing(title))

    def search(self, words: str) -> list[FoundLine]:
        """The lines that contain all the words, and the notes whose titles do."""
        wanted = [_plain(word) for word in words.split()]
        found = []
        for title in self.titles():
            lines = [title, *self._text(self._folder / f"{title}.md").splitlines()]
            found += [
                FoundLine(title=title, line=line.strip())
                for line in lines
                if all(word in _plain(line) for word in wanted)
            ]
        return found

    def delete(self, title: str) -> str:
        """Delete a note and return its title.

        Raises:
            ToolError: there is no such note.
        """
        path = self._existing(title)
        try:
            path.unlink()
        except OSError as error:
            raise StorageError(str(path), error.strerror or str(error), cause=error) from error
        return path.stem

    def _files(self) -> list[Path]:
        """The notes. A link is none: it could lead to any file."""
        if not self._folder.is_dir():
            return []
        return [path for path in self._folder.glob("*.md") if path.is_file() and not path.is_symlink()]

    def _find(self, title: str) -> Path | None:
        wanted = _plain(title)
        return next((path for path in self._files() if _plain(path.stem) == wanted), None)

    def _existing(self, title: str) -> Path:
        path = self._find(file_title(title))
        if path is None:
            raise ToolError("tool_reason.no_note", title=title, known=", ".join(self.titles()[:20]) or "-")
        return path

    def _text(self, path: Path) -> str:
        with path.open("rb") as file:
            found = decoded(file.read(MOST_BYTES), ANY, is_cut=True)
        if found is None:
            # Appending would write a text over it that is not the user's.
            raise ToolError("tool_reason.no_text", path=path)
        return found.text

    def _write(self, path: Path, text: str) -> None:
        if len(text.encode()) > MOST_BYTES:
            raise ToolError("tool_reason.note_too_long")
        write_text(path, text)


def file_title(title: str) -> str:
    """The title as a file name without its ending.

    Raises:
        ToolError: nothing is left of it.
    """
    name = unicodedata.normalize("NFC", _FORBIDDEN.sub(" ", title))
    name = " ".join(name.split())[:_LONGEST_TITLE].strip(" .")
    if not name:
        raise ToolError("tool_reason.empty", name="title")
    return f"{name} note" if _RESERVED.fullmatch(name) else name


def _plain(text: str) -> str:
    return unicodedata.normalize("NFC", text).casefold()
