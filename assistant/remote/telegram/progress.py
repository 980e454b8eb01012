"""Shows how far an answer is by editing one message, within the limits of Telegram (G-03)."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import Final

from telegram.error import RetryAfter, TelegramError

from assistant.core.clock import Clock
from assistant.core.errors import StorageError
from assistant.remote.telegram.bot import pause_s
from assistant.remote.telegram.delivery import WAITING, ChatOutbox
from assistant.remote.telegram.form.rich_text import RichText

log = logging.getLogger(__name__)

_PACE_S: Final = 1.5
"""Seconds between edits; Telegram allows about one message a second in a chat."""


class Progress:
    """Edits a message until it is stopped.

    Args:
        outbox: of the chat.
        message: the message.
        snippet: what is to be shown now.
        wanted: whether the chat may still be shown it; asked before each edit.
        clock: paces the edits.
    """

    def __init__(
        self,
        outbox: ChatOutbox,
        message: int,
        snippet: Callable[[], RichText],
        wanted: Callable[[], Awaitable[bool]],
        clock: Clock,
    ) -> None:
        self._outbox, self._message, self._snippet, self._clock = outbox, message, snippet, clock
        self._wanted = wanted
        self._changed = asyncio.Event()
        self._editing = asyncio.Lock()
        self._over = False

    def tell(self) -> None:
        """There is more to show."""
        self._changed.set()

    async def stop(self) -> None:
        """Edit no more, and wait for the edit under way: Telegram could carry it out after the one with the answer."""
        self._over = True
        async with self._editing:
            pass

    async def run(self) -> None:
        """Show what is new. An edit that fails is left out: the next one shows more."""
        shown = RichText(WAITING)
        while True:
            await self._changed.wait()
            self._changed.clear()
            pause = _PACE_S
            snippet = self._snippet()
            if self._over:
                return
            if snippet.text.strip() and snippet != shown:
                try:
                    async with self._editing:
                        if not await self._wanted():
                            return
                        await self._outbox.edit_once(self._message, snippet)
                    shown = snippet
                except RetryAfter as error:
                    pause = max(pause_s(error, 1), _PACE_S)
                except (TelegramError, StorageError) as error:
                    log.debug("an edit of the progress failed: %s", error)
            await self._clock.sleep(pause)
