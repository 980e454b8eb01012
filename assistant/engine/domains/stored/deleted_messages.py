"""The domain of deleted messages: deletes them, puts them back, and has them overwritten on the disk."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final

from assistant.core import updates as up
from assistant.core.clock import Clock
from assistant.core.errors import ErrorCode, SoriError
from assistant.core.service.requests import conversations as rq
from assistant.engine.rooms.storage import StorageRoom
from assistant.engine.serving.table import SESSION, Domain, serves
from assistant.storage.versions.deleting import Deletion
from assistant.tasks import TaskSupervisor

UNDO_S: Final = 8.0
"""Seconds in which a deletion can be undone: long enough to read the offer and act."""


class DeletedMessages(Domain):
    """Owns the requests that delete and restore messages.

    Args:
        storage: has the messages.
        clock: tells when a deletion is final.
        stop: stops the turns of a conversation.
        show: shows a conversation anew, at the message with this id.
        publish: takes events.
        jobs: runs the engine's background work.
    """

    def __init__(
        self,
        storage: StorageRoom,
        clock: Clock,
        *,
        stop: Callable[[str], Awaitable[None]],
        show: Callable[[str, str], Awaitable[None]],
        publish: up.Publish,
        jobs: TaskSupervisor,
    ) -> None:
        self._storage, self._clock = storage, clock
        self._stop, self._show, self._publish, self._jobs = stop, show, publish, jobs
        self._deletions: dict[str, Deletion] = {}

    @serves(lane=SESSION)
    async def _delete_message(self, request: rq.DeleteMessage) -> None:
        await self._stop(request.conversation)
        deletion = await self._storage.conversation_list.delete_messages(
            request.conversation, request.message, after=request.after
        )
        if deletion is None:
            raise SoriError(ErrorCode.INVALID_REQUEST, "no such message is shown", message_key="unknown_message")
        self._deletions[deletion.id] = deletion
        # What a model has read of the conversation holds the messages too; it is read again without them.
        await asyncio.to_thread(self._storage.states.drop, deletion.conversation)
        near = deletion.before or next((each for each, _ in deletion.closed), "")
        await self._show(deletion.conversation, near)
        self._publish(
            up.MessagesDeleted(
                conversation=deletion.conversation, deletion=deletion.id, count=deletion.count, undo_s=UNDO_S
            )
        )
        self._publish(up.ConversationsChanged())
        self._jobs.start(self._purge_later(deletion), name="purge messages")

    @serves(lane=SESSION)
    async def _restore_messages(self, request: rq.RestoreMessages) -> None:
        deletion = self._deletions.pop(request.deletion, None)
        if deletion is None:
            raise _unknown_deletion()
        await self._stop(deletion.conversation)
        if not await self._storage.conversation_list.restore_messages(deletion):
            raise _unknown_deletion()
        await self._show(deletion.conversation, deletion.messages[0])
        self._publish(up.ConversationsChanged())

    async def _purge_later(self, deletion: Deletion) -> None:
        # A second longer than offered, so that a click in the last moment still counts.
        await self._clock.sleep(UNDO_S + 1.0)
        if self._deletions.pop(deletion.id, None) is not None:
            await self._storage.conversation_list.purge(deletion.id)


def _unknown_deletion() -> SoriError:
    return SoriError(ErrorCode.INVALID_REQUEST, "nothing to restore", message_key="deletion_over")
