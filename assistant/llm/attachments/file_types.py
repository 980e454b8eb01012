"""Detects a file's type from its bytes. Names and declared types can be wrong, and servers refuse wrong types."""

import mimetypes
import re

from assistant.core.formats.text_encoding import decoded

UNKNOWN = "application/octet-stream"

_MAGIC = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
    (b"II*\0", "image/tiff"),
    (b"MM\0*", "image/tiff"),
    (b"ID3", "audio/mpeg"),
    (b"OggS", "audio/ogg"),
    (b"fLaC", "audio/flac"),
)

_RIFF = {b"WEBP": "image/webp", b"WAVE": "audio/wav"}

_BRANDS = {
    b"avif": "image/avif",
    b"avis": "image/avif",
    b"heic": "image/heic",
    b"heix": "image/heic",
    b"hevc": "image/heic",
    b"heim": "image/heic",
    b"heis": "image/heic",
    b"mif1": "image/heif",
    b"msf1": "image/heif",
    b"M4A ": "audio/mp4",
}
"""Major brands of ISO media files, which follow ``ftyp``. Any other brand is a video's."""

_CONTROLS = re.compile(r"[\0-\x08\x0e-\x1a\x1c-\x1f]")
"""Control characters that no text contains and that nearly every other file does."""

_PDF_WITHIN = 1024
"""Readers look for a PDF's mark in the first 1024 bytes, because some writers put other bytes before it."""

_ALIASES = {
    "image/jpg": "image/jpeg",
    "image/pjpeg": "image/jpeg",
    "image/x-png": "image/png",
    "audio/x-wav": "audio/wav",
    "audio/wave": "audio/wav",
    "audio/vnd.wave": "audio/wav",
    "audio/mp3": "audio/mpeg",
    "audio/x-mp3": "audio/mpeg",
    "audio/x-aiff": "audio/aiff",
    "audio/x-flac": "audio/flac",
    "audio/x-m4a": "audio/mp4",
    "video/x-msvideo": "video/avi",
    "video/x-ms-wmv": "video/wmv",
    "application/x-pdf": "application/pdf",
    "application/rtf": "text/rtf",
    "application/xml": "text/xml",
    "application/javascript": "text/javascript",
    "application/x-javascript": "text/javascript",
    "text/x-markdown": "text/markdown",
}

_KNOWN_BY_BYTES = frozenset({"application/pdf", "audio/wav", "audio/mpeg", "audio/ogg", "audio/flac"})
"""Types whose bytes always show them. A file declared as one of these without its mark is broken."""


def type_by_bytes(data: bytes) -> str:
    """The media type that the bytes show, or an empty string when they match no known type."""
    for mark, kind in _MAGIC:
        if data.startswith(mark):
            return kind
    if data.startswith(b"BM") and data[6:10] == bytes(4):
        # The reserved bytes are checked because a text may begin with "BM".
        return "image/bmp"
    if data[:4] == b"RIFF":
        return _RIFF.get(data[8:12], "")
    if data[4:8] == b"ftyp":
        return _BRANDS.get(data[8:12], "video/mp4")
    if b"%PDF-" in data[:_PDF_WITHIN]:
        return "application/pdf"
    return "audio/mpeg" if _is_mpeg_audio(data) else ""


def _is_mpeg_audio(data: bytes) -> bool:
    """Whether a frame of MPEG layer II or III begins here: eleven set bits, a version, a layer (ISO 11172-3).

    Layer I is excluded because its mark looks like the start of UTF-16 text and because no current file uses it.
    """
    if len(data) < 4:
        return False
    return data[0] == 0xFF and data[1] & 0xE0 == 0xE0 and data[1] & 0x18 != 0x08 and data[1] & 6 in (2, 4)


def file_type(data: bytes, name: str) -> str:
    """The media type of a file: from its bytes, else from its name, else plain text if the bytes are UTF-8."""
    if shown := type_by_bytes(data):
        return shown
    if named := mimetypes.guess_type(name)[0]:
        return plain_type(named)
    try:
        data.decode()
    except UnicodeDecodeError:
        return UNKNOWN
    return UNKNOWN if b"\0" in data else "text/plain"


def plain_type(declared: str) -> str:
    """A declared media type without parameters, in lower case, under its usual name."""
    plain = declared.partition(";")[0].strip().lower()
    return _ALIASES.get(plain, plain) or UNKNOWN


def text_of(data: bytes, *, is_cut: bool = False) -> str | None:
    """The decoded text of a file, or ``None`` if the file is not text; ``is_cut`` where ``data`` is its beginning."""
    found = decoded(data, is_cut=is_cut)
    return None if found is None or _CONTROLS.search(found.text) else found.text


def quotable(data: bytes, declared: str) -> str | None:
    """The text of a file that may be quoted in a message; ``None`` for images, sounds, PDF files and other bytes."""
    kind = true_type(data, declared)
    if not kind or kind == "application/pdf" or kind.partition("/")[0] in ("image", "audio", "video"):
        return None
    return text_of(data)


def true_type(data: bytes, declared: str) -> str:
    """The media type of bytes with a declared type, or an empty string when the declaration is false.

    A type shown by the bytes overrides the declared one. Images without a known mark keep the declared type, because
    the decoder checks them.
    """
    plain = plain_type(declared)
    if plain.startswith("text/"):
        # A text may begin with the bytes of any mark.
        return plain
    return type_by_bytes(data) or ("" if plain in _KNOWN_BY_BYTES else plain)
