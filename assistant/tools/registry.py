"""Which tools Sori brings: the one place where they are named."""

from collections.abc import Callable
from dataclasses import dataclass

from assistant.core.clock import Clock
from assistant.core.settings import Language
from assistant.tools.builtin.calculator import calculator_tools
from assistant.tools.builtin.clock import clock_tools
from assistant.tools.builtin.timers import TimerBook, timer_tools
from assistant.tools.builtin.volume import VolumeControl, volume_tools
from assistant.tools.tool import Tool


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolNeeds:
    """What the tools work with.

    Attributes:
        clock: tells the time.
        timers: where timers are set.
        volume: the computer's volume.
        language: the user's language at the moment.
    """

    clock: Clock
    timers: TimerBook
    volume: VolumeControl
    language: Callable[[], Language]


def built_in_tools(needs: ToolNeeds) -> tuple[Tool, ...]:
    """Every tool, in the order in which a model is told of them: it never changes, so that prompts stay the same."""
    return (
        *clock_tools(needs.clock),
        *calculator_tools(),
        *timer_tools(needs.timers, needs.language),
        *volume_tools(needs.volume),
    )
