"""What times mean, said on Sunday 22 November 2026 at 15:05."""

import re
from collections.abc import Callable
from datetime import UTC, datetime, tzinfo
from zoneinfo import ZoneInfo

import pytest

from assistant.core.times.english import find_english
from assistant.core.times.korean import find_korean
from assistant.core.times.resolving import Problem, recurrence, resolve
from assistant.core.times.said import EVERY_DAY, WEEKDAYS, WEEKEND, DayPart, FoundTime, SaidTime

SEOUL, NEW_YORK = ZoneInfo("Asia/Seoul"), ZoneInfo("America/New_York")
NOW = datetime(2026, 11, 22, 15, 5, tzinfo=SEOUL)


def in_zone(zone: tzinfo | None) -> Callable[[datetime], datetime]:
    return lambda wall: wall.replace(tzinfo=zone).astimezone(UTC).astimezone(zone)


def found_in(text: str) -> FoundTime | None:
    return find_korean(text) if re.search("[가-힣]", text) else find_english(text)


def meant(text: str, *, now: datetime = NOW, waking: bool = False) -> str:
    found = found_in(text)
    assert found is not None, text
    moment = resolve(found.said, now, in_zone(now.tzinfo), waking=waking)
    return moment.value if isinstance(moment, Problem) else f"{moment:%m-%d %H:%M}"


KOREAN = {
    "30분 뒤": "11-22 15:35",
    "삼십 분 후에": "11-22 15:35",
    "한 시간 반 뒤에": "11-22 16:35",
    "1시간 20분 있다가": "11-22 16:25",
    "두 시간 뒤": "11-22 17:05",
    "오늘 오후 5시": "11-22 17:00",
    "오늘 5시": "11-22 17:00",
    "오후 세 시": "11-23 15:00",
    "4시": "11-22 16:00",
    "3시": "11-23 03:00",
    "네 시 십오 분": "11-22 16:15",
    "오전 9시": "11-23 09:00",
    "내일 아침 7시 반": "11-23 07:30",
    "내일 아침에 일곱 시 반": "11-23 07:30",
    "내일아침7시반에": "11-23 07:30",
    "내일 오후 2시 5분": "11-23 14:05",
    "내일 3시": "11-23 15:00",
    "내일 9시": "11-23 09:00",
    "내일 12시": "11-23 12:00",
    "내일 14:30": "11-23 14:30",
    "내일 오후 2:30": "11-23 14:30",
    "모레 저녁 여섯 시": "11-24 18:00",
    "내일모레 새벽 5시": "11-24 05:00",
    "글피 정오": "11-25 12:00",
    "오늘 밤 11시": "11-22 23:00",
    "오늘 밤 12시": "11-23 00:00",
    "오늘 밤 1시": "11-23 01:00",
    "밤 열 시": "11-22 22:00",
    "오늘 자정": "11-23 00:00",
    "내일 낮 12시 반": "11-23 12:30",
    "내일 점심 1시": "11-23 13:00",
    "새벽 네 시": "11-23 04:00",
    "십팔 시 삼십 분": "11-22 18:30",
    "다음 주 화요일 오후 3시": "11-24 15:00",
    "이번 주 금요일 저녁 7시": "past",
    "다다음 주 월요일 오전 10시": "11-30 10:00",
    "화요일 오후 3시": "11-24 15:00",
    "일요일 오후 2시": "11-29 14:00",
    "일요일 오후 5시": "11-22 17:00",
    "다음 주 수요일에 아침 8시에": "11-25 08:00",
    "12월 25일 오전 10시": "12-25 10:00",
    "십이월 이십오일 오전 10시": "12-25 10:00",
    "11월 1일 오후 1시": "11-01 13:00",
    "25일 오후 2시": "11-25 14:00",
    "20일 오후 2시": "12-20 14:00",
    "사흘 뒤 오후 4시": "11-25 16:00",
    "3일 뒤 오후 4시": "11-25 16:00",
    "일주일 뒤 오전 9시": "11-29 09:00",
    "2주 뒤 오전 9시": "12-06 09:00",
    "한 달 뒤 오전 9시": "12-22 09:00",
    "매일 아침 7시에": "11-23 07:00",
    "매일 7시": "11-23 07:00",
    "평일 오전 8시": "11-23 08:00",
    "주말마다 오전 9시": "11-28 09:00",
    "매주 수요일 저녁 8시": "11-25 20:00",
    "매주 월수금 오전 6시": "11-23 06:00",
    "월요일과 목요일마다 오후 1시": "11-23 13:00",
    "오늘 아침 7시": "past",
    "오늘 오후 3시": "past",
    "어제 오후 3시": "past",
    "2020년 1월 1일 오전 9시": "past",
    "내일 아침에": "no_hour",
    "2월 30일 오전 9시": "impossible",
    "내일 27시": "impossible",
    "내일 3시 75분": "impossible",
}
ENGLISH = {
    "in twenty minutes": "11-22 15:25",
    "in an hour and a half": "11-22 16:35",
    "in two hours and 10 minutes": "11-22 17:15",
    "in half an hour": "11-22 15:35",
    "after 45 minutes": "11-22 15:50",
    "in two and a half hours": "11-22 17:35",
    "ten minutes from now": "11-22 15:15",
    "at 5": "11-22 17:00",
    "at three": "11-23 03:00",
    "at 5 pm": "11-22 17:00",
    "at 7:30 a.m.": "11-23 07:30",
    "at seven thirty": "11-22 19:30",
    "at half past seven": "11-22 19:30",
    "at quarter to five": "11-22 16:45",
    "at ten past 4": "11-22 16:10",
    "at 18:45": "11-22 18:45",
    "tomorrow at 7": "11-23 07:00",
    "tomorrow at 3": "11-23 15:00",
    "tomorrow morning at 6": "11-23 06:00",
    "tomorrow at half past six in the morning": "11-23 06:30",
    "7 o'clock tomorrow evening": "11-23 19:00",
    "tonight at 11": "11-22 23:00",
    "this evening at six": "11-22 18:00",
    "the day after tomorrow at noon": "11-24 12:00",
    "tomorrow at midnight": "11-24 00:00",
    "on tuesday at 3pm": "11-24 15:00",
    "next tuesday at 3 p.m.": "11-24 15:00",
    "tuesday next week at 3 p.m.": "11-24 15:00",
    "friday evening at 8": "11-27 20:00",
    "sunday at 4 pm": "11-22 16:00",
    "on december 3rd at 5 pm": "12-03 17:00",
    "on the third of december at 9 am": "12-03 09:00",
    "on the 25th at 9 am": "11-25 09:00",
    "in 3 days at 9 am": "11-25 09:00",
    "in a week at 10 am": "11-29 10:00",
    "every day at 7": "11-23 07:00",
    "every morning at 7": "11-23 07:00",
    "every weekday at 7": "11-23 07:00",
    "on weekends at 9 am": "11-28 09:00",
    "every monday and thursday at 6 pm": "11-23 18:00",
    "on tuesdays at 8 pm": "11-24 20:00",
    "today at 9 am": "past",
    "yesterday at 9 am": "past",
    "tomorrow morning": "no_hour",
    "on february 30th at 9 am": "impossible",
}


