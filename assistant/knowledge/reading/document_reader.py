"""Reads files."""

import asyncio
import unicodedata
from collections.abc import Callable
from pathlib import Path

from assistant.core.formats.text_encoding import ANY, decoded
from assistant.core.knowledge.texts import BlockKind, ExtractedText
from assistant.knowledge.reading.blocks import markdown_blocks, plain_blocks
from assistant.knowledge.reading.media_types import MARKDOWN, is_code, media_type_of
from assistant.knowledge.reading.reader import UnreadableFileError, tell_nobody


class DocumentReader:
    """Reads plain text, Markdown and programs."""

    version = "1"

    async def read(self, path: Path, name: str, progress: Callable[[float], None] = tell_nobody) -> ExtractedText:
        """See ``FileReader``."""
        text = await asyncio.to_thread(_read, path, name)
        progress(1.0)
        return text


def _read(path: Path, name: str) -> ExtractedText:
    try:
        content = path.read_bytes()
    except OSError as error:
        raise UnreadableFileError("not_readable", error.strerror or "") from error
    if not content.strip():
        raise UnreadableFileError("empty")
    kind = media_type_of(content[:4096], name)
    found = decoded(content, ANY)
    if not kind.startswith("text/") or found is None:
        raise UnreadableFileError("unknown_kind", kind)
    text = unicodedata.normalize("NFC", found.text).replace("\r\n", "\n").replace("\r", "\n")
    if kind == MARKDOWN:
        return ExtractedText(text=text, blocks=markdown_blocks(text))
    return ExtractedText(
        text=text, blocks=plain_blocks(text, BlockKind.CODE if is_code(kind, name) else BlockKind.TEXT)
    )
