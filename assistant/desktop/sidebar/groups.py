"""Groups conversations under headings by date. Pure."""

from collections.abc import Iterator, Sequence
from datetime import date, datetime, timedelta
from itertools import groupby

from assistant.core.records.conversations import ConversationEntry

_WEEK = timedelta(days=7)
_MONTH = timedelta(days=30)


def grouped(entries: Sequence[ConversationEntry], today: date) -> Iterator[tuple[str, tuple[ConversationEntry, ...]]]:
    """The entries in their order, under the key of each heading's text; pinned ones first.

    Args:
        entries: newest first.
        today: the current day in the user's time zone.
    """
    if pinned := tuple(each for each in entries if each.pinned):
        yield "desktop.sidebar.pinned", pinned
    for key, members in groupby(entries, lambda entry: heading_of(entry.updated_at, today)):
        if others := tuple(each for each in members if not each.pinned):
            yield key, others


def heading_of(updated_at: str, today: date) -> str:
    """Key of the heading's text.

    Args:
        updated_at: ISO 8601 with offset; an invalid time counts as long ago.
        today: the current day in the user's time zone. A later time counts as today, because a clock was set back.
    """
    try:
        day = datetime.fromisoformat(updated_at).astimezone().date()
    except ValueError:
        return "desktop.sidebar.earlier"
    age = today - day
    if age < timedelta(days=1):
        return "desktop.sidebar.today"
    if age < timedelta(days=2):
        return "desktop.sidebar.yesterday"
    if age < _WEEK:
        return "desktop.sidebar.week"
    return "desktop.sidebar.month" if age < _MONTH else "desktop.sidebar.earlier"
