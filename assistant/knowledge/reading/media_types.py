"""Tells the kind of a file by its first bytes, and by its name where the bytes are plain text."""

import mimetypes
from pathlib import PurePath

from assistant.llm.attachments.file_types import UNKNOWN, text_of, type_by_bytes

MARKDOWN = "text/markdown"
_MARKDOWN_ENDINGS = frozenset({".md", ".markdown", ".mdown", ".mkd"})
_PROSE_ENDINGS = frozenset({"", ".txt", ".text", ".log", ".rst", ".org", ".tex"})


def media_type_of(head: bytes, name: str) -> str:
    """The media type of a file.

    Args:
        head: its first bytes, 4,096 or all of it.
        name: its name.
    """
    if shown := type_by_bytes(head):
        return shown
    if text_of(head, is_cut=True) is None:
        return UNKNOWN
    ending = PurePath(name).suffix.lower()
    if ending in _MARKDOWN_ENDINGS:
        return MARKDOWN
    named = mimetypes.guess_type(f"a{ending}")[0] or "text/plain"
    return named if named.startswith("text/") else "text/plain"


def is_code(kind: str, name: str) -> bool:
    """Whether a text is a program or data rather than prose."""
    return kind.startswith("text/") and PurePath(name).suffix.lower() not in _PROSE_ENDINGS | _MARKDOWN_ENDINGS
