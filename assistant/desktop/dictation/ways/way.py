"""What every kind of desktop gives: keys for the program that has the keyboard (D-08)."""

from typing import Protocol


class TypingError(Exception):
    """Nothing can be typed here; the text says why, for logs."""


class TypingWay(Protocol):
    """A way to type. Functions are called in Qt's thread and may raise ``TypingError``."""

    def start(self) -> None:
        """Connect to the desktop, and ask the user for permission where the desktop wants it."""

    def is_free(self) -> bool:
        """Whether no key is held that would change what is typed."""

    def can_write(self, text: str) -> bool:
        """Whether ``write`` brings this text as it is. Else it is pasted."""

    def erase(self, count: int) -> None:
        """Remove characters before the cursor."""

    def write(self, text: str) -> None:
        """Write at the cursor."""

    def paste(self) -> None:
        """Press the keys that paste the clipboard, and on X11 the selection."""

    def close(self) -> None:
        """Disconnect."""
