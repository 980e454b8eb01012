"""What a reader of files promises."""

from collections.abc import Callable
from pathlib import Path
from typing import Final, Protocol

from assistant.core.knowledge.texts import ExtractedText

UNRECOGNISED: Final = frozenset({"scanned", "picture"})
"""Reasons of files that have a text as soon as their letters can be recognised."""


def tell_nobody(_share: float) -> None:
    """Progress that nobody follows."""


class UnreadableFileError(Exception):
    """A file gave no text.

    Attributes:
        reason: key of ``[file_reason]`` in the translations, such as ``encrypted`` or ``broken``.
        detail: what that text names as ``{detail}``, such as a size; empty for nothing.
    """

    def __init__(self, reason: str, detail: str = "") -> None:
        super().__init__(f"{reason}: {detail}" if detail else reason)
        self.reason = reason
        self.detail = detail


class FileReader(Protocol):
    """Extracts the text of files."""

    @property
    def version(self) -> str:
        """Names what this reader makes of a file. A text that another version has read is read anew."""
        ...

    @property
    def recognises(self) -> bool:
        """Whether it recognises letters in pictures and on scanned pages, at present."""
        ...

    async def read(self, path: Path, name: str, progress: Callable[[float], None] = tell_nobody) -> ExtractedText:
        """The text of a file. The file is never changed.

        Args:
            path: where its bytes lie.
            name: the user's name for it, whose ending tells its kind where the bytes do not.
            progress: is told the share that is read, from 0 to 1, on the event loop's thread.

        Raises:
            UnreadableFileError: the file has no text that can be read, with the reason.
        """
        ...

    async def close(self) -> None:
        """End what it runs. A later reading begins it again."""
        ...
