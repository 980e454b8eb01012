"""An agent that was called by its name."""

import asyncio
from dataclasses import dataclass

from assistant.core.records.agents import AgentId


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
