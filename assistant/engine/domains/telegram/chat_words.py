"""Words of Sori's own for chats, which are kept until they were sent: across a restart, and while Telegram is away."""

import secrets
from collections.abc import Callable

from assistant.core.clock import Clock
from assistant.core.telegram.records import TelegramUpdate
from assistant.core.telegram.store import TelegramStore
from assistant.core.telegram.words import RANDOM_BITS, words_update
from assistant.engine.doors import TelegramLine


class ChatWords:
    """Gives words to linked chats.

    Args:
        store: keeps them.
        line: the way to Telegram; ``None`` in a process that has no doors.
        clock: tells the time.
        hasten: called when the account should soon know of words, because another device may have to say them.
    """

    def __init__(
        self, store: TelegramStore, line: TelegramLine | None, clock: Clock, hasten: Callable[[], None]
    ) -> None:
        self._store, self._line, self._clock, self._hasten = store, line, clock, hasten

    async def say(self, chat: int, text: str) -> None:
        """Give a chat words once, as long as it is linked.

        Raises:
            StorageError: they cannot be kept, and are not sent.
        """
        if await self._store.chat(chat) is not None:
            words = self.made(chat, text)
            await self._store.keep_words(words)
            self.send(words)

    def made(self, chat: int, text: str) -> TelegramUpdate:
        """Words in the form in which they are kept."""
        return words_update(chat, text, now=self._clock.now(), random_bits=secrets.randbits(RANDOM_BITS))

    def send(self, words: TelegramUpdate) -> None:
        """Send words that are kept; while Telegram is away or off, once it is there again."""
        if self._line is not None:
            self._line.say(words)
        self._hasten()
