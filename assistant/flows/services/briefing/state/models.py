"""The state, and the rules by which it changes."""

from enum import StrEnum
from typing import Any, ClassVar

from assistant.flows.state import BaseState, BaseStateManager


class BriefingStage(StrEnum):
    """Where the conversation stands."""

    INIT = "INIT"
    TOLD = "TOLD"
    """Days have been told, and the next message may name others."""
    EXECUTED = "EXECUTED"


class BriefingState(BaseState):
    """The state. Which days are told is in each message, so nothing is kept of them."""


class BriefingStateManager(BaseStateManager[BriefingState]):
    """Changes the state. All conditions are here, in code."""

    state: ClassVar[type[BaseState]] = BriefingState

    def apply(self, state: BriefingState, delta: dict[str, Any]) -> BriefingState:
        """The state after the operations ``tell`` and ``end``."""
        after = state.model_copy(deep=True)
        for operation in delta.get("operations", ()):
            match operation.get("op"):
                case "tell" if state.stage in (BriefingStage.INIT, BriefingStage.TOLD):
                    after.scenario, after.stage = "BRIEFING", BriefingStage.TOLD
                case "end" if state.stage == BriefingStage.TOLD:
                    after.stage = BriefingStage.EXECUTED
        return after
