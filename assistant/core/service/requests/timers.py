"""Requests for timers, alarms and reminders."""

from dataclasses import dataclass

from assistant.core.service.request import Request
from assistant.core.updates import TimerShown


@dataclass(frozen=True, slots=True, kw_only=True)
class ListTimers(Request[tuple[TimerShown, ...]]):
    """List the running and ringing timers, earliest due first. ``TimersChanged`` tells of changes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DismissTimers(Request[None]):
    """Silence all ringing timers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CancelTimer(Request[None]):
    """Cancel this timer, whether it is running or ringing."""

    timer: str
