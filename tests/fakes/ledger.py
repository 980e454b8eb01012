"""An egress ledger that remembers, and one that cannot be written."""

from assistant.core.egress import Egress
from assistant.core.errors import StorageError


class MemoryLedger:
    """Implements ``EgressLedger``.

    Attributes:
        rows: what was recorded, oldest first.
        broken: whether nothing can be recorded.
    """

    def __init__(self) -> None:
        self.rows: list[Egress] = []
        self.broken = False

    async def record(self, egress: Egress) -> None:
        if self.broken:
            raise StorageError("sori.db", "the disk is full", message_key="storage_full")
        self.rows.append(egress)
