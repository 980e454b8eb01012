"""Sends an answer so that a crash at any moment shows nothing twice (G-04).

Each part is first a message of an ellipsis, whose number is kept, and is then edited into the text: an edit can be
repeated. What a crash can leave is an ellipsis that stays.
"""

import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from typing import Final

from telegram import Bot, InlineKeyboardButton, InlineKeyboardMarkup, LinkPreviewOptions, Message, MessageEntity
from telegram.error import BadRequest, Forbidden

from assistant.remote.telegram.form.rich_text import RichText, Span, units
from assistant.remote.telegram.incoming import Incoming
from assistant.remote.telegram.linked_calls import LinkedCalls

log = logging.getLogger(__name__)

WAITING: Final = "…"
_NO_PREVIEW: Final = LinkPreviewOptions(is_disabled=True)
"""Telegram's servers would fetch the first address of a text without a click, whoever made the model write it."""

Note = Callable[[Incoming], Awaitable[None]]
Buttons = Sequence[tuple[str, str]]


class ChatOutbox:
    """Sends and edits messages of one chat.

    Args:
        bot: the client.
        chat: Telegram's id of the chat.
        calls: makes what only a linked chat gets.
    """

    def __init__(self, bot: Bot, chat: int, calls: LinkedCalls) -> None:
        self._bot, self._chat, self._calls = bot, chat, calls

    async def begin(self, incoming: Incoming, note: Note) -> Incoming:
        """Send one more message of an ellipsis, and keep its number."""
        try:
            sent = await self._waiting(incoming.thread)
        except BadRequest as error:
            if not incoming.thread or "thread" not in error.message.casefold():
                raise
            log.info("a topic of a chat is gone")
            incoming = replace(incoming, thread=0)
            sent = await self._waiting(0)
        incoming = replace(incoming, shown=(*incoming.shown, sent.message_id))
        await note(incoming)
        return incoming

    async def _waiting(self, thread: int) -> Message:
        return await self._calls.make(
            lambda: self._bot.send_message(self._chat, WAITING, message_thread_id=thread or None)
        )

    async def deliver(self, incoming: Incoming, parts: Sequence[RichText], buttons: Buttons, note: Note) -> Incoming:
        """Send the parts of an answer, the last one with buttons; what was sent before stays."""
        for at, part in enumerate(parts):
            if at >= len(incoming.shown):
                incoming = await self.begin(incoming, note)
            shown = buttons if at == len(parts) - 1 else ()
            if not await self.edit(incoming.shown[at], part, shown):
                # The user has deleted it.
                incoming = replace(incoming, shown=incoming.shown[:at])
                incoming = await self.begin(incoming, note)
                await self.edit(incoming.shown[at], part, shown)
        return incoming

    async def edit(self, message: int, text: RichText, buttons: Buttons = ()) -> bool:
        """Change a message; one whose markup Telegram refuses becomes plain text. Returns whether it is there."""
        try:
            await self._edit(message, text, buttons)
        except BadRequest as error:
            reason = error.message.casefold()
            if "not modified" in reason:
                return True
            if "not found" in reason or "can't be edited" in reason:
                return False
            log.warning("Telegram refuses the markup of a text: %s", error.message)
            await self._edit(message, replace(text, spans=()), buttons)
        return True

    async def edit_once(self, message: int, text: RichText) -> None:
        """Change a message; raises what Telegram answers, without trying again."""
        await self._bot.edit_message_text(
            text.text, self._chat, message, entities=entities(text), link_preview_options=_NO_PREVIEW
        )

    async def say(self, text: RichText, thread: int = 0) -> None:
        """Send a message of its own to a topic, which a crash may lose."""
        await self._calls.make(lambda: self.say_once(text, thread))

    async def say_once(self, text: RichText, thread: int = 0) -> None:
        """Send a message also to a chat that is not linked; raises what Telegram answers, without trying again."""
        await self._bot.send_message(
            self._chat,
            text.text,
            entities=entities(text),
            link_preview_options=_NO_PREVIEW,
            message_thread_id=thread or None,
        )

    async def _edit(self, message: int, text: RichText, buttons: Buttons) -> None:
        keyboard = _keyboard(buttons)
        try:
            await self._calls.make(
                lambda: self._bot.edit_message_text(
                    text.text,
                    self._chat,
                    message,
                    entities=entities(text),
                    link_preview_options=_NO_PREVIEW,
                    reply_markup=keyboard,
                )
            )
        except Forbidden:
            log.info("a chat has blocked the bot")


def entities(text: RichText) -> list[MessageEntity]:
    """The spans as Telegram counts them."""
    return [_entity(text.text, each) for each in text.spans]


def _entity(text: str, span: Span) -> MessageEntity:
    offset, length = units(text[: span.start]), units(text[span.start : span.end])
    url = span.value if span.kind == MessageEntity.TEXT_LINK else None
    language = span.value or None if span.kind == MessageEntity.PRE else None
    return MessageEntity(span.kind, offset, length, url=url, language=language)


def _keyboard(buttons: Buttons) -> InlineKeyboardMarkup | None:
    rows = [[InlineKeyboardButton(label, callback_data=data)] for label, data in buttons]
    return InlineKeyboardMarkup(rows) if rows else None
