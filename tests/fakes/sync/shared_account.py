"""An account with one lease."""

from assistant.sync.store import Lease, StaleLeaseError
from tests.fakes.sync.account import MemoryAccount


class SharedAccount(MemoryAccount):
    """An account whose lease another device has, or this one.

    Attributes:
        mine: whether this device may have it.
        asked: how often it was asked for.
        given_back: how often this device gave it back.
    """

    def __init__(self, *, mine: bool) -> None:
        super().__init__()
        self.mine, self.asked, self.given_back = mine, 0, 0
        self.effects: set[str] = set()

    async def lease(self, work: str) -> Lease | None:
        self.asked += 1
        return Lease(work=work, token=1) if self.mine else None

    async def give_back(self, lease: Lease) -> None:
        self.given_back += 1

    async def once(self, lease: Lease, effect: str) -> bool:
        if not self.mine:
            raise StaleLeaseError
        new = effect not in self.effects
        self.effects.add(effect)
        return new
