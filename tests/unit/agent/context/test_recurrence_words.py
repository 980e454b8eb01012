from datetime import date, datetime
from zoneinfo import ZoneInfo

import pytest

from assistant.agent.context.recurrence_words import spoken_recurrence
from assistant.core.times.recurrence import Recurrence

SEOUL = ZoneInfo("Asia/Seoul")
NOW = datetime(2026, 11, 22, 15, 5, tzinfo=SEOUL)


@pytest.mark.parametrize(
    ("rule", "korean", "english"),
    [
        ("FREQ=DAILY", "매일 오전 9시", "every day at 9:00 AM"),
        ("FREQ=DAILY;INTERVAL=3", "11월 25일부터 3일마다 오전 9시", "every 3 days at 9:00 AM, starting on November 25"),
        ("FREQ=DAILY;BYHOUR=8,20", "매일 오전 8시, 오후 8시", "every day at 8:00 AM and 8:00 PM"),
        (
            "FREQ=DAILY;UNTIL=20270131",
            "2027년 1월 31일까지 매일 오전 9시",
            "every day at 9:00 AM, until January 31, 2027",
        ),
        ("FREQ=DAILY;COUNT=10", "모두 10번 매일 오전 9시", "every day at 9:00 AM, 10 times in all"),
        ("FREQ=WEEKLY", "매주 일요일 오전 9시", "every Sunday at 9:00 AM"),
        ("FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR", "평일 오전 9시", "every weekday at 9:00 AM"),
        (
            "FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,WE",
            "11월 30일부터 격주 월요일, 수요일 오전 9시",
            "every other Monday and Wednesday at 9:00 AM, starting on November 30",
        ),
        ("FREQ=MONTHLY;BYMONTHDAY=5,20", "매달 5일, 20일 오전 9시", "every month on the 5th and 20th at 9:00 AM"),
        ("FREQ=MONTHLY;BYMONTHDAY=-1", "매달 말일 오전 9시", "every month on the last day at 9:00 AM"),
        (
            "FREQ=MONTHLY;BYDAY=1MO,3MO",
            "매달 첫째 월요일, 셋째 월요일 오전 9시",
            "every month on the first Monday and third Monday at 9:00 AM",
        ),
        (
            "FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1",
            "매달 마지막 평일 오전 9시",
            "every month on the last weekday at 9:00 AM",
        ),
        ("FREQ=YEARLY;BYMONTH=12;BYMONTHDAY=24", "매년 12월 24일 오전 9시", "every year on December 24 at 9:00 AM"),
        (
            "FREQ=YEARLY;BYMONTH=11;BYDAY=4TH",
            "매년 11월 넷째 목요일 오전 9시",
            "every year on the fourth Thursday of November at 9:00 AM",
        ),
        ("FREQ=HOURLY;INTERVAL=2", "2시간마다", "every 2 hours"),
        (
            "FREQ=MINUTELY;INTERVAL=30;BYHOUR=9,10;BYDAY=MO,TU,WE,TH,FR",
            "9, 10시에만 평일 30분마다",
            "every 30 minutes on weekdays, only in the hours of 9 and 10",
        ),
    ],
)
def test_a_rule_is_told_in_words(rule: str, korean: str, english: str) -> None:
    recurrence = Recurrence.of(rule, datetime.fromisoformat("2026-11-22T09:00"))
    due_at = recurrence.next_after(NOW, lambda wall: wall.replace(tzinfo=SEOUL))
    assert due_at is not None
    assert (spoken_recurrence(recurrence, due_at, "ko"), spoken_recurrence(recurrence, due_at, "en")) == (
        korean,
        english,
    )


def test_days_that_are_left_out_are_told() -> None:
    start = datetime.fromisoformat("2026-11-23T09:00")
    recurrence = Recurrence.of("FREQ=DAILY", start, [date(2027, 1, 1), date(2026, 12, 25)])
    told = spoken_recurrence(recurrence, NOW, "ko"), spoken_recurrence(recurrence, NOW, "en")
    assert told == (
        "12월 25일, 2027년 1월 1일 빼고 매일 오전 9시",
        "every day at 9:00 AM, except on December 25 and January 1, 2027",
    )
