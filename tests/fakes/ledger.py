"""An egress ledger in memory, which can also fail."""

from assistant.core.errors import StorageError
from assistant.core.records.egress import Egress


class MemoryLedger:
    """Implements ``EgressLedger``.

    Attributes:
        rows: recorded requests, oldest first.
        broken: whether recording fails.
    """

    def __init__(self, *, broken: bool = False) -> None:
        self.rows: list[Egress] = []
        self.broken = broken

    async def record(self, egress: Egress) -> None:
        if self.broken:
            raise StorageError("sori.db", "the disk is full", message_key="storage_full")
        self.rows.append(egress)
