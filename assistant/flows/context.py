"""The execution context: the only thing that an agent reads (F-01)."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Generic

from assistant.core.settings import Language
from assistant.flows.memory import FlowMemory
from assistant.flows.state import StateT
from assistant.llm.backend import ModelMessage


@dataclass(frozen=True, slots=True)
class FlowPrompt:
    """What an agent sends to its model, after its own system prompt.

    Attributes:
        block: the agent's facts and the summary of the session; the end of the system prompt.
        messages: the newest turns, and the user's message as the last one.
    """

    block: str
    messages: tuple[ModelMessage, ...]


def build_messages(context_block: str, memory: FlowMemory, user_message: str) -> FlowPrompt:
    """Put a prompt together in the one order that all agents have: facts, summary, newest turns, the user's message."""
    recent = tuple(ModelMessage(role=each["role"], text=each["content"]) for each in memory.raw_history)
    block = "\n\n".join(filter(None, [context_block.strip(), memory.summary_text.strip()]))
    return FlowPrompt(block, (*recent, ModelMessage(role="user", text=user_message)))


@dataclass(slots=True, kw_only=True)
class ExecutionContext(Generic[StateT]):
    """One turn of a service.

    Attributes:
        session: id of the session.
        service: name of the service.
        user_message: the user's message.
        state: the state; a handler replaces it, an agent has a copy.
        memory: what the service remembers of the session.
        language: the language of the user's texts.
        now: the time of the message, with time zone.
        metadata: what the caller knows of the message: ``decision``, ``resumed``, ``remote``, ``elsewhere`` (it
            would begin a flow of another service) and others. Agents do not tell each other anything by it.
        confirmable: digest of what this message may confirm: a proposal with which an earlier message was answered
            since Sori began; empty if it may confirm nothing. Then a yes is answered with the whole question again.
        saved: whether state and memory were saved since the last change by this turn.
    """

    session: str
    service: str
    user_message: str
    state: StateT
    memory: FlowMemory
    language: Language
    now: datetime
    metadata: dict[str, Any] = field(default_factory=dict)
    confirmable: str = ""
    saved: bool = False

    def build_messages(self, context_block: str = "") -> FlowPrompt:
        """The prompt of an agent. The user's message is always its last one, so no agent adds it."""
        return build_messages(context_block, self.memory, self.user_message)

    def for_agent(self) -> "ExecutionContext[StateT]":
        """A copy for an agent, which changes nothing by it."""
        return replace(
            self,
            state=self.state.model_copy(deep=True),
            memory=self.memory.model_copy(deep=True),
            metadata=dict(self.metadata),
        )


def as_prompt(system: str, prompt: FlowPrompt) -> tuple[str, Sequence[ModelMessage]]:
    """The system prompt and the messages of a request."""
    return "\n\n".join(filter(None, [system.strip(), prompt.block])), prompt.messages
