"""The Protocol for saving and restoring a slot of the embedded server.

A slot is llama.cpp's memory of one conversation.
"""

from typing import Protocol


class SlotRefusedError(Exception):
    """The server refused: the disk is full, or it cannot use the file."""


class SlotUnreachableError(Exception):
    """The server is not running, or stopped meanwhile."""


class Slots(Protocol):
    """Saves and restores the slot of the embedded server."""

    async def save(self, file: str) -> int:
        """Save the slot to a file of this name in the server's folder; returns the bytes written.

        Raises:
            SlotRefusedError: the slot cannot be saved.
            SlotUnreachableError: the server is not running.
        """
        ...

    async def restore(self, file: str) -> None:
        """Replace the slot with the one in a file of this name in the server's folder.

        Raises:
            SlotRefusedError: the server cannot use the file.
            SlotUnreachableError: the server is not running.
        """
        ...
