"""The state, and the rules by which it changes."""

from enum import StrEnum
from typing import Any, ClassVar

from assistant.flows.state import BaseState, BaseStateManager


class MinimalStage(StrEnum):
    """Where the conversation stands."""

    INIT = "INIT"
    TALKING = "TALKING"
    CANCELLED = "CANCELLED"


class MinimalState(BaseState):
    """The state. A service with slots adds them here, each with a default."""


class MinimalStateManager(BaseStateManager[MinimalState]):
    """Changes the state. All conditions are here, in code."""

    state: ClassVar[type[BaseState]] = MinimalState

    def apply(self, state: MinimalState, delta: dict[str, Any]) -> MinimalState:
        """The state after the operations ``begin`` and ``cancel``."""
        after = state.model_copy(deep=True)
        for operation in delta.get("operations", ()):
            match operation.get("op"):
                case "begin" if state.stage == MinimalStage.INIT:
                    after.scenario, after.stage = "CHAT", MinimalStage.TALKING
                case "cancel" if state.stage == MinimalStage.TALKING:
                    after.stage = MinimalStage.CANCELLED
        return after
