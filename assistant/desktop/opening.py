"""Opens a file of a message with the system's program, and asks before one that could run something.

What opens without a question is a list of kinds that cannot hold programs, scripts or macros. Everything else is asked
about, and so is a file whose content is of another kind than its name says.
"""

import tempfile
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from typing import Final

from PySide6.QtCore import QByteArray, QMimeDatabase, QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QWidget

from assistant.core.display.file_names import shown_name
from assistant.core.errors import SoriError
from assistant.core.messages import HEAD_BYTES, Attachment
from assistant.core.texts import Texts
from assistant.desktop.composer.attached_files import attachment_size_words
from assistant.desktop.kit.background import Background
from assistant.desktop.kit.opening_question import OpeningQuestion

_HARMLESS: Final = {
    ("text/plain", "application/json"): ("txt", "md", "csv", "tsv", "json", "log", "srt", "vtt"),
    ("image/",): ("png", "jpg", "jpeg", "gif", "webp", "bmp", "tif", "tiff", "heic", "heif", "avif"),
    ("audio/", "video/"): (
        *("wav", "mp3", "ogg", "oga", "opus", "flac", "m4a", "aac"),
        *("mp4", "m4v", "webm", "mkv", "mov", "avi", "ogv", "mpg", "mpeg"),
    ),
}
"""Endings of kinds without programs, scripts and macros, by how the kinds of their contents begin. All systems choose
the program by the ending. PDF, SVG, web pages and the documents of office programs can hold scripts, archives
anything."""
_KINDS_OF: Final = {ending: kinds for kinds, endings in _HARMLESS.items() for ending in endings}
_NO_KIND: Final = frozenset({"application/octet-stream", "text/plain", "application/x-zerosize"})
"""What a content is called that has no mark of a kind."""
_SCRIPTED: Final = "image/svg"


@cache
def _opened() -> tempfile.TemporaryDirectory[str]:
    """The folder of all files that were opened. It goes with this process, because a copy of a message is not kept."""
    return tempfile.TemporaryDirectory(prefix="sori-opened-", ignore_cleanup_errors=True)


def doubt_of(name: str, head: bytes) -> str:
    """Why to ask before a file is opened: ``active``, ``disguised``, ``unknown``; empty for no reason.

    Args:
        name: the name under which it would be opened.
        head: its first bytes.
    """
    mime = QMimeDatabase()
    kinds = _KINDS_OF.get(Path(name).suffix.lower().removeprefix("."))
    named = {each.name() for each in mime.mimeTypesForFileName(name)}
    if kinds is None:
        return "active" if named else "unknown"
    content = mime.mimeTypeForData(QByteArray(head)).name()
    fits = content in named | _NO_KIND or content.startswith(kinds)
    return "" if fits and not content.startswith(_SCRIPTED) else "disguised"


def open_file(texts: Texts, file: Attachment, parent: QWidget, tell: Callable[[str], None]) -> None:
    """Open a copy of a file, after a question if it could run something.

    Args:
        texts: the user's texts.
        file: the file; its bytes may have to come from an engine in another process.
        parent: waits for it.
        tell: takes the words for the user if it cannot be opened.
    """
    name = shown_name(file.name)

    def opened(path: Path | str) -> None:
        if isinstance(path, str):
            tell(texts("desktop.file.not_opened", name=name, reason=path))
        elif not QDesktopServices.openUrl(QUrl.fromLocalFile(str(path))):
            tell(texts("desktop.file.no_program", name=name))

    def copied(copy: tuple[Path, str] | str) -> None:
        if isinstance(copy, str):
            opened(copy)
            return
        path, doubt = copy
        if not doubt:
            opened(path)
            return
        words = texts(f"desktop.open_file.doubt.{doubt}")
        size = attachment_size_words(file.size)
        question = OpeningQuestion(texts, "open_file", name, size, [words], partial(opened, path), parent)
        question.rejected.connect(partial(path.unlink, missing_ok=True))
        question.open()

    Background(partial(_copied, file, name), copied, parent)


def _copied(file: Attachment, name: str) -> tuple[Path, str] | str:
    """A copy that only the user can read, not change or run, and the doubt about it; the reason if there is none."""
    try:
        data = file.read()
        path = Path(tempfile.mkdtemp(dir=_opened().name)) / name
        path.write_bytes(data)
        path.chmod(0o400)
    except (OSError, SoriError) as error:
        return (error.strerror if isinstance(error, OSError) else "") or str(error)
    return path, doubt_of(name, data[:HEAD_BYTES])
