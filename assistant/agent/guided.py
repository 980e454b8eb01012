"""What the chat knows of guided flows: who takes a message that is for one (F-07)."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Protocol

from assistant.agent.emitter import Emitter
from assistant.agent.profile import AgentProfile
from assistant.agent.questions import OpenQuestions
from assistant.agent.state_container import StateContainer
from assistant.core.machine.effects import Origin
from assistant.core.machine.states import TurnId
from assistant.core.records.flows import FlowsBefore


async def nobody_begins(service: str) -> None:
    """Nobody at this computer is told."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GuidedTurn:
    """A message that may be for a guided flow.

    Attributes:
        conversation: its conversation.
        turn: its turn.
        text: the message.
        origin: where it came from.
        profile: the agent of the conversation, for whoever asks.
        model: reference of the model that was chosen for the conversation or the turn; empty for none.
        can_ask: whether somebody can answer questions of the turn.
        own_words: whether the user wrote or said all of it.
        is_command: whether it is a plain command, too. It is for a flow only if the active one insists.
        stops_nothing: whether it is "stop" or "cancel" while nothing rings. It is then also for a flow that just ended.
        questions: the open questions of all turns.
        before: which services have answered in the conversation.
        refer: called with a service's name for the user when the message would begin it, and may so only at this
            computer.
        scheduled: whether Sori itself asks, while nobody may be there. Only a flow that is safe to schedule may begin.
    """

    conversation: str
    turn: TurnId
    text: str
    origin: Origin
    profile: AgentProfile
    model: str
    can_ask: bool
    own_words: bool
    is_command: bool
    questions: OpenQuestions
    before: FlowsBefore
    refer: Callable[[str], Awaitable[None]] = nobody_begins
    scheduled: bool = False
    stops_nothing: bool = False


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """General conversation answers the message.

    Attributes:
        afterwards: what is said after the answer, because a flow was left; empty for nothing.
        rest: the words of the message that are for general conversation; empty for all of them.
    """

    afterwards: str = ""
    rest: str = ""


class GuidedFlows(Protocol):
    """Takes the messages of guided flows."""

    def claims(self, conversation: str, text: str) -> bool:
        """Whether a message may be for a flow: one is active, comes back or is over, or a service may want it."""
        ...

    def insists(self, conversation: str, text: str) -> bool:
        """Whether a message is for the active flow although it is a plain command as well, such as "cancel"."""
        ...

    async def answer(self, turn: GuidedTurn, emitter: Emitter, container: StateContainer) -> Elsewhere | None:
        """Answer a message. Returns where else it goes, ``None`` if it was answered.

        Raises:
            SoriError: the session cannot be read or saved.
        """
        ...


class NoFlows:
    """Implements ``GuidedFlows`` where there are no services."""

    def claims(self, conversation: str, text: str) -> bool:  # noqa: ARG002
        """No message is for a flow."""
        return False

    def insists(self, conversation: str, text: str) -> bool:  # noqa: ARG002
        """No flow is active."""
        return False

    async def answer(self, turn: GuidedTurn, emitter: Emitter, container: StateContainer) -> Elsewhere:  # noqa: ARG002
        """General conversation answers."""
        return Elsewhere()
