"""A secret of Sori's own that is no key of a provider, in the keyring, or in the key file where the user wants that."""

import asyncio
from contextlib import suppress
from typing import Final

from assistant.core.errors import SoriError
from assistant.core.settings import Provider
from assistant.engine.domains.keys import ApiKeys
from assistant.host.key_file import KeyFile
from assistant.host.keys import FoundKey, Keys, remove_key

_NO_KEYRING: Final = "no_keyring"


class KeptSecret:
    """Keeps a secret. No method writes it into a log or a message.

    Args:
        file: the keys that are not in the keyring.
        name: under which name it is kept.
        without_keyring: key of the message where there is no keyring.
    """

    def __init__(self, file: KeyFile, name: str, *, without_keyring: str) -> None:
        self._file, self._keys, self._name, self._without_keyring = file, ApiKeys(file), name, without_keyring

    def read(self) -> FoundKey:
        """The secret and its source. Waits for the keyring."""
        return Keys(environment={}, file=self._file).find(Provider(name=self._name, kind=self._name))

    async def keep(self, secret: str, *, in_file: bool) -> None:
        """Keep a secret, here and nowhere else: an older one in the other place would count, or be left behind.

        Raises:
            SoriError: it is malformed, there is no keyring, or it refuses.
            StorageError: the file cannot be written.
        """
        try:
            await self._keys.keep(self._name, secret, in_file=in_file)
        except SoriError as error:
            if error.reason != _NO_KEYRING:
                raise
            # A key of a provider may stand in the settings; this may not, so the remedy is another one.
            raise SoriError(error.code, str(error), message_key=self._without_keyring, cause=error) from error
        if in_file:
            with suppress(SoriError):  # There is no keyring, or it is locked.
                await asyncio.to_thread(remove_key, self._name)
        elif self._file.key(self._name):
            await asyncio.to_thread(self._file.store, self._name, "")

    async def drop(self) -> bool:
        """Remove the secret; returns whether there was one.

        Raises:
            SoriError: the keyring refuses.
            StorageError: the file cannot be written.
        """
        try:
            return await self._keys.drop(self._name)
        except SoriError as error:
            if error.reason != _NO_KEYRING:
                raise
            return False  # There is no keyring, so there is nothing in it.
