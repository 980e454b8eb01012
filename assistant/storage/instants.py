"""Times as stored in rows: texts in UTC, so that sorting the texts sorts the times."""

from datetime import UTC, datetime

from assistant.core.clock import Clock


def stored(at: datetime | None) -> str:
    """The stored text of a time; for ``None`` the empty text, which sorts before every time."""
    return "" if at is None else at.astimezone(UTC).isoformat()


def shown(text: str, clock: Clock) -> str:
    """A stored time in the user's time zone, ISO 8601 with offset.

    Raises:
        ValueError: the text is not a time.
    """
    return datetime.fromisoformat(text).astimezone(clock.now().tzinfo).isoformat()
