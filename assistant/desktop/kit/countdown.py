"""The remaining time of a timer or a question, in seconds and in figures."""

from datetime import UTC, datetime

_MINUTE_S = 60
_HOUR_S = 3600


def present() -> datetime:
    """The current time in UTC."""
    return datetime.now(UTC)


def left_s(due_at: str, now: datetime) -> int:
    """Whole seconds until a time, rounded up, so 0 means that it has come.

    Args:
        due_at: ISO 8601 with an offset.
        now: the current time, with a time zone.
    """
    left = (datetime.fromisoformat(due_at) - now).total_seconds()
    return max(0, -int(-left // 1))


def figures(seconds: int) -> str:
    """Format a duration as a clock shows it: ``4:05`` or ``1:04:05``."""
    hours, rest = divmod(seconds, _HOUR_S)
    minutes, rest = divmod(rest, _MINUTE_S)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