@pytest.mark.parametrize(("text", "moment"), [*KOREAN.items(), *ENGLISH.items()])
def test_a_said_time_means_this_moment(text: str, moment: str) -> None:
    assert meant(text) == moment


@pytest.mark.parametrize(
    ("text", "every"),
    [
        ("매일 아침 7시에", EVERY_DAY),
        ("평일 오전 8시", WEEKDAYS),
        ("주말마다 오전 9시", WEEKEND),
        ("매주 월수금 오전 6시", {0, 2, 4}),
        ("매주 토요일과 일요일 오전 6시", WEEKEND),
        ("화요일 오후 3시", set()),
        ("every weekday at 7", WEEKDAYS),
        ("every monday, wednesday and friday at 6", {0, 2, 4}),
        ("daily at noon", EVERY_DAY),
        ("on monday at 7", set()),
    ],
)
def test_what_repeats_is_known_by_its_words(text: str, every: set[int]) -> None:
    found = found_in(text)
    assert found is not None
    assert found.said.every == every


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        ("내일 아침 7시에 깨워 줘", "깨워 줘"),
        ("내일 엄마한테 5시에 전화하라고 알려줘", "엄마한테 전화하라고 알려줘"),
        ("Remind me to call Mum at 5", "Remind me to call Mum"),
        ("remind me tomorrow at 9 to buy 3 eggs", "remind me to buy 3 eggs"),
    ],
)
def test_the_words_of_the_time_are_taken_out_of_the_sentence(text: str, rest: str) -> None:
    found = found_in(text)
    assert found is not None
    assert found.rest == rest


@pytest.mark.parametrize(
    "text", ["시작할 때 알려줘", "시간 있어?", "일곱 난쟁이 이야기", "안내일지 써줘", "세시간 영화"]
)
def test_words_that_only_look_like_times_are_none(text: str) -> None:
    assert find_korean(text) is None


@pytest.mark.parametrize("text", ["call me maybe", "at the station", "for one percent", "a quarter of it", "may I ask"])
def test_english_words_that_only_look_like_times_are_none(text: str) -> None:
    assert find_english(text) is None


def test_who_wants_to_be_woken_means_the_morning() -> None:
    assert meant("내일 5시") == "11-23 17:00"
    assert meant("내일 5시", waking=True) == "11-23 05:00"


def test_a_night_that_has_begun_is_still_this_night() -> None:
    assert meant("밤 1시", now=datetime(2026, 11, 23, 0, 30, tzinfo=SEOUL)) == "11-23 01:00"


def test_times_keep_their_hour_when_the_clocks_change() -> None:
    before = datetime(2026, 10, 31, 20, 0, tzinfo=NEW_YORK)
    assert meant("tomorrow at 7 am", now=before) == "11-01 07:00"
    waited = resolve(SaidTime(days=1, hour=7), before, in_zone(NEW_YORK))
    assert isinstance(waited, datetime)
    assert (waited.astimezone(UTC) - before.astimezone(UTC)).total_seconds() == 12 * 3600
    assert meant("in 9 hours", now=before) == "11-01 04:00"


def test_a_time_that_the_clocks_leave_out_is_the_one_after() -> None:
    before = datetime(2026, 3, 7, 20, 0, tzinfo=NEW_YORK)
    assert meant("tomorrow at 2:30 am", now=before) == "03-08 03:30"
    daily = recurrence(SaidTime(every=EVERY_DAY, hour=2, minute=30, part=DayPart.AM), before, in_zone(NEW_YORK))
    assert daily is not None
    every = daily.next_after(before, in_zone(NEW_YORK))
    assert f"{every:%m-%d %H:%M}" == "03-08 03:30"
