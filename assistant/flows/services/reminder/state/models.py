"""The state, and the rules by which it changes."""

from enum import StrEnum
from typing import Any, ClassVar

from pydantic import BaseModel, Field

from assistant.flows.state import UNCLEAR, BaseState, BaseStateManager


class ReminderStage(StrEnum):
    """Where a reminder stands."""

    INIT = "INIT"
    FILLING = "FILLING"
    READY = "READY"
    CONFIRMED = "CONFIRMED"
    EXECUTED = "EXECUTED"
    FAILED = "FAILED"
    CANCELLED = "CANCELLED"


class ReminderSlots(BaseModel):
    """What is known of one reminder.

    Attributes:
        what: of what.
        day: the words of a day or repetition whose hour is not known yet.
        due: when it rings first, ISO 8601.
        rule: how it repeats, by RFC 5545; empty for once.
        repeat_known: whether the user has said how often.
    """

    what: str = ""
    day: str = ""
    due: str = ""
    rule: str = ""
    repeat_known: bool = False


class ReminderState(BaseState):
    """The state."""

    slots: ReminderSlots = Field(default_factory=ReminderSlots)

    @property
    def asked(self) -> str:
        """The slot for which the user is asked; empty if all are known."""
        slots = self.slots
        if not slots.what:
            return "what"
        if not slots.due:
            return "hour" if slots.day else "when"
        return "" if slots.repeat_known else "repeat"


_OPEN = (ReminderStage.FILLING, ReminderStage.READY)


class ReminderStateManager(BaseStateManager[ReminderState]):
    """Changes the state. All conditions are here, in code."""

    state: ClassVar[type[BaseState]] = ReminderState

    def apply(self, state: ReminderState, delta: dict[str, Any]) -> ReminderState:
        """The state after ``begin``, ``set``, ``error``, ``confirm``, ``retract``, ``ended`` and ``cancel``."""
        after = state.model_copy(deep=True)
        after.meta.slot_errors = {UNCLEAR: UNCLEAR} if (delta.get("_meta") or {}).get("parse_error") else {}
        for operation in delta.get("operations", ()):
            self._apply_op(after, operation)
        if after.stage in _OPEN:
            after.stage = ReminderStage.FILLING if after.asked else ReminderStage.READY
        return after

    def _apply_op(self, after: ReminderState, operation: dict[str, Any]) -> None:
        match operation.get("op"):
            case "begin" if after.stage == ReminderStage.INIT:
                after.scenario, after.stage = "REMINDER", ReminderStage.FILLING
                after.meta.batch_total = operation.get("total", 1)
            case "set" if after.stage in _OPEN:
                # A changed reminder is another one: its former question counts no more.
                after.slots, after.proposal = after.slots.model_copy(update=operation["values"]), None
            case "error" if after.stage in _OPEN:
                after.meta.slot_errors[operation["slot"]] = operation["slot"]
            case "confirm" if after.stage == ReminderStage.READY and after.proposal is not None:
                after.stage = ReminderStage.CONFIRMED
            case "retract" if after.stage == ReminderStage.CONFIRMED:
                after.stage = ReminderStage.READY
            case "ended" if after.stage == ReminderStage.CONFIRMED:
                self._end(after, str(operation["stage"]))
            case "cancel" if after.stage in _OPEN:
                after.stage, after.proposal = ReminderStage.CANCELLED, None

    def _end(self, after: ReminderState, stage: str) -> None:
        """One reminder is over; the next of the request begins, if there is one."""
        after.meta.batch_progress += 1
        goes_on = stage == ReminderStage.EXECUTED and after.meta.batch_progress < after.meta.batch_total
        after.slots = ReminderSlots() if goes_on else after.slots
        after.stage = ReminderStage.FILLING if goes_on else ReminderStage(stage)
