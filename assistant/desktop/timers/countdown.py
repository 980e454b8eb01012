"""How long a timer still runs, in figures and in words. Pure."""

from datetime import datetime

_MINUTE_S = 60
_HOUR_S = 3600


def left_s(due_at: str, now: datetime) -> int:
    """Whole seconds until a timer rings, rounded up so that zero means now; 0 when it is due.

    Args:
        due_at: ISO 8601 with offset.
        now: the present instant, aware.
    """
    left = (datetime.fromisoformat(due_at) - now).total_seconds()
    return max(0, -int(-left // 1))


def figures(seconds: int) -> str:
    """A stretch of time as a clock shows it: ``4:05`` or ``1:04:05``."""
    hours, rest = divmod(seconds, _HOUR_S)
    minutes, rest = divmod(rest, _MINUTE_S)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
