"""What the syncing needs of the server: records in one order, devices, leases (S-02, S-03).

An account's records have one order: each accepted change gets the account's next number. A change says on which number
of its record it is based. The server accepts it only while that is the newest, so no device writes over what it has not
seen, whatever the clocks say.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final, Protocol

from assistant.core.errors import StorageError

LEASE_S: Final = 60.0
"""A lease that is not renewed for so long can be taken by another device."""
BEAT_S: Final = 30.0
"""A device tells so often that it is there."""
OFFLINE_S: Final = 120.0
"""A device that has not told for so long is offline."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sealed:
    """A record as the server has it.

    Attributes:
        identity: 16 bytes.
        number: the account's number of its newest change, from 1.
        content: encrypted.
    """

    identity: bytes
    number: int
    content: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """A change of a record.

    Attributes:
        identity: 16 bytes.
        based_on: the number of the record that was seen last; 0 for none.
        content: encrypted. A deletion is a content too, because a server must not be able to delete.
    """

    identity: bytes
    based_on: int
    content: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class SyncAccount:
    """What the server keeps of an account beside its records. None of it is secret.

    Attributes:
        identity: 16 bytes.
        salt: of the passphrase's key.
        passes: of the passphrase's key.
        memory_kib: of the passphrase's key.
        keys: the account's keys, encrypted with the passphrase's key.
    """

    identity: bytes
    salt: bytes
    passes: int
    memory_kib: int
    keys: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class SyncDevice:
    """A device of the account.

    Attributes:
        identity: 16 bytes.
        name: encrypted.
        seen_at: when it was there last, by the server's clock.
        online: whether that was less than ``OFFLINE_S`` ago.
        revoked: whether the user has shut it out.
    """

    identity: bytes
    name: bytes
    seen_at: datetime
    online: bool
    revoked: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class AccountPlace:
    """How far the account is. One that is less far than before tells that the server was set back.

    Attributes:
        newest: the account's newest number.
        seen_at: when the account has seen the device last, by the server's clock; ``None`` if it does not know it.
    """

    newest: int
    seen_at: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Lease:
    """The right to do one kind of work for the account, such as answering a chat.

    Attributes:
        work: the kind of work.
        token: greater than the token of every lease before. The store refuses an effect with a smaller one.
    """

    work: str
    token: int


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldLease:
    """A lease that has not ended, as the server has it.

    Attributes:
        work: the kind of work.
        device: id of the device that leads.
    """

    work: str
    device: bytes


class RevokedError(Exception):
    """The user has shut this device out."""


class EmptiedError(StorageError):
    """The server's database has no tables of Sori: it was emptied, or is another one."""


class StaleLeaseError(Exception):
    """Another device has taken the lease since."""


class SyncStore(Protocol):
    """The server of one account, as one device sees it.

    Every method raises ``StorageError`` when the server cannot be reached or refuses, and ``RevokedError``.
    """

    @property
    def silent_s(self) -> float:
        """For how many seconds an answer has been waited for without a sign of the server; 0 while none is."""
        ...

    async def place(self, device: bytes) -> AccountPlace:
        """How far the account is.

        Args:
            device: id of a device.
        """
        ...

    async def pull(self, after: int, limit: int) -> list[Sealed]:
        """The records whose number is greater, in the order of their numbers. Each stands at its newest number only.

        Fewer than ``limit`` may come, but one at least if there is any.
        """
        ...

    async def push(self, changes: Sequence[Change]) -> list[int | None]:
        """Make changes in one transaction; their new numbers, ``None`` for one that is based on an older number."""
        ...

    async def wait(self, after: int, timeout_s: float) -> None:
        """Return when the account has a greater number, or after a time. A server that tells nothing is asked."""
        ...

    async def beat(self, name: bytes) -> datetime:
        """Tell that this device is there. Returns when the account has seen it now, by the server's clock.

        Args:
            name: its encrypted name.
        """
        ...

    async def devices(self) -> list[SyncDevice]:
        """All devices of the account."""
        ...

    async def revoke(self, device: bytes) -> None:
        """Shut a device out: the server refuses all it asks from then on, and its leases end."""
        ...

    async def lease(self, work: str) -> Lease | None:
        """Take or renew the lease for a kind of work; ``None`` while another device has it."""
        ...

    async def give_back(self, lease: Lease) -> None:
        """End a lease before its time."""
        ...

    async def leases(self) -> list[HeldLease]:
        """The account's leases that have not ended."""
        ...

    async def once(self, lease: Lease, effect: str) -> bool:
        """Note an effect, in one transaction with the check of the lease; ``False`` if it was noted before.

        Raises:
            StaleLeaseError: the lease is another device's by now.
        """
        ...
