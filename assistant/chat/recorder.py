"""Saves the messages of a turn while they grow, so that a crash loses next to nothing."""

import logging
from collections.abc import Iterable
from dataclasses import replace

from assistant.agent.state_container import AnswerState, StateContainer, ToolResultState
from assistant.core.clock import Clock
from assistant.core.errors import StorageError
from assistant.core.machine.effects import Origin
from assistant.core.machine.states import TurnId
from assistant.core.messages import TOOL_FAILED, Completion, Message, Role
from assistant.core.records.provenance import OWN_WORDS, Provenance
from assistant.storage.conversations import ConversationStore
from assistant.storage.identities import new_id
from assistant.storage.stored_message import StoredMessage

log = logging.getLogger(__name__)


class TurnRecorder:
    """Keeps the stored messages of one turn equal to its state container.

    Args:
        store: keeps the messages.
        clock: dates the messages.
        conversation: the id of their conversation.
        turn: the id of the turn.
        origin: the origin of the turn.
        container: holds what the turn has produced so far.
    """

    def __init__(
        self,
        store: ConversationStore,
        clock: Clock,
        *,
        conversation: str,
        turn: TurnId,
        origin: Origin,
        container: StateContainer,
    ) -> None:
        self._store = store
        self._clock = clock
        self._conversation, self._turn = conversation, turn
        self._origin = origin
        self._container = container
        self._identities: list[tuple[str, str]] = []
        self._saved: dict[str, StoredMessage] = {}

    @property
    def ids(self) -> frozenset[str]:
        """Ids of the messages that were or are being stored."""
        return frozenset(identity for identity, _ in self._identities)

    async def flush(self) -> None:
        """Save what has changed. A failure is only logged, because the turn goes on and ends with ``finish``."""
        try:
            changed = self._changed(self._rows(Completion.STREAMING, ""))
            await self._store.save(changed, durable=False, grown=self._grown() if changed else None)
            self._saved.update({row.id: row for row in changed})
        except StorageError as error:
            log.warning("the growing answer could not be saved: %s", error)

    async def finish(
        self, completion: Completion, error: str, outcome: str, *, error_text: str = ""
    ) -> tuple[Message, ...]:
        """Save the final state, and what the models used.

        Args:
            completion: how the turn's last reply ended.
            error: code of the error that ended the turn; empty for none.
            error_text: that error as the user is told it.
            outcome: how the exchange with the last model ended (``ExchangeMeter.finish``).

        Returns:
            The messages of the turn without the user's.

        Raises:
            StorageError: the messages could not be saved.
        """
        entries = self._container.entries
        last = entries[-1] if entries else None
        if error and not (isinstance(last, AnswerState) and last.begun):
            # After a restart the conversation still shows that this message got no answer, and from which model.
            self._container.begin_answer()
        rows, meter = self._rows(completion, error, error_text), self._container.meter
        used = meter.closed(outcome)
        try:
            await self._store.save(self._changed(rows), exchanges=used, grown=self._grown())
        except StorageError:
            # What was used can be stored where the messages cannot, such as in a conversation that was just purged.
            await meter.keep(used)
            raise
        return tuple(row.to_message() for row in rows)

    def _grown(self) -> tuple[str, Provenance] | None:
        provenance = self._container.provenance
        return None if provenance == OWN_WORDS else (self._conversation, provenance)

    def _changed(self, rows: Iterable[StoredMessage]) -> list[StoredMessage]:
        return [row for row in rows if self._saved.get(row.id) != row]

    def _rows(self, completion: Completion, error: str, error_text: str = "") -> list[StoredMessage]:
        entries = self._container.entries
        for entry in entries[len(self._identities) :]:
            given = entry.message if isinstance(entry, ToolResultState) else ""
            self._identities.append((given or new_id(), self._clock.now().isoformat()))
        rows = []
        for index, entry in enumerate(entries):
            last = index == len(entries) - 1
            if isinstance(entry, ToolResultState):
                rows.append(self._result_row(index, entry))
            elif entry.text or entry.tool_uses or entry.reasoning or (last and error) or self._is_saved(index):
                row = self._answer_row(index, entry, completion, error, last=last)
                rows.append(replace(row, error_text=error_text) if last else row)
        return rows

    def _is_saved(self, index: int) -> bool:
        """Whether the entry is stored already. Then text that it has lost must be removed there too."""
        return self._identities[index][0] in self._saved

    def _answer_row(
        self, index: int, entry: AnswerState, completion: Completion, error: str, *, last: bool
    ) -> StoredMessage:
        identity, created_at = self._identities[index]
        over = last and completion is not Completion.STREAMING
        if not last:
            completion, error = Completion.INCOMPLETE if entry.failed else Completion.COMPLETE, entry.failed
        return StoredMessage(
            id=identity,
            conversation=self._conversation,
            origin=self._origin,
            role=Role.ASSISTANT,
            text=entry.text,
            reasoning=entry.reasoning,
            completion=completion,
            error=error,
            provider=entry.provider,
            model=entry.model,
            tool_uses=entry.tool_uses,
            usage=self._container.meter.usage if over else {},
            signatures=entry.signatures,
            superseded=bool(entry.failed) and self._answered_after(index),
            citations=entry.citations,
            turn=self._turn,
            created_at=created_at,
        )

    def _answered_after(self, index: int) -> bool:
        """Whether the reply ``index``, which broke off, was followed by one with text."""
        return any(isinstance(entry, AnswerState) and entry.text for entry in self._container.entries[index + 1 :])

    def _result_row(self, index: int, entry: ToolResultState) -> StoredMessage:
        identity, created_at = self._identities[index]
        return StoredMessage(
            id=identity,
            conversation=self._conversation,
            origin=self._origin,
            role=Role.TOOL,
            text=entry.text,
            tool_use_id=entry.tool_use_id,
            error=TOOL_FAILED if entry.is_error else "",
            attachments=tuple(each.attachment for each in entry.files),
            citations=entry.citations,
            turn=self._turn,
            created_at=created_at,
        )
