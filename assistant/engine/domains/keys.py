"""The domain of API keys: stores and removes them. No request gives a key back."""

import asyncio
from collections.abc import Awaitable, Callable

from assistant.core import updates as up
from assistant.core.errors import SoriError
from assistant.core.service.requests import servers as rq
from assistant.engine.serving.table import Domain, serves
from assistant.host.key_file import KeyFile
from assistant.host.keys import check_key, remove_key, store_key

_LANE = "keys"


async def _nobody_uses(_name: str) -> None:
    """No engine uses the key."""


class ApiKeys(Domain):
    """Owns the requests for keys.

    Args:
        file: the keys that are not in the keyring.
        changed: uses another key of a provider from now on.
        configure: adds a vendor to the settings unless they have it.
        publish: takes events.
    """

    def __init__(
        self,
        file: KeyFile,
        *,
        changed: Callable[[str], Awaitable[None]] = _nobody_uses,
        configure: Callable[[str], Awaitable[None]] = _nobody_uses,
        publish: up.Publish = lambda _: None,
    ) -> None:
        self._file, self._changed, self._configure, self._publish = file, changed, configure, publish

    @serves(lane=_LANE)
    async def _store_key(self, request: rq.StoreKey) -> None:
        """Store a key.

        Raises:
            SoriError: the key is malformed, there is no keyring, or it refuses.
            StorageError: the file cannot be written.
        """
        await self.keep(request.provider, request.key.strip(), in_file=request.in_file)
        if request.configure:
            await self._configure(request.provider)
        await self._changed(request.provider)

    async def keep(self, name: str, key: str, *, in_file: bool) -> None:
        """Store the key of a provider.

        Raises:
            SoriError: the key is malformed, there is no keyring, or it refuses.
            StorageError: the file cannot be written.
        """
        check_key(key)
        if in_file:
            aside = await asyncio.to_thread(self._file.store, name, key)
            if aside is not None:
                values = {"path": str(aside)}
                self._publish(up.NoticePosted(key="notice.keys_aside", severity=up.Severity.WARNING, values=values))
        else:
            await asyncio.to_thread(store_key, name, key)

    @serves(lane=_LANE)
    async def _remove_key(self, request: rq.RemoveKey) -> bool:
        """Remove a key.

        Raises:
            SoriError: the keyring is missing or refuses, and the file has none.
            StorageError: the file cannot be written.
        """
        return await self.drop(request.provider)

    async def drop(self, name: str) -> bool:
        """Remove the key of a provider; returns whether there was one.

        Raises:
            SoriError: the keyring is missing or refuses, and the file has none.
            StorageError: the file cannot be written.
        """
        try:
            return await asyncio.to_thread(self._remove, name)
        finally:
            await self._changed(name)

    def _remove(self, name: str) -> bool:
        in_file = bool(self._file.key(name))
        if in_file:
            self._file.store(name, "")
        try:
            return remove_key(name) or in_file
        except SoriError:
            if in_file:
                return True
            raise
