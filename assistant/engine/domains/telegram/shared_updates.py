"""The updates that are received and not answered, which the next device that answers takes over."""

import json
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from assistant.core.telegram.carried import Carried, together
from assistant.core.telegram.records import TelegramUpdate
from assistant.storage.records.telegram import UPDATES_SORT, TelegramRecords
from assistant.sync.comparing import UnfitError
from assistant.sync.values import ValueSource


class SharedUpdates(ValueSource):
    """Implements ``ValueSource``. The value is named by the bot.

    Args:
        store: keeps the updates.
    """

    sort = UPDATES_SORT
    shown = False  # Both forms always come together.

    def __init__(self, store: TelegramRecords) -> None:
        self._store = store

    async def all(self) -> Mapping[str, str]:
        """The open updates as JSON."""
        bot, carried = await self._store.bot(), await self._store.carried()
        return {} if bot is None or carried is None else {str(bot.bot): _text(carried)}

    async def put(self, name: str, text: str, *, before: str) -> bool:
        """Take over the updates.

        Raises:
            UnfitError: they are another bot's, or have what this Sori does not know.
        """
        bot = await self._store.bot()
        if bot is None or name != str(bot.bot):
            raise UnfitError(name)
        return await self._store.take_over_updates(_carried(text), _carried(before))

    def merged(self, base: str | None, ours: str, theirs: str) -> str:  # noqa: ARG002 - the forms tell enough
        """What is answered on one device is over; what has come to one of them only is open.

        Raises:
            UnfitError: one form has what this Sori does not know.
        """
        here, there = _carried(ours), _carried(theirs)
        return ours or theirs if here is None or there is None else _text(together(here, there))

    def stays(self, ours: str, theirs: str, *, first: bool) -> str:  # noqa: ARG002 - nothing is contested
        """See ``merged``."""
        return self.merged(None, ours, theirs)


def _text(carried: Carried) -> str:
    opened = [
        {"id": each.update_id, "chat": each.chat, "at": each.sent_at.isoformat(), "content": each.content}
        for each in carried.open
    ]
    told = {"newest": carried.newest, "at": carried.newest_at.isoformat(), "open": opened}
    return json.dumps(told, ensure_ascii=False, sort_keys=True)


def _carried(text: str) -> Carried | None:
    if not text:
        return None
    try:
        told = json.loads(text)
        updates = map(_update, told["open"])
        return Carried.of(int(told["newest"]), datetime.fromisoformat(told["at"]), updates)
    except (KeyError, TypeError, ValueError) as error:
        raise UnfitError(text) from error


def _update(told: Mapping[str, Any]) -> TelegramUpdate:
    return TelegramUpdate(
        update_id=int(told["id"]),
        chat=int(told["chat"]),
        content=str(told["content"]),
        sent_at=datetime.fromisoformat(told["at"]),
    )
