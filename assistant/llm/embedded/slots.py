"""The slots of the embedded server, and the Protocol for saving and restoring them.

A slot is llama.cpp's memory of one prompt: the tokens that it has read, with their keys and values. The server has two,
so that a request without the conversation does not push the conversation out.
"""

from typing import Protocol

CONVERSATION_SLOT = 0
"""Holds the conversation. The next request reads only what is new."""
ASIDE_SLOT = 1
"""Holds the newest request without the conversation (``ModelRequest.aside``): a tool choice, a summary, a title."""


class SlotRefusedError(Exception):
    """The server refused: the disk is full, or it cannot use the file."""


class SlotUnreachableError(Exception):
    """The server is not running, or stopped meanwhile."""


class Slots(Protocol):
    """Saves and restores slots of the embedded server."""

    async def save(self, file: str) -> int:
        """Save the conversation's slot to a file of this name in the server's folder; returns the bytes written.

        Raises:
            SlotRefusedError: the slot cannot be saved.
            SlotUnreachableError: the server is not running.
        """
        ...

    async def restore(self, file: str, slot: int = CONVERSATION_SLOT) -> None:
        """Replace a slot with the one in a file of this name in the server's folder.

        Raises:
            SlotRefusedError: the server cannot use the file.
            SlotUnreachableError: the server is not running.
        """
        ...
