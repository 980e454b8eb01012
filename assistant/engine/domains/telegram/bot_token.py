"""The token of the Telegram bot, in the keyring, or in the key file where the user wants that."""

from typing import Final

from assistant.engine.domains.keeping.kept_secret import KeptSecret
from assistant.host.key_file import KeyFile

NAME: Final = "telegram-bot"
"""Under which name the token is kept."""


class BotToken(KeptSecret):
    """Keeps the token.

    Args:
        file: the keys that are not in the keyring.
    """

    def __init__(self, file: KeyFile) -> None:
        super().__init__(file, NAME, without_keyring="telegram_no_keyring")
