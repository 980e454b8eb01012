"""Extracts the text of a file's bytes. Runs in the reading process: the bytes may be made to harm (X-08)."""

import asyncio
import html
import re
import secrets
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import PurePath

from assistant.core.formats.mail import MAIL_TYPE, mail_text
from assistant.core.formats.text_encoding import ANY, decoded
from assistant.core.knowledge.texts import Block, BlockKind, ExtractedText
from assistant.knowledge.reading import archives
from assistant.knowledge.reading.blocks import markdown_blocks, plain_blocks
from assistant.knowledge.reading.locks import is_locked
from assistant.knowledge.reading.media_types import (
    ARCHIVE,
    CSV,
    HTML,
    MARKDOWN,
    ODP,
    PDF,
    PPT,
    PPTX,
    is_code,
    media_type_of,
)
from assistant.knowledge.reading.reader import UnreadableFileError

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


@dataclass(frozen=True, slots=True, kw_only=True)
class Ocr:
    """What the recognition of letters in pictures needs.

    Attributes:
        data: folder with Tesseract's trained data.
        languages: names of its languages, such as ``kor`` and ``eng``.
    """

    data: str
    languages: tuple[str, ...]


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
    found = _text_in(content, kind, name, ocr)
    if len(found.text) > MOST_CHARACTERS:
        raise UnreadableFileError("too_long", f"{len(found.text):,}")
    if not any(letter.isalnum() for letter in found.text):
        raise UnreadableFileError("scanned" if found.pages else "no_text")
    progress(1.0)
    return found


def _text_in(content: bytes, kind: str, name: str, ocr: Ocr | None) -> ExtractedText:
    if kind == MAIL_TYPE:
        return _plain(mail_text(content), BlockKind.TEXT)
    if kind in (HTML, CSV):
        page = _decoded_page(content) if kind == HTML else _decoded(content)
        found = _from_library(page.encode(), kind, name, ocr)
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
    archives.refuse_bomb(content)
    return _from_library(content, kind, name, ocr)


def _archive_text(content: bytes, progress: Callable[[float], None], ocr: Ocr | None, depth: int) -> ExtractedText:
    """The texts of the files in an archive, each under its name as a heading."""
    parts: list[str] = []
    blocks: list[Block] = []
    missing, reasons, length = False, set[str](), 0
    for share, name, member in archives.members(content, depth):
        try:
            if isinstance(member, UnreadableFileError):
                raise member
            text = extracted(member, name, _nobody, ocr, depth + 1)
        except UnreadableFileError as error:
            missing = True
            reasons.add(error.reason)
            continue
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
    return ExtractedText(text="".join(parts), blocks=tuple(blocks), notes=("parts_left_out",) if missing else ())


def _nobody(_share: float) -> None:
    """A part's own progress."""


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


def _from_library(content: bytes, kind: str, name: str, ocr: Ocr | None) -> ExtractedText:
    """What the library makes of a document: Markdown, with a mark at the beginning of each page."""
    import xberg

    mark = secrets.token_hex(12)
    marked = xberg.PageConfig(
        extract_pages=True, insert_page_markers=kind == PDF, marker_format=f"\n\n{mark}:{{page_num}};\n\n"
    )
    reading = xberg.ExtractionConfig(
        use_cache=False,
        output_format="markdown",
        escape_markdown=False,
        enable_quality_processing=False,
        disable_ocr=ocr is None,
        ocr=None if ocr is None else xberg.OcrConfig(language=list(ocr.languages), tessdata_path=ocr.data),
        pages=marked if kind in _WITH_PAGES else None,
        max_archive_depth=0,
        html_options=xberg.ConversionOptions(extract_metadata=False, skip_images=True) if kind == HTML else None,
    )
    given = xberg.ExtractInput(kind="bytes", bytes=content, mime_type=kind, filename=PurePath(name).name)
    try:
        result = asyncio.run(xberg.extract(given, reading))
    except (xberg.XbergError, RuntimeError, ValueError, OSError) as error:
        raise UnreadableFileError(*_reason(str(error))) from error
    if result.errors or not result.results:
        raise UnreadableFileError(*_reason(str(result.errors)))
    document = result.results[0]
    if kind not in _WITH_PAGES:
        text = _tidy(document.content).strip("\n") + "\n"
        return ExtractedText(text=text, blocks=markdown_blocks(text), title=_title(document.metadata.title))
    if kind == PDF:
        # A page without letters has no mark. What stands before the first mark belongs to the first page.
        before, *parts = re.split(rf"{mark}:(\d+);", document.content)
        found = dict(zip(map(int, parts[::2]), parts[1::2], strict=True))
        leaves = [found.get(number, "") for number in range(1, max([len(document.pages or []), *found]) + 1)]
        leaves[:1] = [before + "".join(leaves[:1])]
    else:
        leaves = [each.content for each in document.pages or []]
    text, starts = _joined([_tidy(each).strip() for each in leaves])
    return ExtractedText(
        text=text,
        blocks=markdown_blocks(text, starts) if kind == PDF else _slides(text, starts),
        title=_title(document.metadata.title),
        pages=len(leaves),
        notes=("scanned_pages",) if kind == PDF and not all(_tidy(each).strip() for each in leaves) else (),
    )


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
