"""Tells documents that need a password."""

import io
import zipfile

from assistant.knowledge.reading.media_types import HWP

_HWP_MARK = b"HWP Document File"
_HWP_PROPERTIES = 36
"""Offset of the properties in the stream ``FileHeader`` (HWP document format 5.0, section 3.2.1)."""
_HWP_LOCKS = 0b1_0110
"""Of the properties: a password, a document for distribution, and DRM. The text of all three is encrypted."""
_MANIFEST = "META-INF/manifest.xml"
_MOST_MANIFEST = 1024 * 1024


def is_locked(content: bytes, kind: str) -> bool:
    """Whether the text of a document is encrypted, as far as its container tells. PDF tells the library."""
    if kind == "application/x-encrypted-office":
        return True
    if kind == HWP:
        header = content.find(_HWP_MARK) + _HWP_PROPERTIES
        return bool(int.from_bytes(content[header : header + 4], "little") & _HWP_LOCKS)
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            if any(each.flag_bits & 1 for each in archive.infolist()):
                return True
            # OpenDocument and HWPX name the encrypted parts in their manifest.
            with archive.open(_MANIFEST) as file:
                return b"encryption-data" in file.read(_MOST_MANIFEST)
    except (zipfile.BadZipFile, KeyError, OSError, ValueError, NotImplementedError, RuntimeError, EOFError):
        return False
