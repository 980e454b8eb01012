"""Words of Sori's own for chats, which the device says that answers Telegram, whichever has made them."""

import json
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime

from assistant.core.telegram.records import TelegramUpdate, UpdateState
from assistant.core.telegram.words import is_own, words_content, words_of
from assistant.storage.records.telegram import WORDS_SORT, TelegramRecords
from assistant.sync.comparing import UnfitError
from assistant.sync.values import ValueSource, removal_stays


class SharedWords(ValueSource):
    """Implements ``ValueSource``. A value is named by the bot and the words' number, and gone once they were said.

    Args:
        store: keeps the words.
    """

    sort = WORDS_SORT
    shown = False  # Nobody changes words.

    def __init__(self, store: TelegramRecords) -> None:
        self._store = store

    async def all(self) -> Mapping[str, str]:
        """The words that are not said, as JSON."""
        bot = await self._store.bot()
        if bot is None:
            return {}
        return {f"{bot.bot}{each.update_id}": _text(each) for each in await self._store.open_updates() if is_own(each)}

    async def put(self, name: str, text: str, *, before: str) -> bool:
        """Take over words, or note that they were said.

        Raises:
            UnfitError: they are another bot's, or have what this Sori does not know.
        """
        bot = await self._store.bot()
        number = name.removeprefix("" if bot is None else str(bot.bot))
        if bot is None or not (number.startswith("-") and number[1:].isdecimal()):
            raise UnfitError(name)
        if (await self.all()).get(name, "") != before:
            return False
        if text:
            await self._store.keep_words(replace(_words(text), update_id=int(number)))
        else:
            await self._store.end(int(number), UpdateState.DONE)
        return True

    def stays(self, ours: str, theirs: str, *, first: bool) -> str:
        """Words that one device has said are said."""
        return removal_stays(ours, theirs, first=first)


def _text(words: TelegramUpdate) -> str:
    told = {"chat": words.chat, "at": words.sent_at.isoformat(), "words": words_of(words)}
    return json.dumps(told, ensure_ascii=False, sort_keys=True)


def _words(text: str) -> TelegramUpdate:
    try:
        told = json.loads(text)
        at, content = datetime.fromisoformat(told["at"]), words_content(str(told["words"]))
        return TelegramUpdate(update_id=-1, chat=int(told["chat"]), content=content, sent_at=at)
    except (KeyError, TypeError, ValueError) as error:
        raise UnfitError(text) from error
