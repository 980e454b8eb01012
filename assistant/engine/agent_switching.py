"""Begins a new conversation after a switch to another agent, as soon as the running answer is over."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass

from assistant.core import updates as up
from assistant.core.machine.states import InteractionState
from assistant.core.records.agents import AgentId

_FREE = frozenset({InteractionState.IDLE, InteractionState.LISTENING})


@dataclass(frozen=True, slots=True)
class AgentCalled:
    """The user has called an agent by its name.

    Attributes:
        agent: the agent.
        answers: set when the conversation with it is open, or to the error.
    """

    agent: AgentId
    answers: asyncio.Future[None]

    def end(self, error: Exception | None = None) -> None:
        """The conversation is open, or cannot be opened because of ``error``."""
        if self.answers.done():
            return  # the microphone was lost meanwhile
        if error is None:
            self.answers.set_result(None)
        else:
            self.answers.set_exception(error)


class AgentSwitching:
    """Waits for the end of an answer, which may have asked for the switch.

    Args:
        publish: takes the updates after this class has read them.
    """

    def __init__(self, publish: Callable[[up.Update], None]) -> None:
        self._publish = publish
        self._begin: Callable[[], None] = lambda: None
        self._free = True
        self._due = False

    def begin_with(self, begin: Callable[[], None]) -> None:
        """Set the function that begins a new conversation."""
        self._begin = begin

    def switched(self, _: AgentId) -> None:
        """Begin a new conversation, now or when the answer is over."""
        self._due = True
        self._go_on()

    def publish(self, update: up.Update) -> None:
        """Pass an update on, and note what Sori is doing."""
        self._publish(update)
        if isinstance(update, up.StateChanged):
            # While a turn waits for the answer to its question, its answer is not over.
            self._free = update.snapshot.interaction in _FREE and not update.snapshot.question
            self._go_on()

    def _go_on(self) -> None:
        if self._due and self._free:
            self._due = False
            self._begin()
