"""Instants as rows hold them: texts in one time zone, so that they are in order as texts too."""

from datetime import UTC, datetime

from assistant.core.clock import Clock


def stored(at: datetime | None) -> str:
    """The text that stands for an instant; for none, one that comes before all of them."""
    return "" if at is None else at.astimezone(UTC).isoformat()


def shown(text: str, clock: Clock) -> str:
    """A stored instant in the user's time zone, ISO 8601 with offset.

    Raises:
        ValueError: the text stands for none.
    """
    return datetime.fromisoformat(text).astimezone(clock.now().tzinfo).isoformat()
