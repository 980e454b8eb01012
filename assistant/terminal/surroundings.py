"""What the terminal needs of the machine on which it runs."""

from collections.abc import Iterable
from pathlib import Path
from typing import Protocol

from assistant.core.messages import Attachment


class TerminalSurroundings(Protocol):
    """Files, the clipboard and the lines that were typed before."""

    def read_attachment(self, path: Path) -> Attachment:
        """Read a file to attach.

        Raises:
            SoriError: it cannot be attached.
        """
        ...

    def existing(self, path: Path) -> Path:
        """The path to what is there under these names, in whichever normal form of Unicode."""
        ...

    async def write(self, path: Path, text: str) -> None:
        """Write a file that only the user can read.

        Raises:
            SoriError: it cannot be written.
        """
        ...

    async def write_bytes(self, path: Path, data: bytes) -> None:
        """Write a file that only the user can read.

        Raises:
            SoriError: it cannot be written.
        """
        ...

    async def copy(self, text: str) -> str:
        """Replace the content of the clipboard; returns why that is not possible, else an empty text."""
        ...

    def typed_lines(self) -> Iterable[str]:
        """The lines that were typed before, newest first."""
        ...

    def keep_line(self, line: str) -> None:
        """Keep a typed line."""
        ...
