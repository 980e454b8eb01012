"""The clipboard."""

from assistant.core.permissions import Category
from assistant.tools.signature import tool_of
from assistant.tools.system.clipboard import Clipboard
from assistant.tools.tool import Tool

_MOST_READ = 20_000
"""Maximum number of characters that are told."""

_READ = ("클립보드", "복사한", "복사해 둔", "붙여넣", "copied", "paste")
_COPY = ("클립보드", "복사", "copy")


def clipboard_tools(clipboard: Clipboard) -> tuple[Tool, ...]:
    """The tools that read and write the clipboard."""

    async def read_clipboard() -> str:
        """Reads the text that the user has copied to the clipboard."""
        text = await clipboard.read()
        if not text:
            return "The clipboard holds no text."
        return text if len(text) <= _MOST_READ else f"{text[:_MOST_READ]}\n(The text is longer.)"

    async def write_clipboard(text: str) -> str:
        """Copies a text to the clipboard, so that the user can paste it.

        Args:
            text: the text.
        """
        await clipboard.write(text)
        return f"Copied {len(text)} characters to the clipboard."

    return (
        tool_of(
            read_clipboard,
            category=Category.SENSITIVE,
            idempotent=True,
            search_words=_READ,
            untrusted=True,
            reads_private=True,
        ),
        tool_of(write_clipboard, category=Category.SENSITIVE, idempotent=True, search_words=_COPY),
    )
