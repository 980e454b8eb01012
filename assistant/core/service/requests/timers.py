"""Requests for timers, alarms and reminders."""

from assistant.core.service.request import Request
from assistant.core.updates import TimerShown


class ListTimers(Request[tuple[TimerShown, ...]]):
    """List the running and ringing timers, earliest due first. ``TimersChanged`` tells of changes."""


class DismissTimers(Request[None]):
    """Silence all ringing timers."""


class CancelTimer(Request[None]):
    """Cancel this timer, whether it is running or ringing."""

    timer: str
