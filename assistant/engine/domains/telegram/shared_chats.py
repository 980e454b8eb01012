"""The linked chats of a bot, which all devices that answer for it have in common."""

import json
from collections.abc import Mapping
from dataclasses import asdict, replace
from datetime import datetime

from assistant.core.telegram.records import TelegramChat
from assistant.storage.records.telegram import CHATS_SORT, TelegramRecords
from assistant.sync.comparing import UnfitError
from assistant.sync.values import ValueSource, removal_stays


class SharedChats(ValueSource):
    """Implements ``ValueSource``. A value is named by the bot and the chat.

    Args:
        store: keeps the chats.
    """

    sort = CHATS_SORT
    shown = False  # What is said in a chat is in its conversation, and a chat is linked again by a code.

    def __init__(self, store: TelegramRecords) -> None:
        self._store = store

    async def all(self) -> Mapping[str, str]:
        """The chats as JSON."""
        bot = await self._store.bot()
        if bot is None:
            return {}
        return {f"{bot.bot}-{each.chat}": _text(each) for each in await self._store.chats()}

    async def put(self, name: str, text: str, *, before: str) -> bool:
        """Take over a chat.

        Raises:
            UnfitError: it is another bot's, or has what this Sori does not know.
        """
        bot, number = await self._store.bot(), name.partition("-")[2]
        try:
            chat = int(number)
        except ValueError as error:
            raise UnfitError(name) from error
        if bot is None or name != f"{bot.bot}-{chat}":
            raise UnfitError(name)
        return await self._store.take_over(chat, _chat(text), _chat(before))

    def stays(self, ours: str, theirs: str, *, first: bool) -> str:
        """A chat that was unlinked on one device stays unlinked; a device that joins takes what the account has."""
        return removal_stays(ours, theirs, first=first)


def _text(chat: TelegramChat) -> str:
    return json.dumps({**asdict(chat), "linked_at": chat.linked_at.isoformat()}, ensure_ascii=False, sort_keys=True)


def _chat(text: str) -> TelegramChat | None:
    try:
        content = json.loads(text) if text else None
        if content is None:
            return None
        chat = TelegramChat(**content)
        return replace(chat, linked_at=datetime.fromisoformat(str(chat.linked_at)))
    except (TypeError, ValueError) as error:
        raise UnfitError(text) from error
