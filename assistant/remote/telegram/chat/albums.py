"""Files that were sent together, each in an update of its own, are answered as one message."""

from collections.abc import MutableSequence
from dataclasses import replace
from typing import Final

from assistant.core.telegram.records import TelegramUpdate, UpdateState
from assistant.remote.telegram.incoming import kept
from assistant.remote.telegram.surroundings import ChatSurroundings

_ALBUM_S: Final = 0.8
"""Seconds within which the messages of an album arrive."""


class Albums:
    """The albums of one chat.

    Args:
        around: keeps the updates, and waits.
    """

    def __init__(self, around: ChatSurroundings) -> None:
        self._around = around
        self._answered: dict[str, str] = {}
        """The words of albums that were answered, whose other pieces may still come."""

    async def whole(self, update: TelegramUpdate, waiting: MutableSequence[TelegramUpdate]) -> TelegramUpdate:
        """An update that has the files of its whole album; those that wait with the others are over then.

        Raises:
            StorageError: the records cannot be written.
        """
        store, album = self._around.store, (incoming := kept(update.content)).album
        if not album:
            return update
        if update.state is not UpdateState.RECEIVED:
            # Its turn has begun with the files that had come by then.
            self._answered[album] = incoming.text
            return update
        await self._around.clock.sleep(_ALBUM_S)
        rest = [each for each in waiting if kept(each.content).album == album]
        whole = incoming.together(kept(each.content) for each in rest)
        if album in self._answered:
            late = self._around.texts("telegram.chat.rest_of_album")
            whole = replace(whole, text=whole.text or self._answered[album], notes=(late,))
        await store.note(update.update_id, whole.content)
        for each in rest:
            await store.end(each.update_id, UpdateState.DONE)
            waiting.remove(each)
        self._answered[album] = whole.text
        return replace(update, content=whole.content)
