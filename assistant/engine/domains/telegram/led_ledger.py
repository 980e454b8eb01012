"""Lets nothing leave for Telegram while another device may answer it."""

from assistant.core.errors import StorageError
from assistant.core.records.egress import Egress, EgressLedger
from assistant.engine.domains.sync.leadership import Leadership


class LedLedger:
    """Implements ``EgressLedger``: what cannot be recorded is not sent.

    Args:
        ledger: records what leaves.
        lead: whether this device answers.
    """

    def __init__(self, ledger: EgressLedger, lead: Leadership) -> None:
        self._ledger, self._lead = ledger, lead

    async def record(self, egress: Egress) -> None:
        """Record what is sent.

        Raises:
            StorageError: it cannot be recorded, or another device may answer Telegram by now.
        """
        if not self._lead.may:
            raise StorageError("postgresql", "another device may answer by now")
        await self._ledger.record(egress)
