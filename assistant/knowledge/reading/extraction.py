"""Extracts the text of a file's bytes. Runs in the reading process: the bytes may be made to harm (X-08)."""

import asyncio
import html
import re
import secrets
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import zip_longest
from pathlib import PurePath
from typing import TYPE_CHECKING

from assistant.core.formats.mail import MAIL_TYPE, mail_text
from assistant.core.formats.text_encoding import ANY, decoded
from assistant.core.knowledge.texts import RECOGNISED, SCANNED_PAGES, Block, BlockKind, ExtractedText
from assistant.knowledge.reading import archives
from assistant.knowledge.reading.blocks import markdown_blocks, plain_blocks
from assistant.knowledge.reading.hwpx import hwpx_text
from assistant.knowledge.reading.locks import is_locked
from assistant.knowledge.reading.media_types import (
    ARCHIVE,
    CSV,
    HTML,
    HWPX,
    MARKDOWN,
    ODP,
    PDF,
    PPT,
    PPTX,
    is_code,
    media_type_of,
)
from assistant.knowledge.reading.ocr import Ocr
from assistant.knowledge.reading.reader import UNRECOGNISED, UnreadableFileError, tell_nobody

if TYPE_CHECKING:
    import xberg

MOST_CHARACTERS = 30_000_000
"""Length of the longest text that is kept, as of twenty thick books."""
_WITH_PAGES = frozenset({PDF, PPTX, ODP, PPT})
"""Kinds whose pages or slides are the same for every reader. A text document's pages depend on the printer."""
_NO_TITLES = frozenset({"untitled", "anonymous", "powerpoint presentation", "powerpoint 프레젠테이션", "제목 없음"})
"""What programs write as the title of a document that has none."""
_PICTURE_LINES = re.compile(r"^!\[[^\]\n]*\]\(image_\d+\.[^)\n]*\)[ \t]*$\n?", re.MULTILINE)
"""References to pictures inside a document, which a text does not hold."""
_CHARSET = re.compile(rb"""<meta[^>]+charset\s*=\s*["']?([\w-]+)""", re.IGNORECASE)
_HTML_TITLE = re.compile(r"<title\b[^>]*>([^<]{1,300})</title>", re.IGNORECASE)
_HEAD_BYTES = 4096
_UNSEEN = dict.fromkeys((*range(9), 11, *range(14, 32), 127, 65279))
"""Control characters and byte order marks, which no text needs."""


def extracted(
    content: bytes, name: str, progress: Callable[[float], None], ocr: Ocr | None = None, depth: int = 0
) -> ExtractedText:
    """The text of a file.

    Args:
        content: its bytes.
        name: the user's name for it.
        progress: is told the share that is read, from 0 to 1.
        ocr: recognises letters in pictures; ``None`` leaves pictures alone.
        depth: number of archives around it.

    Raises:
        UnreadableFileError: it has no text.
    """
    kind = media_type_of(content, name)
    if kind == ARCHIVE:
        return _archive_text(content, progress, ocr, depth)
    found = _text_in(content, kind, name, progress, ocr)
    if len(found.text) > MOST_CHARACTERS:
        raise UnreadableFileError("too_long", f"{len(found.text):,}")
    if not any(letter.isalnum() for letter in found.text):
        raise UnreadableFileError(_why_no_letters(kind, found, ocr))
    progress(1.0)
    return found


def _why_no_letters(kind: str, found: ExtractedText, ocr: Ocr | None) -> str:
    if not found.pages and not kind.startswith("image/"):
        return "no_text"
    return "scanned" if ocr is None else "no_letters"


def _text_in(content: bytes, kind: str, name: str, progress: Callable[[float], None], ocr: Ocr | None) -> ExtractedText:
    if kind == MAIL_TYPE:
        return _plain(mail_text(content), BlockKind.TEXT)
    if kind in (HTML, CSV):
        page = _decoded_page(content) if kind == HTML else _decoded(content)
        found = _from_library(page.encode(), kind, name)
        title = _HTML_TITLE.search(page) if kind == HTML else None
        return found if title is None else replace(found, title=_title(html.unescape(title[1])))
    if kind.startswith("text/"):
        text = _clean(_decoded(content))
        if kind == MARKDOWN:
            return ExtractedText(text=text, blocks=markdown_blocks(text))
        return _plain(text, BlockKind.CODE if is_code(kind, name) else BlockKind.TEXT)
    if kind.startswith("image/") and ocr is None:
        raise UnreadableFileError("picture")
    if kind.startswith(("audio/", "video/")):
        raise UnreadableFileError("unknown_kind", kind)
    if is_locked(content, kind):
        raise UnreadableFileError("encrypted")
    if kind == HWPX:
        words, heading, lost = hwpx_text(content)
        text = _clean(words)
        return ExtractedText(text=text, blocks=markdown_blocks(text), title=_title(heading), notes=lost)
    archives.refuse_bomb(content)
    return _from_library(content, kind, name, progress, ocr)


