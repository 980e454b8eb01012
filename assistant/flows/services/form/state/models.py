"""The state, and the rules by which it changes."""

from enum import StrEnum
from typing import Any, ClassVar

from pydantic import BaseModel, Field

from assistant.flows.state import UNCLEAR, BaseState, BaseStateManager

MOST = 50
"""The largest number of people."""


class FormStage(StrEnum):
    """Where the conversation stands."""

    INIT = "INIT"
    FILLING = "FILLING"
    READY = "READY"
    CONFIRMED = "CONFIRMED"
    EXECUTED = "EXECUTED"
    FAILED = "FAILED"
    CANCELLED = "CANCELLED"


_OPEN = (FormStage.FILLING, FormStage.READY)


class FormSlots(BaseModel):
    """What is known.

    Attributes:
        what: what it is about.
        when: its time, ISO 8601.
        count: how many people.
    """

    what: str = ""
    when: str = ""
    count: int = 0


class FormState(BaseState):
    """The state."""

    slots: FormSlots = Field(default_factory=FormSlots)

    @property
    def asked(self) -> str:
        """The slot for which the user is asked; empty if all are known."""
        return next((name for name, value in self.slots if not value), "")


class FormStateManager(BaseStateManager[FormState]):
    """Changes the state. All conditions are here, in code."""

    state: ClassVar[type[BaseState]] = FormState

    def apply(self, state: FormState, delta: dict[str, Any]) -> FormState:
        """The state after ``begin``, ``set``, ``confirm``, ``retract``, ``ended`` and ``cancel``."""
        after = state.model_copy(deep=True)
        after.meta.slot_errors = {UNCLEAR: UNCLEAR} if (delta.get("_meta") or {}).get("parse_error") else {}
        for operation in delta.get("operations", ()):
            match operation.get("op"):
                case "begin" if after.stage == FormStage.INIT:
                    after.scenario, after.stage = "FILL", FormStage.FILLING
                case "set" if after.stage in _OPEN:
                    self._set(after, operation["slot"], operation["value"])
                case "confirm" if after.stage == FormStage.READY and after.proposal is not None:
                    after.stage = FormStage.CONFIRMED
                case "retract" if after.stage == FormStage.CONFIRMED:
                    after.stage = FormStage.READY
                case "ended" if after.stage == FormStage.CONFIRMED:
                    after.stage = FormStage(operation["stage"])
                case "cancel" if after.stage in _OPEN:
                    after.stage, after.proposal = FormStage.CANCELLED, None
        if after.stage in _OPEN:
            after.stage = FormStage.FILLING if after.asked else FormStage.READY
        return after

    def _set(self, after: FormState, slot: str, value: str | int) -> None:
        """Take a value that is valid. The question that waits for a yes is void, whatever was said."""
        after.proposal = None
        if not value or (isinstance(value, int) and value > MOST):
            after.meta.slot_errors[slot] = slot
        else:
            after.slots = after.slots.model_copy(update={slot: value})
