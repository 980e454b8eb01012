"""The buttons under answers of a chat. What one sends tells which turn has offered it, also after a restart."""

from collections.abc import Sequence
from contextlib import suppress
from typing import Final

from telegram.error import TelegramError

from assistant.core.service.requests.conversations import LoadMessages
from assistant.remote.telegram.incoming import Incoming
from assistant.remote.telegram.surroundings import ChatSurroundings

LONGEST_DATA: Final = 64
"""Bytes of what a button sends."""
_TAG: Final = 8
"""Last letters of a turn's id, which are random."""
_WHOLE, _PLACE = ":", "#"

Labelled = Sequence[tuple[str, str]]
"""Labels, and what each says or sends."""


class Buttons:
    """The buttons of one chat: a press counts as long as its turn is the newest one of the chat's conversation.

    Args:
        around: keeps the chats, and sends.
        chat: Telegram's id of the chat.
    """

    def __init__(self, around: ChatSurroundings, chat: int) -> None:
        self._around, self._chat = around, chat
        self._message = 0
        self._labelled: Labelled = ()
        """The newest message with buttons, and what they say."""

    def sent(self, message: int, labelled: Labelled) -> None:
        """The newest message with buttons was sent."""
        self._message, self._labelled = message if labelled else 0, labelled

    async def said(self, incoming: Incoming) -> str:
        """What the user says with a press, which is answered; empty for a button that is out of date.

        Raises:
            StorageError: the records cannot be read.
            RefusedError: the conversation cannot be read.
        """
        said = self._text(incoming) if await self._is_newest(incoming.text[:_TAG]) else ""
        await self._answer(incoming, "" if said else self._around.texts("telegram.chat.button_over"))
        return said

    async def refuse(self, incoming: Incoming) -> None:
        """Answer a press that says nothing, because the user has stopped it."""
        await self._answer(incoming, self._around.texts("telegram.chat.button_over"))

    async def _answer(self, incoming: Incoming, words: str) -> None:
        with suppress(TelegramError):  # Telegram forgets a press soon.
            await self._around.bot.answer_callback_query(incoming.query, words or None)
        await self._take_away(incoming.under)

    async def take_away(self) -> None:
        """Let the newest message have no buttons any more, because something else is said."""
        if self._message:
            await self._take_away(self._message)

    def _text(self, incoming: Incoming) -> str:
        mark, said = incoming.text[_TAG : _TAG + 1], incoming.text[_TAG + 1 :]
        if mark == _WHOLE:
            return said
        known = incoming.under == self._message and mark == _PLACE and said.isdecimal()
        return next((text for at, (_, text) in enumerate(self._labelled) if known and at == int(said)), "")

    async def _is_newest(self, tag: str) -> bool:
        chat = await self._around.store.chat(self._chat)
        if chat is None or not chat.conversation or len(tag) < _TAG:
            return False
        page = await self._around.turns.own(LoadMessages(conversation=chat.conversation))
        return bool(page.messages) and page.messages[-1].turn.endswith(tag)

    async def _take_away(self, message: int) -> None:
        if message == self._message:
            self._message, self._labelled = 0, ()
        with suppress(TelegramError):
            await self._around.bot.edit_message_reply_markup(self._chat, message)


def sending(labelled: Labelled, turn: str) -> Labelled:
    """The buttons with what they send in place of what they say: whole, or its place if Telegram takes no more."""
    return tuple((label, _data(at, text, turn)) for at, (label, text) in enumerate(labelled) if label and text)


def _data(at: int, text: str, turn: str) -> str:
    whole = f"{turn[-_TAG:]}{_WHOLE}{text}"
    return whole if len(whole.encode()) <= LONGEST_DATA else f"{turn[-_TAG:]}{_PLACE}{at}"
