"""The token of the Telegram bot, in the keyring, or in the key file where the user wants that."""

from typing import Final

from assistant.core.errors import SoriError
from assistant.core.settings import Provider
from assistant.engine.domains.keys import ApiKeys
from assistant.host.key_file import KeyFile
from assistant.host.keys import FoundKey, Keys

NAME: Final = "telegram-bot"
"""Under which name the token is kept."""
_NO_KEYRING: Final = "no_keyring"


class BotToken:
    """Keeps the token. No method writes it into a log or a message.

    Args:
        file: the keys that are not in the keyring.
    """

    def __init__(self, file: KeyFile) -> None:
        self._file, self._keys = file, ApiKeys(file)

    def read(self) -> FoundKey:
        """The token and its source. Waits for the keyring."""
        return Keys(environment={}, file=self._file).find(Provider(name=NAME, kind="telegram"))

    async def keep(self, token: str, *, in_file: bool) -> None:
        """Keep a token.

        Raises:
            SoriError: it is malformed, there is no keyring, or it refuses.
            StorageError: the file cannot be written.
        """
        try:
            await self._keys.keep(NAME, token, in_file=in_file)
        except SoriError as error:
            if error.reason != _NO_KEYRING:
                raise
            # A key of a provider may stand in the settings; a token of a bot may not.
            raise SoriError(error.code, str(error), message_key="telegram_no_keyring", cause=error) from error

    async def drop(self) -> bool:
        """Remove the token; returns whether there was one.

        Raises:
            SoriError: the keyring refuses.
            StorageError: the file cannot be written.
        """
        try:
            return await self._keys.drop(NAME)
        except SoriError as error:
            if error.reason != _NO_KEYRING:
                raise
            return False  # There is no keyring, so there is no token in it.
