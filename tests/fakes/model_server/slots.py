"""Slots of a server that write small files, or refuse to."""

from pathlib import Path

from assistant.llm.embedded.slots import ASIDE_SLOT, CONVERSATION_SLOT, SlotRefusedError


class FakeSlots:
    """Implements ``Slots``.

    Attributes:
        content: what the conversation's slot holds.
        aside: what the slot of requests without the conversation holds.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.content = b"nothing"
        self.aside = b"nothing"
        self.saves = 0
        self.full = False
        self.refuses_restoring = False
        self.half = False

    async def save(self, file: str) -> int:
        self.saves += 1
        written = self.content[: len(self.content) // 2] if self.full or self.half else self.content
        (self._folder / file).write_bytes(written)
        if self.full:
            raise SlotRefusedError("Unable to save slot")
        return len(self.content)

    async def restore(self, file: str, slot: int = CONVERSATION_SLOT) -> None:
        if self.refuses_restoring:
            raise SlotRefusedError("invalid slot save file")
        content = (self._folder / file).read_bytes()
        if slot == ASIDE_SLOT:
            self.aside = content
        else:
            self.content = content