def _archive_text(content: bytes, progress: Callable[[float], None], ocr: Ocr | None, depth: int) -> ExtractedText:
    """The texts of the files in an archive, each under its name as a heading."""
    parts: list[str] = []
    blocks: list[Block] = []
    notes, reasons, length = list[str](), set[str](), 0
    for share, name, member in archives.members(content, depth):
        try:
            if isinstance(member, UnreadableFileError):
                raise member
            text = extracted(member, name, tell_nobody, ocr, depth + 1)
        except UnreadableFileError as error:
            reasons.add(error.reason)
            continue
        notes += text.notes
        heading = f"# {name}\n\n"
        blocks.append(Block(kind=BlockKind.HEADING, start=length, end=length + len(heading) - 2))
        start = length + len(heading)
        blocks.extend(
            replace(each, start=each.start + start, end=each.end + start, page=0, headings=(name, *each.headings))
            for each in text.blocks
        )
        parts.append(heading + text.text.rstrip("\n") + "\n\n")
        length += len(parts[-1])
        if length > MOST_CHARACTERS:
            raise UnreadableFileError("too_long", f"{length:,}")
        progress(share)
    if not parts:
        raise UnreadableFileError(reasons.pop() if len(reasons) == 1 else "no_text")
    notes += [SCANNED_PAGES] * bool(reasons & UNRECOGNISED) + ["parts_left_out"] * bool(reasons)
    return ExtractedText(text="".join(parts), blocks=tuple(blocks), notes=tuple(dict.fromkeys(notes)))


def _plain(text: str, kind: BlockKind) -> ExtractedText:
    text = _clean(text)
    return ExtractedText(text=text, blocks=plain_blocks(text, kind))


def _decoded(content: bytes) -> str:
    found = decoded(content, ANY)
    if found is None:
        raise UnreadableFileError("unknown_kind", "")
    return found.text


def _decoded_page(content: bytes) -> str:
    """A page in the encoding that it names, else in the one that fits."""
    named = _CHARSET.search(content[:_HEAD_BYTES])
    if named is not None:
        try:
            return content.decode({"euc-kr": "cp949"}.get(named[1].decode().lower(), named[1].decode()))
        except (LookupError, UnicodeDecodeError):
            pass
    return _decoded(content)


def _clean(text: str) -> str:
    """The text in the composed form, lines ended by a newline, without control characters."""
    text = unicodedata.normalize("NFC", text).replace("\r\n", "\n").replace("\r", "\n").replace("\f", "\n")
    return text.translate(_UNSEEN)


def _from_library(
    content: bytes, kind: str, name: str, progress: Callable[[float], None] = tell_nobody, ocr: Ocr | None = None
) -> ExtractedText:
    """What the library makes of a document."""
    given = _Document(content, kind, name)
    if kind not in _WITH_PAGES:
        found, _ = given.read(ocr, None, progress)
        text = _tidy(found.content).strip("\n") + "\n"
        notes = (RECOGNISED,) if kind.startswith("image/") else ()
        return ExtractedText(text=text, blocks=markdown_blocks(text), title=_title(found.metadata.title), notes=notes)
    found, leaves = given.read(None, None, progress)
    scanned = [number for number, leaf in enumerate(leaves, 1) if not leaf] if kind == PDF else []
    notes = (SCANNED_PAGES,) if scanned else ()
    if ocr is not None and scanned:
        # These pages alone: the library would also replace a typed page that has little text.
        _, seen = given.read(ocr, scanned, progress)
        leaves = [leaf or other for leaf, other in zip_longest(leaves, seen, fillvalue="")]
        notes = (RECOGNISED, *(notes if not all(leaves) else ()))
    text, starts = _joined(leaves)
    return ExtractedText(
        text=text,
        blocks=markdown_blocks(text, starts) if kind == PDF else _slides(text, starts),
        title=_title(found.metadata.title),
        pages=len(leaves),
        notes=notes,
    )


