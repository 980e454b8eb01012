from datetime import date, datetime, timedelta

import pytest

from assistant.core.records.conversations import ConversationEntry
from assistant.desktop.sidebar.groups import grouped, heading_of

TODAY = date(2026, 11, 22)


def at(day: date) -> str:
    return datetime(day.year, day.month, day.day, 12).astimezone().isoformat()


@pytest.mark.parametrize(
    ("days", "heading"),
    [
        (-1, "today"),
        (0, "today"),
        (1, "yesterday"),
        (2, "week"),
        (6, "week"),
        (7, "month"),
        (29, "month"),
        (30, "earlier"),
    ],
)
def test_a_heading_says_how_long_ago(days: int, heading: str) -> None:
    assert heading_of(at(TODAY - timedelta(days=days)), TODAY) == f"desktop.sidebar.{heading}"


def test_an_instant_counts_where_the_user_is_and_no_instant_is_long_ago() -> None:
    local = datetime(2026, 11, 22, 0, 30).astimezone()
    elsewhere = (local - timedelta(0)).astimezone(tz=None).isoformat()
    assert heading_of(elsewhere, TODAY) == "desktop.sidebar.today"
    assert heading_of("soon", TODAY) == "desktop.sidebar.earlier"


def test_entries_keep_their_order_under_their_headings() -> None:
    entries = [
        ConversationEntry(id=str(age), title="", updated_at=at(TODAY - timedelta(days=age))) for age in (0, 0, 1)
    ]
    groups = [(key, len(members)) for key, members in grouped(entries, TODAY)]
    assert groups == [("desktop.sidebar.today", 2), ("desktop.sidebar.yesterday", 1)]
