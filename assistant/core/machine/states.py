"""The states a conversation can be in (V-01 to V-04)."""

from dataclasses import dataclass
from enum import StrEnum
from typing import NewType

TurnId = NewType("TurnId", str)
"""Id of one turn, or of one period of listening that may become a turn: a UUID of version 7, never used again."""

NO_TURN = TurnId("")
"""Stands for no turn."""


class InteractionState(StrEnum):
    """What Sori is doing."""

    IDLE = "idle"
    LISTENING = "listening"
    PROCESSING = "processing"
    SPEAKING = "speaking"


class SessionState(StrEnum):
    """Whether a spoken conversation is under way."""

    INACTIVE = "inactive"
    ACTIVE = "active"
    ENDING = "ending"


class ProcessingState(StrEnum):
    """What the running turn is doing."""

    STREAMING = "streaming"
    TOOL_CALLING = "tool_calling"
    TOOL_ERROR = "tool_error"
    COMPLETE = "complete"


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """The whole observable state of the machine at one instant.

    Attributes:
        interaction: what Sori is doing.
        session: whether a spoken conversation is under way.
        processing: what the running turn is doing; ``None`` when no turn runs or Sori listens.
        tool: name of the tool that runs or failed; empty otherwise.
        turn: id of the current turn, running or listened for; ``NO_TURN`` when idle.
        question: id of the question that was asked aloud and is not answered yet; empty otherwise.
        by_voice: whether the current turn answers something that was spoken.
    """

    interaction: InteractionState = InteractionState.IDLE
    session: SessionState = SessionState.INACTIVE
    processing: ProcessingState | None = None
    tool: str = ""
    turn: TurnId = NO_TURN
    question: str = ""
    by_voice: bool = False

    @property
    def interruptible(self) -> bool:
        """Whether speech over the turn is heard as an interruption (V-15 to V-17).

        While Sori thinks about a typed message outside a spoken conversation, nobody expects it to hear.
        """
        thinks = self.interaction is InteractionState.PROCESSING
        spoken = self.by_voice or self.session is not SessionState.INACTIVE
        return self.interaction is InteractionState.SPEAKING or (thinks and spoken)
