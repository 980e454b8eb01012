"""Requests for timers, alarms, reminders and scheduled requests."""

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
    """A timer, an alarm or a reminder of this device, or a scheduled request, which all devices of an account share.

    Attributes:
        id: its id.
        kind: ``timer``, ``alarm``, ``reminder`` or ``request``.
        title: its name as the user reads it.
        name: the user's own words for it; empty for none.
        due_at: when it rings or is carried out next, ISO 8601 with offset. What has no next time has its last one.
        repeats: when it repeats, in the user's words; empty for once.
        ringing: whether it is ringing.
        retimed: whether ``ChangeTimer`` can give it another time of day.
        skippable: whether ``SkipTimer`` can leave out its next day.
        paused: whether a scheduled request is paused.
        waits: whether it has a next time.
        conversation: id of the conversation with the results of a scheduled request; empty before the first one.
        ran_at: when a scheduled request was last carried out or missed, ISO 8601; empty for never.
        outcome: what became of that: ``running``, ``done``, ``failed``, ``interrupted`` or ``missed``; empty for never.
        here: whether it rings or is carried out on this device. In an account of several devices one carries requests
            out for all; ``ShownDevice.leads`` tells which.
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
    paused: bool = False
    waits: bool = True
    conversation: str = ""
    ran_at: str = ""
    outcome: str = ""
    here: bool = True


class ListSchedule(Request[tuple[ScheduledItem, ...]]):
    """List all timers, alarms and reminders of this device and all scheduled requests, the next one first."""


class AddScheduledRequest(Request[ScheduledItem], right=Right.MANAGE):
    """Let Sori answer a request at a time, once or repeatedly, in a conversation that collects the results.

    It then uses safe tools, reads notes, and asks nobody.

    Attributes:
        words: the request.
        when: the time in words or in ISO 8601, with its repetition if it has one in words.
        repeat: the repetition as a rule of RFC 5545 or in words; empty for once or if ``when`` has it.
    """

    words: str
    when: str
    repeat: str = ""


class PauseScheduledRequest(Request[ScheduledItem], right=Right.MANAGE):
    """Carry a scheduled request out no more until it is resumed, or resume it.

    Attributes:
        timer: its id.
        paused: whether it is paused from now on.
    """

    timer: str
    paused: bool = True


class RunScheduledRequest(Request[bool], right=Right.MANAGE):
    """Carry a scheduled request out now, on this device. The result is whether it was begun.

    It is not while it runs already.
    """

    timer: str


class ChangeTimer(Request[ScheduledItem]):
    """Give a timer, an alarm, a reminder or a scheduled request other words or another time.

    Attributes:
        timer: its id.
        name: the user's new words for it; ``None`` to keep them.
        at: the new time by the user's wall clock, ISO 8601 without offset. Of what repeats, only the time of day
            counts, and it rings at that time on all its days. Empty to keep the time.
        when: of a scheduled request, the new time and repetition in words, in place of ``at``; empty to keep them.
    """

    timer: str
    name: str | None = None
    at: str = ""
    when: str = ""


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
