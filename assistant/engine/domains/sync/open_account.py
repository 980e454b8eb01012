"""The account while this device is in it: its keys, its connections, and the login of this device."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from assistant.core.errors import ErrorCode, SoriError
from assistant.core.records.egress import EgressLedger
from assistant.engine.domains.sync.kept_membership import KeptAccount

if TYPE_CHECKING:
    from assistant.storage.postgres.server import PostgresServer
    from assistant.sync.postgres.postgres_store import Membership, PostgresStore
    from assistant.sync.sealing import DataKeys


@dataclass(slots=True)
class OpenAccount:
    """The account while this device is in it."""

    member: "Membership"
    name: str
    password: str
    store: "PostgresStore"
    leases: "PostgresStore"
    """Has connections of its own, so that a lease is renewed while much is sent."""

    @property
    def keys(self) -> "DataKeys":
        """The account's keys."""
        return self.member.keys

    def take_keys(self, keys: "DataKeys") -> None:
        """Use newer keys of the account."""
        self.member = replace(self.member, keys=keys)

    async def close(self) -> None:
        """End its connections."""
        await asyncio.gather(self.store.close(), self.leases.close())

    def sealed_name(self, *, left: bool = False) -> bytes:
        """The name of this device as the other ones read it.

        Args:
            left: whether it leaves the account.
        """
        from assistant.sync.device_names import DeviceName

        return DeviceName(name=self.name, left=left).sealed(self.keys, self.member.device)

    @classmethod
    def to(cls, address: str, kept: KeptAccount, ledger: EgressLedger) -> "OpenAccount":
        """Connect lazily.

        Raises:
            StorageError: the address is none of PostgreSQL.
        """
        from assistant.sync.postgres.postgres_store import PostgresStore, connected

        def server() -> "PostgresServer":
            return connected(address, kept.password, ledger)

        def store() -> PostgresStore:
            return PostgresStore(server(), server(), kept.member)

        return cls(kept.member, kept.name, kept.password, store(), store())


@contextmanager
def told_when_revoked() -> Iterator[None]:
    """Tell in the user's words that this device was shut out.

    Raises:
        SoriError: it was.
    """
    from assistant.sync.store import RevokedError

    try:
        yield
    except RevokedError as error:
        detail = "another device has shut this one out"
        raise SoriError(ErrorCode.PERMISSION, detail, message_key="sync_revoked", cause=error) from error
