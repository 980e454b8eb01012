"""The files and the clipboard of this computer, for the conversation in the terminal."""

import logging
from collections.abc import Iterable
from pathlib import Path

from assistant.app.cli.attachment_file import read_attachment
from assistant.core.errors import StorageError
from assistant.core.messages import Attachment
from assistant.core.texts import Texts
from assistant.host.places import Places
from assistant.storage.file_names import existing
from assistant.storage.private_file import private_file
from assistant.storage.typed_lines import TypedLines
from assistant.tools.system.clipboard import system_clipboard
from assistant.tools.tool import ToolError

_log = logging.getLogger(__name__)


class LocalSurroundings:
    """Implements ``TerminalSurroundings``.

    Args:
        places: the user's files.
        texts: the user's words.
    """

    def __init__(self, places: Places, texts: Texts) -> None:
        self._texts = texts
        self._lines = TypedLines(places.typed_lines)
        self._clipboard = system_clipboard()

    def read_attachment(self, path: Path) -> Attachment:
        """Read a file to attach."""
        return read_attachment(path)

    def existing(self, path: Path) -> Path:
        """The path to what is there."""
        return existing(path)

    async def write(self, path: Path, text: str) -> None:
        """Write a file that only the user can read."""
        with private_file(path) as file:
            file.write(text)

    async def write_bytes(self, path: Path, data: bytes) -> None:
        """Write a file that only the user can read."""
        with private_file(path) as file:
            file.buffer.write(data)

    async def copy(self, text: str) -> str:
        """Replace the content of the clipboard."""
        try:
            await self._clipboard.write(text)
        except ToolError as error:
            return self._texts(error.key, **error.values)
        return ""

    def typed_lines(self) -> Iterable[str]:
        """The lines that were typed before, newest first; none if they cannot be read, which is logged."""
        try:
            return list(reversed(self._lines.read()))
        except StorageError:
            _log.exception("the typed lines cannot be read")
            return []

    def keep_line(self, line: str) -> None:
        """Keep a typed line; an error is logged."""
        try:
            # Read again: the purge of a conversation may have removed lines from the file.
            self._lines.write([*self._lines.read(), line])
        except StorageError:
            _log.exception("the typed lines cannot be kept")
