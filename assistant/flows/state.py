"""The state of a service, and the rules by which it changes (F-02, F-04)."""

from abc import ABC, abstractmethod
from typing import Any, ClassVar, Final, Generic, TypeVar

from pydantic import BaseModel, ConfigDict, Field

DEFAULT: Final = "DEFAULT"
"""``BaseState.scenario`` before the user's intent is known."""
GENERAL: Final = "GENERAL"
"""The scenario of general conversation, in which a service has no part."""
INIT: Final = "INIT"
"""``BaseState.stage`` of a new session."""
READY: Final = "READY"
"""``BaseState.stage`` that waits for the user's yes."""
OVER: Final = frozenset({"EXECUTED", "FAILED", "CANCELLED", "UNSUPPORTED"})
"""The stages in which nothing is left to do. The next message begins anew."""

UNCLEAR: Final = "_unclear"
"""Key of ``Meta.slot_errors`` for a message of which nothing was understood."""


class Meta(BaseModel):
    """What the next agent should know beside the slots.

    Attributes:
        slot_errors: what is wrong, by slot, in words that an agent may pass on. The only way in which one agent tells
            another of an error.
        batch_total: how many tasks one request has; 0 or 1 for a single one.
        batch_progress: how many of them are over.
    """

    slot_errors: dict[str, str] = Field(default_factory=dict)
    batch_total: int = 0
    batch_progress: int = 0


class StepProposal(BaseModel):
    """What the user is asked to confirm. Exactly this is executed, or nothing.

    Attributes:
        step: name of the step.
        arguments: its arguments.
        digest: SHA-256 of both, that of the call at the gate.
        key: the key under which the step runs at most once.
        text: the question, with all that is decided.
        made_at: when it was made, ISO 8601 with offset.
    """

    model_config = ConfigDict(frozen=True)

    step: str
    arguments: dict[str, Any]
    digest: str
    key: str
    text: str
    made_at: str


class BaseState(BaseModel):
    """The state of one service in one session. A service adds its slots.

    Attributes:
        scenario: what the user wants, as the intent agent has found it.
        stage: where the flow stands. ``INIT``, ``READY`` and the stages of ``OVER`` mean the same in all services.
        meta: errors and progress.
        proposal: what the user is asked to confirm; ``None`` while nothing is.
        executing: the confirmed proposal, from its confirmation until its outcome is known.
    """

    # A stored state may be of another version of the service.
    model_config = ConfigDict(extra="ignore")

    scenario: str = DEFAULT
    stage: str = INIT
    meta: Meta = Field(default_factory=Meta)
    proposal: StepProposal | None = None
    executing: StepProposal | None = None

    @property
    def is_mid_flow(self) -> bool:
        """Whether the service expects the next message, so that no intent is looked for (F-03)."""
        return self.scenario != DEFAULT and self.stage != INIT and self.stage not in OVER


StateT = TypeVar("StateT", bound=BaseState)


class BaseStateManager(ABC, Generic[StateT]):
    """Changes a state by what was understood of a message. All conditions of a change are here, in code."""

    state: ClassVar[type[BaseState]]
    """The class of the state."""

    @abstractmethod
    def apply(self, state: StateT, delta: dict[str, Any]) -> StateT:
        """The state after a message.

        Args:
            state: the state before; it is not changed.
            delta: what was understood: ``{"operations": [...], "_meta": {...}}``. ``_meta.parse_error`` tells that
                nothing was.
        """
