"""What it takes to save and restore what the embedded server has read.

llama.cpp calls the memory of one conversation a slot.
"""

from typing import Protocol


class SlotRefusedError(Exception):
    """The server is there and cannot do it: no room on the disk, or a file that it cannot use."""


class SlotUnreachableError(Exception):
    """The server is not there, or went away meanwhile."""


class Slots(Protocol):
    """Saves and restores what the embedded server has read."""

    async def save(self, file: str) -> int:
        """Write it to a file of this name in the server's folder; returns the bytes written.

        Raises:
            SlotRefusedError: it cannot be written.
            SlotUnreachableError: the server is gone.
        """
        ...

    async def restore(self, file: str) -> None:
        """Take it from the file of this name in the server's folder, in place of what is there.

        Raises:
            SlotRefusedError: the server cannot use the file.
            SlotUnreachableError: the server is gone.
        """
        ...
