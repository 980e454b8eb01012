"""Rules of RFC 5545 at the hours of a wall clock."""

from collections.abc import Callable
from datetime import UTC, date, datetime
from zoneinfo import ZoneInfo

import pytest

from assistant.core.times.recurrence import Recurrence

SEOUL, NEW_YORK = ZoneInfo("Asia/Seoul"), ZoneInfo("America/New_York")
NOW = datetime(2026, 11, 22, 15, 5, tzinfo=SEOUL)


def in_zone(zone: ZoneInfo) -> Callable[[datetime], datetime]:
    return lambda wall: wall.replace(tzinfo=zone).astimezone(UTC).astimezone(zone)


def following(rule: Recurrence, count: int, now: datetime = NOW, zone: ZoneInfo = SEOUL) -> list[str]:
    moments: list[str] = []
    while len(moments) < count and (moment := rule.next_after(now, in_zone(zone))):
        moments.append(f"{moment:%y-%m-%d %H:%M}")
        now = moment
    return moments


@pytest.mark.parametrize(
    ("rule", "moments"),
    [
        ("FREQ=DAILY", ["26-11-23 09:00", "26-11-24 09:00"]),
        ("RRULE:FREQ=WEEKLY;INTERVAL=2;BYDAY=SU", ["26-12-06 09:00", "26-12-20 09:00"]),
        ("freq=monthly;bymonthday=5", ["26-12-05 09:00", "27-01-05 09:00"]),
        ("FREQ=MONTHLY;BYMONTHDAY=-1", ["26-11-30 09:00", "26-12-31 09:00", "27-01-31 09:00", "27-02-28 09:00"]),
        ("FREQ=MONTHLY;BYMONTHDAY=31", ["26-12-31 09:00", "27-01-31 09:00", "27-03-31 09:00"]),
        ("FREQ=MONTHLY;BYDAY=-1FR", ["26-11-27 09:00", "26-12-25 09:00"]),
        ("FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=1", ["26-12-01 09:00", "27-01-01 09:00"]),
        ("FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29", ["28-02-29 09:00", "32-02-29 09:00"]),
        ("FREQ=DAILY;BYHOUR=8,20;BYMINUTE=0", ["26-11-22 20:00", "26-11-23 08:00", "26-11-23 20:00"]),
        ("FREQ=DAILY;BYHOUR=7;BYMINUTE=30", ["26-11-23 07:30"]),
        ("FREQ=HOURLY;INTERVAL=2", ["26-11-22 17:00", "26-11-22 19:00"]),
        ("FREQ=DAILY;COUNT=3", ["26-11-23 09:00", "26-11-24 09:00"]),
        ("FREQ=DAILY;UNTIL=20261124", ["26-11-23 09:00", "26-11-24 09:00"]),
        ("FREQ=DAILY;UNTIL=20261124T000000Z", ["26-11-23 09:00", "26-11-24 09:00"]),
        ("FREQ=DAILY\nEXDATE:20261123T090000", ["26-11-24 09:00"]),
    ],
)
def test_a_rule_comes_at_these_moments(rule: str, moments: list[str]) -> None:
    recurrence = Recurrence.of(rule, datetime.fromisoformat("2026-11-22T09:00"), zone=in_zone(SEOUL))
    limited = any(end in rule for end in ("COUNT", "UNTIL"))
    assert following(recurrence, len(moments) + limited) == moments
    assert Recurrence.parse(str(recurrence)) == recurrence


@pytest.mark.parametrize(
    "rule",
    [
        *(
            "",
            "daily",
            "BYDAY=MO",
            "FREQ=SECONDLY",
            "FREQ=MINUTELY",
            "FREQ=MINUTELY;INTERVAL=2",
            "FREQ=DAILY;BYEASTER=1",
        ),
        *("FREQ=MONTHLY;BYMONTHDAY=0", "FREQ=MONTHLY;BYMONTHDAY=32", "FREQ=WEEKLY;BYDAY=1MO", "FREQ=WEEKLY;BYDAY=XX"),
        *("FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30", "FREQ=YEARLY;BYMONTH=13;BYMONTHDAY=1", "FREQ=YEARLY;BYDAY=1MO"),
        *("FREQ=DAILY;COUNT=2;UNTIL=20261231", "FREQ=DAILY;UNTIL=20200101", "FREQ=DAILY;INTERVAL=7;BYDAY=MO"),
        *("FREQ=HOURLY;INTERVAL=48", "FREQ=DAILY;INTERVAL=0", "FREQ=MONTHLY;BYSETPOS=1", "FREQ=DAILY;FREQ"),
    ],
)
def test_what_cannot_be_said_or_never_comes_is_refused_with_a_reason(rule: str) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        Recurrence.of(rule, datetime.fromisoformat("2026-11-22T09:00"))


def test_a_month_without_the_day_of_the_start_is_refused_at_once() -> None:
    with pytest.raises(ValueError, match="no day fits"):
        Recurrence.of("FREQ=YEARLY;BYMONTH=2", datetime.fromisoformat("2026-10-31T09:00"))


def test_days_are_left_out_and_counted() -> None:
    start = datetime.fromisoformat("2026-11-23T09:00")
    recurrence = Recurrence.of("FREQ=DAILY;COUNT=3", start, [date(2026, 11, 24)])
    assert following(recurrence, 9) == ["26-11-23 09:00", "26-11-25 09:00"]
    assert Recurrence.parse(str(recurrence)) == recurrence


def test_the_hour_stays_when_the_clocks_change() -> None:
    before = datetime(2026, 10, 20, 20, 0, tzinfo=NEW_YORK)
    monthly = Recurrence.of("FREQ=MONTHLY;BYMONTHDAY=1", before.replace(hour=7, tzinfo=None))
    assert following(monthly, 2, before, NEW_YORK) == ["26-11-01 07:00", "26-12-01 07:00"]
    # At half past two the clocks are put forward on 14 March 2027.
    daily = Recurrence.of("FREQ=DAILY", datetime.fromisoformat("2027-03-13T02:30"))
    spring = datetime(2027, 3, 12, 20, 0, tzinfo=NEW_YORK)
    assert following(daily, 3, spring, NEW_YORK) == ["27-03-13 02:30", "27-03-14 03:30", "27-03-15 02:30"]


def test_rules_that_mean_the_same_days_are_the_same() -> None:
    start = datetime.fromisoformat("2026-11-23T09:00")
    daily = Recurrence.of("FREQ=DAILY", start)
    assert daily.same_days(Recurrence.of("FREQ=WEEKLY;BYDAY=SU,MO,TU,WE,TH,FR,SA;WKST=MO;INTERVAL=1", start))
    assert Recurrence.of("FREQ=DAILY;BYDAY=WE,MO", start).same_days(Recurrence.of("FREQ=WEEKLY;BYDAY=MO,WE", start))
    assert not daily.same_days(Recurrence.of("FREQ=DAILY;INTERVAL=2", start))
