"""Edited messages: one that waits is answered as it reads now, and the newest one is answered anew."""

import json
from collections.abc import MutableSequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final

from assistant.core.telegram.records import TelegramUpdate, UpdateState
from assistant.core.telegram.store import TelegramStore
from assistant.remote.telegram.chat.asking import Asking
from assistant.remote.telegram.incoming import Incoming, IncomingFile, kept

_MOST_KNOWN: Final = 50
"""Newest messages of a chat of which is known which turn has answered them."""


class Edited(StrEnum):
    """What an edit is for."""

    NOTHING = "nothing"
    """The message reads as before: Telegram tells of previews and the like as well."""
    NEWEST = "newest"
    """It is the newest message, which is answered anew."""
    LATE = "late"
    """Others were answered after it."""
    UNKNOWN = "unknown"
    """Nothing is known of the message any more, or it was never answered."""


@dataclass(frozen=True, slots=True)
class _Answered:
    """A message that was answered; of one from before a restart only its turn is known.

    Attributes:
        turn: the turn.
        form: its text and files; ``None`` if they are in the conversation only.
    """

    turn: str
    form: tuple[str, tuple[IncomingFile, ...]] | None = None


class Edits:
    """What was answered of one chat.

    Args:
        store: keeps the updates, and which turns have answered them.
        asking: reads what is stored of a turn.
        chat: Telegram's id of the chat.
    """

    def __init__(self, store: TelegramStore, asking: Asking, chat: int) -> None:
        self._store, self._asking, self._chat = store, asking, chat
        self._known: dict[int, _Answered] = {}
        self._recalled = False

    def answers(self, incoming: Incoming, turn: str) -> None:
        """A message is answered by a turn."""
        if incoming.message:
            self._known.pop(incoming.message, None)
            self._known[incoming.message] = _Answered(turn, (incoming.text, incoming.files))
            for old in [*self._known][:-_MOST_KNOWN]:
                del self._known[old]

    def changes(self, incoming: Incoming) -> bool:
        """Whether an edit reads otherwise than the message that is answered since the door was opened."""
        known = self._known.get(incoming.message)
        return known is not None and known.form not in (None, (incoming.text, incoming.files))

    async def of(self, incoming: Incoming) -> tuple[Edited, str]:
        """What an edit is for, and the turn that has answered its message; empty for none.

        Raises:
            StorageError: the records cannot be read.
            RefusedError: the conversation cannot be read.
        """
        await self._recall()
        known = self._known.get(incoming.message)
        if known is None or not known.turn:
            return Edited.UNKNOWN, ""
        if known.form is not None:
            alike = not self.changes(incoming)
        elif (stored := await self._asking.reads_alike(incoming, known.turn)) is None:
            return Edited.UNKNOWN, ""
        else:
            alike = stored
        newest = next(reversed(self._known)) == incoming.message
        return Edited.NOTHING if alike else Edited.NEWEST if newest else Edited.LATE, known.turn

    async def end(self, update: TelegramUpdate, incoming: Incoming) -> None:
        """Note that an update is over, and that its turn has answered its message.

        Raises:
            StorageError: the records cannot be written.
        """
        left = json.dumps({"message": incoming.message}) if incoming.message else ""
        await self._store.end(update.update_id, UpdateState.DONE, left)

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

    async def _recall(self) -> None:
        """Learn once which turns have answered the messages from before the door was opened."""
        if self._recalled:
            return
        before: dict[int, _Answered] = {}
        for each in await self._store.answered(self._chat, _MOST_KNOWN):
            before.pop(message := kept(each.content).message, None)
            before[message] = _Answered(each.turn)
        self._known = {number: each for number, each in before.items() if number not in self._known} | self._known
        self._recalled = True
