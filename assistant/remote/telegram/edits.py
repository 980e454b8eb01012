"""Edited messages: one that waits is answered as it reads now, and the newest one is answered anew."""

from collections.abc import MutableSequence
from dataclasses import dataclass, replace
from typing import Final

from assistant.core.telegram.records import TelegramUpdate, UpdateState
from assistant.core.telegram.store import TelegramStore
from assistant.remote.telegram.incoming import Incoming, IncomingFile, kept

_MOST_KNOWN: Final = 50
"""Newest messages of a chat of which is known how they read."""


@dataclass(frozen=True, slots=True)
class _Answered:
    text: str
    files: tuple[IncomingFile, ...]
    turn: str


class Edits:
    """What was answered of one chat. After a restart it is not known any more, and edits change nothing.

    Args:
        store: keeps the updates.
    """

    def __init__(self, store: TelegramStore) -> None:
        self._store = store
        self._known: dict[int, _Answered] = {}

    def answers(self, incoming: Incoming, turn: str) -> None:
        """A message is answered by a turn."""
        if incoming.message:
            self._known.pop(incoming.message, None)
            self._known[incoming.message] = _Answered(incoming.text, incoming.files, turn)
            for old in [*self._known][:-_MOST_KNOWN]:
                del self._known[old]

    def changes(self, incoming: Incoming) -> bool:
        """Whether an edit reads otherwise than what was answered: Telegram tells of previews and the like as well."""
        known = self._known.get(incoming.message)
        return known is not None and (known.text, known.files) != (incoming.text, incoming.files)

    def version_of(self, incoming: Incoming) -> str | None:
        """The turn whose message an edit replaces; ``None`` if the message is not the newest one."""
        newest = next(reversed(self._known), 0)
        return self._known[newest].turn if newest == incoming.message else None

    async def whole(self, update: TelegramUpdate, waiting: MutableSequence[TelegramUpdate]) -> TelegramUpdate:
        """An update as its message reads after the edits that wait, which are over then.

        Raises:
            StorageError: the records cannot be written.
        """
        incoming = kept(update.content)
        later = [each for each in waiting if kept(each.content).edits(incoming)]
        if not later or update.state is not UpdateState.RECEIVED:
            return update
        newest = kept(later[-1].content)
        content = replace(incoming, text=newest.text, files=newest.files).content
        await self._store.note(update.update_id, content)
        for each in later:
            await self._store.end(each.update_id, UpdateState.DONE)
            waiting.remove(each)
        return replace(update, content=content)
