"""Makes room in memories that have become too large (M-04)."""

import logging
from collections.abc import Callable
from functools import partial
from pathlib import Path

from assistant.agent.model_choice import ModelChoice, choose_model, remembered
from assistant.agent.summaries.memory_shortening import MemoryShortening, MemoryStep
from assistant.agent.summaries.summarizer import Summarizer
from assistant.core.errors import SoriError, StorageError
from assistant.memory.memory_file import MemoryFile
from assistant.storage.conversations import ConversationStore

_RECENT = 20
"""Number of stored messages in which the newest answer of a model is looked for."""

log = logging.getLogger(__name__)


class MemoryRoom:
    """After a turn, summarises memories that a fact has made too large.

    Where no model can, the oldest facts move to the archive. A turn that begins stops it, and it goes on after that.

    Args:
        store: has the messages.
        summarizer: asks the light model.
        on_room: told how room was made, and the number of facts that moved to the archive: all, for a summary.
        on_failure: told of a memory that cannot be changed.
    """

    def __init__(
        self,
        store: ConversationStore,
        summarizer: Summarizer,
        on_room: Callable[[str, int], None],
        on_failure: Callable[[StorageError], None],
    ) -> None:
        self._store = store
        self._summarizer = summarizer
        self._on_room = on_room
        self._on_failure = on_failure
        self._full: dict[Path, MemoryFile] = {}
        self._refused: set[tuple[str, str]] = set()

    def watch(self, file: MemoryFile) -> None:
        """Make room in this memory whenever it is too large."""
        file.full.add(partial(self._want, file))

    def _want(self, file: MemoryFile) -> None:
        self._full[file.path] = file

    async def make(self, conversation: str) -> None:
        """Make room in the memories that need it.

        Args:
            conversation: the conversation that the requests are counted for.
        """
        for path, file in tuple(self._full.items()):
            try:
                await self._make(file, conversation)
            except StorageError as error:
                log.warning("no room is made in a memory: %s", error)
                self._on_failure(error)
            self._full.pop(path, None)

    async def _make(self, file: MemoryFile, conversation: str) -> None:
        before = await file.facts()
        choice = await self._choice(conversation)
        if choice is not None:
            # As after an answer that is read aloud: with the time limit of a summary for which nobody waits.
            shortening = MemoryShortening(self._summarizer, conversation, lambda _: [file], self._refused, aloud=True)
            await shortening.shorten(choice, MemoryStep.PERSONAL, 0)
            await shortening.afterwards()
        if await file.facts() != before:
            self._on_room("shortened", len(before))
        if archived := await file.archive_oldest():
            self._on_room("archived", len(archived))

    async def _choice(self, conversation: str) -> ModelChoice | None:
        """The model that answered last; ``None`` where none has."""
        messages = await self._store.messages(conversation, _RECENT)
        answer = next((each for each in reversed(messages) if each.provider), None)
        settings = self._summarizer.settings
        try:
            reference = "" if answer is None else remembered(settings, f"{answer.provider}/{answer.model}")
            return choose_model(settings, reference)
        except SoriError:
            return None
