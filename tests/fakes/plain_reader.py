"""A reader of files without a process of its own."""

import asyncio
from collections.abc import Callable
from pathlib import Path

from assistant.core.knowledge.texts import BlockKind, ExtractedText
from assistant.knowledge.reading.blocks import markdown_blocks, plain_blocks
from assistant.knowledge.reading.reader import UnreadableFileError, tell_nobody


class PlainReader:
    """Reads UTF-8. ``read_names`` has the name of each file that it was asked for."""

    version = "plain"

    def __init__(self) -> None:
        self.read_names: list[str] = []
        self.recognises = False

    async def read(self, path: Path, name: str, progress: Callable[[float], None] = tell_nobody) -> ExtractedText:
        self.read_names.append(name)
        content = await asyncio.to_thread(path.read_bytes)
        if not content:
            raise UnreadableFileError("empty")
        try:
            text = content.decode()
        except UnicodeDecodeError as error:
            raise UnreadableFileError("broken") from error
        progress(1.0)
        blocks = markdown_blocks(text) if name.endswith(".md") else plain_blocks(text, BlockKind.TEXT)
        return ExtractedText(text=text, blocks=blocks)

    async def close(self) -> None:
        """Nothing has begun."""
