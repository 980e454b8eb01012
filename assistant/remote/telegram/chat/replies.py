"""Words for one chat: as messages without what tells about this computer, and as the whole answer to an update."""

import logging
from dataclasses import replace
from functools import partial

from telegram.error import TelegramError

from assistant.core.telegram.records import TelegramUpdate, UpdateState
from assistant.remote.telegram.delivery import ChatOutbox
from assistant.remote.telegram.form.rich_text import RichText
from assistant.remote.telegram.form.splitting import parts
from assistant.remote.telegram.incoming import Incoming
from assistant.remote.telegram.linked_calls import UnlinkedError
from assistant.remote.telegram.surroundings import ChatSurroundings

log = logging.getLogger(__name__)


class ChatReplies:
    """Says words of Sori's own in one chat.

    Args:
        around: keeps the updates, and knows what may not leave.
        outbox: of the chat.
    """

    def __init__(self, around: ChatSurroundings, outbox: ChatOutbox) -> None:
        self._around, self._outbox = around, outbox

    def parts(self, incoming: Incoming, text: str) -> list[RichText]:
        """The messages of an answer; what was heard in a voice message stands above it."""
        heard = f"> 🎤 {' '.join(incoming.heard.split())}\n\n" if incoming.heard else ""
        return parts(self._around.redact.rich(heard + text))

    async def say(self, text: str, thread: int = 0) -> None:
        """Send a few words to a topic, as long as the chat is linked and takes them."""
        try:
            for part in parts(self._around.redact.rich(text)):
                await self._outbox.say(part, thread)
        except (TelegramError, UnlinkedError) as error:
            log.info("a chat does not get words: %s", type(error).__name__)

    async def reply(self, update: TelegramUpdate, incoming: Incoming, words: str) -> None:
        """Answer an update with words, and note that it is over.

        Raises:
            StorageError: its records cannot be written.
            TelegramError: Telegram does not take the words.
            UnlinkedError: the chat gets nothing any more.
        """
        note = partial(self.note, update.update_id)
        await self._outbox.deliver(incoming, self.parts(incoming, words), (), note)
        await self._around.store.end(update.update_id, UpdateState.DONE)

    async def give_up(self, update: TelegramUpdate, incoming: Incoming) -> None:
        """Tell that an answer was cut off on another device, whose messages stay: they may hold the answer."""
        if not incoming.given_up:
            incoming = replace(incoming, given_up=True, shown=())
            await self.note(update.update_id, incoming)
            await self._around.store.share()  # The other device must not answer it after this was told.
        await self.reply(update, incoming, self._around.texts("telegram.chat.interrupted"))

    async def note(self, update_id: int, incoming: Incoming) -> None:
        """Keep how far the answer to an update is."""
        await self._around.store.note(update_id, incoming.content)
