"""The keys of the account, in the keyring, or in the key file where the user wants that. They are never synced."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from assistant.engine.domains.keeping.kept_secret import KeptSecret
from assistant.host.key_file import KeyFile
from assistant.host.keys import KeySource
from assistant.sync.kept_account import NAME, kept_text, read_kept

if TYPE_CHECKING:
    from assistant.sync.postgres.postgres_store import Membership

_NOTHING: Final = kept_text({"account": None})


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptAccount:
    """What a device needs to reach its account.

    Attributes:
        password: the server's password; empty for none.
        name: this device's name, as other devices show it.
        member: how this device takes part.
    """

    password: str
    name: str
    member: "Membership"


class AccountKeys:
    """Keeps what a device needs to reach its account. Nothing of it is written into a log or a message.

    Args:
        file: the keys that are not in the keyring.
    """

    def __init__(self, file: KeyFile) -> None:
        self._secret = KeptSecret(file, NAME, without_keyring="sync_no_keyring")

    def read(self) -> KeptAccount | None:
        """What was kept; ``None`` if there is nothing, or it cannot be read. Waits for the keyring."""
        from assistant.sync.device_key import DeviceKey
        from assistant.sync.postgres.postgres_store import Membership
        from assistant.sync.sealing import DataKeys

        found = self._secret.read()
        try:
            kept = read_kept(found.key)
            keys = {int(epoch): bytes.fromhex(key) for epoch, key in kept["keys"].items()}
            member = Membership(
                device=bytes.fromhex(kept["device"]),
                secret=bytes.fromhex(kept["secret"]),
                keys=DataKeys(bytes.fromhex(kept["account"]), keys),
                private=DeviceKey(bytes.fromhex(kept["private"])),
            )
            return KeptAccount(password=kept["password"], name=kept["name"], member=member)
        except (ValueError, KeyError):  # Nothing was kept, or it was changed by hand.
            return None

    @asynccontextmanager
    async def room(self, *, in_file: bool) -> AsyncIterator[None]:
        """Learn before joining whether keys can be kept: what is kept is written once more, or an empty entry.

        Raises:
            SoriError: there is no keyring, or it refuses.
            StorageError: the file cannot be written.
        """
        kept = await asyncio.to_thread(self.read)
        if kept is not None:
            await self.keep(kept, in_file=in_file)
            yield
            return
        await self._secret.keep(_NOTHING, in_file=in_file)
        try:
            yield
        except BaseException:
            await self.drop()
            raise

    async def keep(self, account: KeptAccount, *, in_file: bool) -> None:
        """Keep it.

        Raises:
            SoriError: there is no keyring, or it refuses.
            StorageError: the file cannot be written.
        """
        member = account.member
        plain = {
            "password": account.password,
            "name": account.name,
            "device": member.device.hex(),
            "secret": member.secret.hex(),
            "private": member.private.raw.hex(),
            "account": member.keys.account.hex(),
            "keys": {str(epoch): key.hex() for epoch, key in member.keys.keys.items()},
        }
        await self._secret.keep(kept_text(plain), in_file=in_file)

    async def renew(self, account: KeptAccount) -> None:
        """Keep it in place of what was kept, wherever that is.

        Raises:
            SoriError: there is no keyring, or it refuses.
            StorageError: the file cannot be written.
        """
        source = (await asyncio.to_thread(self._secret.read)).source
        await self.keep(account, in_file=source is KeySource.FILE)

    async def drop(self) -> bool:
        """Remove it; returns whether there was anything.

        Raises:
            SoriError: the keyring refuses.
            StorageError: the file cannot be written.
        """
        return await self._secret.drop()