@dataclass(frozen=True, slots=True)
class _Document:
    content: bytes
    kind: str
    name: str

    def read(
        self, ocr: Ocr | None, scanned: list[int] | None, progress: Callable[[float], None]
    ) -> "tuple[xberg.ExtractedDocument, list[str]]":
        """The document, and the Markdown of each page or slide; none for a document without pages.

        Args:
            ocr: recognises letters; ``None`` leaves pictures alone.
            scanned: the pages whose letters are recognised; ``None`` for a picture.
            progress: is told the share of these pages that is done.

        Raises:
            UnreadableFileError: it cannot be read.
        """
        import xberg
        from xberg.progress import extract  # the other one tells no progress

        mark = secrets.token_hex(12)
        marked = xberg.PageConfig(
            extract_pages=True, insert_page_markers=self.kind == PDF, marker_format=f"\n\n{mark}:{{page_num}};\n\n"
        )
        reading = xberg.ExtractionConfig(
            use_cache=False,
            output_format="markdown",
            escape_markdown=False,
            enable_quality_processing=False,
            disable_ocr=ocr is None,
            ocr=None if ocr is None else _recognition(ocr),
            force_ocr_pages=scanned,
            pages=marked if self.kind in _WITH_PAGES else None,
            max_archive_depth=0,
            html_options=xberg.ConversionOptions(extract_metadata=False, skip_images=True)
            if self.kind == HTML
            else None,
        )
        given = xberg.ExtractInput(
            kind="bytes", bytes=self.content, mime_type=self.kind, filename=PurePath(self.name).name
        )
        try:
            result = asyncio.run(extract(given, reading, lambda page: progress(page.completed / (page.total + 1))))
        except (xberg.XbergError, RuntimeError, ValueError, OSError) as error:
            raise UnreadableFileError(*_reason(str(error))) from error
        if result.errors or not result.results:
            raise UnreadableFileError(*_reason(str(result.errors)))
        return result.results[0], self._leaves(result.results[0], mark)

    def _leaves(self, document: "xberg.ExtractedDocument", mark: str) -> list[str]:
        leaves = [each.content for each in document.pages or []]
        if self.kind == PDF:
            # A page without letters has no mark. What stands before the first mark belongs to the first page.
            before, *parts = re.split(rf"{mark}:(\d+);", document.content)
            found = dict(zip(map(int, parts[::2]), parts[1::2], strict=True))
            leaves = [found.get(number, "") for number in range(1, max([len(leaves), *found]) + 1)]
            leaves[:1] = [before + "".join(leaves[:1])]
        return [_tidy(each).strip() for each in leaves]


def _recognition(ocr: Ocr) -> "xberg.OcrConfig":
    """Text rather than hOCR: from hOCR the library makes spaces inside Korean words, and drops lines."""
    import xberg

    languages = list(ocr.languages)
    lines = xberg.TesseractConfig(language=languages, output_format="text", use_cache=False)
    return xberg.OcrConfig(language=languages, tessdata_path=ocr.data, tesseract_config=lines)


def _tidy(text: str) -> str:
    """The library's Markdown without references to pictures."""
    return _PICTURE_LINES.sub("", _clean(text))


def _title(told: str | None) -> str:
    title = " ".join(_clean(told or "").split())
    return "" if title.strip("()").lower() in _NO_TITLES else title


def _joined(leaves: list[str]) -> tuple[str, list[int]]:
    """The text of pages, and the offset where each begins. A page without text begins where the next one does."""
    starts: list[int] = []
    length = 0
    for leaf in leaves:
        starts.append(length)
        length += len(leaf) + 2 if leaf else 0
    return "\n\n".join(leaf for leaf in leaves if leaf) + "\n", starts


def _slides(text: str, starts: list[int]) -> tuple[Block, ...]:
    """A block for each slide."""
    return tuple(
        Block(kind=BlockKind.SLIDE, start=start, end=start + len(piece), page=number)
        for number, (start, end) in enumerate(zip(starts, [*starts[1:], len(text)], strict=True), 1)
        if (piece := text[start:end].rstrip())
    )


_REASONS = (
    ("encrypted", r"password|encrypt|protected"),
    ("bomb", r"security|limit|bomb|exceed|too (large|deep|many)|nest"),
    ("unknown_kind", r"unsupported"),
    ("no_text", r"no bodytext sections"),  # of an HWP file with drawings alone
)


def _reason(told: str) -> tuple[str, str]:
    """The reason for a complaint of the library."""
    found = (reason for reason, words in _REASONS if re.search(words, told, re.IGNORECASE))
    return next(found, "broken"), ""
