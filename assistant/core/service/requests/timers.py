"""Requests for timers, alarms and reminders."""

from dataclasses import dataclass
from typing import Final

from assistant.core.service.request import Request, Right
from assistant.core.updates import TimerShown

SNOOZE_S: Final = 300
"""Seconds until what was snoozed rings again, if no other time is given."""


class ListTimers(Request[tuple[TimerShown, ...]]):
    """List the running and ringing timers, earliest due first. ``TimersChanged`` tells of changes."""


class DismissTimers(Request[None]):
    """Silence all ringing timers."""


class SnoozeTimers(Request[bool], right=Right.MANAGE):
    """Let everything that rings be silent and ring again later. The result is whether anything rang.

    Attributes:
        seconds: after how many seconds.
    """

    seconds: int = SNOOZE_S


class CancelTimer(Request[None]):
    """Cancel this timer, whether it is running or ringing. ``UndoTimer`` brings one that was running back."""

    timer: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ScheduledItem:
    """A timer, an alarm or a reminder of this device.

    Attributes:
        id: its id.
        kind: ``timer``, ``alarm`` or ``reminder``.
        title: its name as the user reads it.
        name: the user's own words for it; empty for none.
        due_at: when it rings next, ISO 8601 with offset.
        repeats: when it repeats, in the user's words; empty for once.
        ringing: whether it is ringing.
        retimed: whether ``ChangeTimer`` can give it another time of day.
        skippable: whether ``SkipTimer`` can leave out its next day.
    """

    id: str
    kind: str
    title: str
    name: str
    due_at: str
    repeats: str = ""
    ringing: bool = False
    retimed: bool = False
    skippable: bool = False


class ListSchedule(Request[tuple[ScheduledItem, ...]]):
    """List all timers, alarms and reminders of this device, the next one first."""


class ChangeTimer(Request[ScheduledItem]):
    """Give a timer, an alarm or a reminder other words or another time.

    Attributes:
        timer: its id.
        name: the user's new words for it; ``None`` to keep them.
        at: the new time by the user's wall clock, ISO 8601 without offset. Of what repeats, only the time of day
            counts, and it rings at that time on all its days. Empty to keep the time.
    """

    timer: str
    name: str | None = None
    at: str = ""


class SkipTimer(Request[ScheduledItem]):
    """Leave out the next day of an alarm or a reminder that repeats. The result is the one that rings after it."""

    timer: str


class UndoTimer(Request[bool]):
    """Undo the last ``ChangeTimer``, ``SkipTimer`` or ``CancelTimer`` of this timer, while this engine runs.

    The result is whether there was one to undo, and what it left is still there.

    Attributes:
        timer: the id of what was cancelled, or of what the change has left.
    """

    timer: str
