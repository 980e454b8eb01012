"""Begins a new conversation after a switch to another agent."""

import logging
from collections.abc import Awaitable, Callable

from assistant.chat.turn_request import TurnRequest
from assistant.core.errors import SoriError
from assistant.core.machine.effects import Origin
from assistant.core.records.agents import AgentId
from assistant.tasks import TaskSupervisor

log = logging.getLogger(__name__)


class SwitchedConversation:
    """Opens the new conversation before the user can type on, so that the next message reaches the new agent.

    Where the answer that has switched is read aloud, the conversation begins after its last word.

    Args:
        begin: begins a new conversation, in order with the requests for the session.
        when_silent: does something as soon as nothing is read aloud.
        jobs: runs what nobody waits for.
    """

    def __init__(
        self,
        begin: Callable[[], Awaitable[object]],
        when_silent: Callable[[Callable[[], object]], None],
        jobs: TaskSupervisor,
    ) -> None:
        self._begin, self._when_silent, self._jobs = begin, when_silent, jobs
        self._due = False

    def switched(self, _: AgentId) -> None:
        """A turn has switched to another agent."""
        self._due = True

    async def end_turn(self, turn: TurnRequest) -> None:
        """Begin the conversation if it is due: the answer of the turn is complete."""
        due, self._due = self._due, False
        if due and (turn.aloud or turn.origin is Origin.VOICE):
            self._when_silent(lambda: self._jobs.start(self._begun(), name="begin a conversation"))
        elif due:
            await self._begun()

    async def _begun(self) -> None:
        try:
            await self._begin()
        except SoriError as error:
            log.warning("no conversation can be begun after a switch: %s", error)
