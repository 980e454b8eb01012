"""A chat that is not linked: it is told how, rarely and without patience, and linked by a code (G-01)."""

import logging
from typing import Final

from telegram.error import TelegramError

from assistant.core.telegram.codes import GIVEN_OUT, LinkResult, is_start, written_code
from assistant.core.telegram.records import TelegramUpdate, UpdateState
from assistant.remote.telegram.delivery import ChatOutbox
from assistant.remote.telegram.form.markup import rich
from assistant.remote.telegram.form.splitting import parts
from assistant.remote.telegram.incoming import Incoming
from assistant.remote.telegram.surroundings import ChatSurroundings

log = logging.getLogger(__name__)

_STRANGER_S: Final = 60.0
"""Seconds within which a chat is told once that it is not linked."""


def code_in(incoming: Incoming) -> str | None:
    """The letters of the code that a message is; one that others wrote links nothing."""
    return None if incoming.forwarded else written_code(incoming.text)


class Linking:
    """Links one chat.

    Args:
        around: keeps the chats, and has the words.
        chat: Telegram's id of the chat.
        outbox: sends them.
    """

    def __init__(self, around: ChatSurroundings, chat: int, outbox: ChatOutbox) -> None:
        self._around, self._chat, self._outbox = around, chat, outbox
        self._silent_until = 0.0
        """Time before which it is not told again that it is not linked."""

    async def turn_away(self, update: TelegramUpdate, incoming: Incoming) -> None:
        """Answer a chat that is not linked, beside the places of the user's chats.

        Raises:
            StorageError: the records cannot be read or written.
        """
        around = self._around
        if await self.links(update, incoming):
            return
        await around.store.end(update.update_id, UpdateState.DONE)
        now = around.clock.monotonic()
        if now >= self._silent_until:
            self._silent_until = now + _STRANGER_S
            await self._say_once(around.texts("telegram.chat.not_linked"))

    async def links(self, update: TelegramUpdate, incoming: Incoming) -> bool:
        """Try the code that a message is, and tell what came of it; ``False`` if it is another message.

        In a linked chat only a code that was given out is one: anything else of its form goes to nobody but the agent.

        Raises:
            StorageError: the records cannot be read or written.
            TelegramError: a chat that is linked by now cannot be told.
        """
        around = self._around
        if (letters := code_in(incoming)) is None:
            return False
        is_linked = await around.store.chat(self._chat) is not None
        result = await around.store.link(update, letters, name=incoming.name, now=around.clock.now())
        if is_linked and result not in GIVEN_OUT and not is_start(incoming.text):
            return False
        words = around.texts(f"telegram.chat.code_{result}")
        if result is not LinkResult.LINKED:
            await around.store.end(update.update_id, UpdateState.DONE)
            await self._say_once(words)
            return True
        if (chat := await around.store.chat(self._chat)) is not None:
            around.news.linked(chat)
        for part in parts(rich(words)):
            await self._outbox.say(part)
        return True

    async def _say_once(self, text: str) -> None:
        """Send a few words, or not if Telegram does not take them at once."""
        try:
            for part in parts(rich(text)):
                await self._outbox.say_once(part)
        except TelegramError as error:
            log.info("a chat is not told: %s", type(error).__name__)
