"""Unpacks archives within bounds, in memory. Nothing is written, so a name in an archive leads nowhere."""

import io
import unicodedata
import zipfile
import zlib
from collections.abc import Iterator

from assistant.knowledge.reading.reader import UnreadableFileError

MOST_DEPTH = 2
"""Archives inside archives that are unpacked."""
MOST_MEMBERS = 2000
MOST_UNPACKED = 512 * 1024 * 1024
"""Bytes of all members together."""
MOST_MEMBER = 128 * 1024 * 1024
MOST_RATIO = 300
"""Bytes that a byte of a member may stand for. DEFLATE reaches 1,032; documents are below 100."""
_SMALL = 1024 * 1024
"""A member of fewer bytes harms nobody, whatever its ratio."""
_UTF8_NAME = 0x800
"""Flag of a name in UTF-8 (PKWARE's APPNOTE, section 4.4.4)."""
_UNPACKING_ERRORS = (zipfile.BadZipFile, zlib.error, OSError, ValueError, NotImplementedError, RuntimeError, EOFError)
_LEFT_ALONE = ("__MACOSX/", ".DS_Store", "Thumbs.db")


def refuse_bomb(content: bytes) -> None:
    """Refuse an office document whose parts unpack to more than a document holds.

    Raises:
        UnreadableFileError: ``bomb``.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            _refuse_large(archive.infolist())
    except (*_UNPACKING_ERRORS,):
        # It is no ZIP file, or a broken one, which the library refuses.
        return


def members(content: bytes, depth: int) -> Iterator[tuple[float, str, bytes | UnreadableFileError]]:
    """The files in an archive: the share that is unpacked, the name, and the bytes or why there are none.

    Raises:
        UnreadableFileError: the archive is no archive, a bomb, encrypted or too deep.
    """
    if depth > MOST_DEPTH:
        raise UnreadableFileError("too_deep")
    try:
        archive = zipfile.ZipFile(io.BytesIO(content))
    except (*_UNPACKING_ERRORS,) as error:
        raise UnreadableFileError("broken") from error
    with archive:
        files = [each for each in archive.infolist() if not each.is_dir()]
        _refuse_large(files)
        if files and all(each.flag_bits & 1 for each in files):
            raise UnreadableFileError("encrypted")
        room = MOST_UNPACKED
        for number, info in enumerate(files, 1):
            name = _name(info)
            if any(part in name for part in _LEFT_ALONE):
                continue
            member = _unpacked(archive, info, room)
            room -= len(member) if isinstance(member, bytes) else 0
            yield number / len(files), name, member


def _refuse_large(files: list[zipfile.ZipInfo]) -> None:
    if len(files) > MOST_MEMBERS or sum(each.file_size for each in files) > MOST_UNPACKED:
        raise UnreadableFileError("bomb")
    for each in files:
        if each.file_size > _SMALL and each.file_size > MOST_RATIO * max(each.compress_size, 1):
            raise UnreadableFileError("bomb")


def _unpacked(archive: zipfile.ZipFile, info: zipfile.ZipInfo, room: int) -> bytes | UnreadableFileError:
    """The bytes of a member. Its declared size is not believed."""
    most = min(MOST_MEMBER, room)
    if info.flag_bits & 1:
        return UnreadableFileError("encrypted")
    try:
        with archive.open(info) as file:
            data = file.read(most + 1)
    except (*_UNPACKING_ERRORS,):
        return UnreadableFileError("broken")
    if len(data) > most:
        return UnreadableFileError("too_large")
    return data or UnreadableFileError("empty")


def _name(info: zipfile.ZipInfo) -> str:
    """A member's name in the composed form, without parts that lead out of the archive."""
    name = info.filename
    if not info.flag_bits & _UTF8_NAME:
        # Korean Windows writes names in CP949, Macs in UTF-8 without the flag. Both are read as code page 437.
        raw = name.encode("cp437", "replace")
        for encoding in ("utf-8", "cp949"):
            try:
                name = raw.decode(encoding)
                break
            except UnicodeDecodeError:
                continue
    parts = [part for part in name.replace("\\", "/").split("/") if part not in ("", ".", "..")]
    shown = "".join(letter for letter in "/".join(parts) if letter.isprintable())
    return unicodedata.normalize("NFC", shown) or "?"
