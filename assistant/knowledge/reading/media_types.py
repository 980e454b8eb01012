"""Tells the kind of a file by its bytes, and by its name where the bytes are plain text."""

import io
import mimetypes
import re
import zipfile
from pathlib import PurePath

from assistant.core.formats.mail import MAIL_TYPE
from assistant.llm.attachments.file_types import UNKNOWN, text_of, type_by_bytes

MARKDOWN = "text/markdown"
HTML = "text/html"
CSV = "text/csv"
ARCHIVE = "application/zip"
HWP = "application/x-hwp"
HWPX = "application/hwp+zip"
COMPOUND = "application/x-ole-storage"
"""The container of old office files, HWP and Outlook messages, whose kind is not known yet."""
_OOXML = "application/vnd.openxmlformats-officedocument"
DOCX = f"{_OOXML}.wordprocessingml.document"
PPTX = f"{_OOXML}.presentationml.presentation"
ODP = "application/vnd.oasis.opendocument.presentation"
PPT = "application/vnd.ms-powerpoint"
PDF = "application/pdf"
_PARTS = {
    "word/": DOCX,
    "ppt/": PPTX,
    "xl/": f"{_OOXML}.spreadsheetml.sheet",
    "Contents/section0.xml": HWPX,
}
"""Entries of ZIP files that show an office document."""
_STREAMS = {
    "HWP Document File": HWP,
    "EncryptedPackage": "application/x-encrypted-office",
    "WordDocument": "application/msword",
    "Workbook": "application/vnd.ms-excel",
    "PowerPoint Document": PPT,
    "__substg1.0_": "application/vnd.ms-outlook",
}
"""Names of streams in compound files that show a kind. The first one is the beginning of a stream."""
_BY_NAME = {
    ".docx": DOCX,
    ".pptx": PPTX,
    ".xlsx": _PARTS["xl/"],
    ".hwpx": HWPX,
    ".odt": "application/vnd.oasis.opendocument.text",
    ".ods": "application/vnd.oasis.opendocument.spreadsheet",
    ".odp": ODP,
    ".epub": "application/epub+zip",
    ".hwp": HWP,
    ".doc": _STREAMS["WordDocument"],
    ".xls": _STREAMS["Workbook"],
    ".ppt": PPT,
    ".msg": _STREAMS["__substg1.0_"],
}
"""What a container is called while only its beginning is known."""
_ZIP_MARKS = (b"PK\x03\x04", b"PK\x05\x06")
_COMPOUND_MARK = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_MARKDOWN_ENDINGS = frozenset({".md", ".markdown", ".mdown", ".mkd"})
_PROSE_ENDINGS = frozenset({"", ".txt", ".text", ".log", ".rst", ".org", ".tex", ".html", ".htm", ".eml", ".rtf"})
_HTML_BEGINS = re.compile(
    r"\s*(?:<\?xml[^>]*>\s*)?(?:<!--.*?-->\s*)*<(?:!doctype\s+html|html)\b", re.IGNORECASE | re.DOTALL
)
_TEXT_TYPES = {".html": HTML, ".htm": HTML, ".xhtml": HTML, ".csv": CSV, ".tsv": "text/tab-separated-values"}
_OTHER_TEXTS = {".eml": MAIL_TYPE, ".ipynb": "application/x-ipynb+json"}


def media_type_of(head: bytes, name: str) -> str:
    """The media type of a file. For a container whose beginning alone is given it is what its name says.

    Args:
        head: its first bytes, 4,096 or all of it.
        name: its name.
    """
    ending = PurePath(name).suffix.lower()
    if head.startswith(_ZIP_MARKS):
        return _in_zip(head) or _BY_NAME.get(ending, ARCHIVE)
    if head.startswith(_COMPOUND_MARK):
        return _in_compound(head) or _BY_NAME.get(ending, COMPOUND)
    if head.startswith(b"HWP Document File"):
        return "application/x-hwp-3"
    if head.startswith(b"{\\rtf"):
        return "application/rtf"
    text = text_of(head, is_cut=True)
    # A text may begin with the bytes of a mark, such as "BM".
    if text is None or head.startswith(b"%PDF-"):
        return type_by_bytes(head) or UNKNOWN
    return _kind_of_text(text, ending)


def _kind_of_text(text: str, ending: str) -> str:
    if ending in _MARKDOWN_ENDINGS:
        return MARKDOWN
    if ending in _OTHER_TEXTS:
        return _OTHER_TEXTS[ending]
    if ending in _TEXT_TYPES:
        return _TEXT_TYPES[ending]
    if ending in {"", *_BY_NAME, ".pdf"} and _HTML_BEGINS.match(text):
        # A page that was saved under the name of the document that it stands for.
        return HTML
    named = mimetypes.guess_type(f"a{ending}")[0] or "text/plain"
    return named if named.startswith("text/") else "text/plain"


def is_code(kind: str, name: str) -> bool:
    """Whether a text is a program or data rather than prose."""
    endings = _PROSE_ENDINGS | _MARKDOWN_ENDINGS | set(_BY_NAME)
    return kind.startswith("text/") and PurePath(name).suffix.lower() not in endings


def _in_zip(data: bytes) -> str:
    """The kind of document in a whole ZIP file; empty for the beginning of one."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            names = archive.namelist()
            if "mimetype" in names and archive.getinfo("mimetype").file_size < 100:
                return archive.read("mimetype").decode("ascii", "replace").strip()
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError, RuntimeError, EOFError):
        return ""
    shown = (kind for part, kind in _PARTS.items() if any(name.startswith(part) for name in names))
    return next(shown, ARCHIVE) if "[Content_Types].xml" in names or "Contents/section0.xml" in names else ARCHIVE


def _in_compound(data: bytes) -> str:
    wide = ((name.encode("utf-16-le") in data or name.encode("ascii") in data, kind) for name, kind in _STREAMS.items())
    return next((kind for is_there, kind in wide if is_there), "")
