"""Times, dates, durations and lists in Korean and English."""

import math
from collections.abc import Sequence
from datetime import datetime

from assistant.core.hangul import final_of

WEEKDAYS_KO = ("월요일", "화요일", "수요일", "목요일", "금요일", "토요일", "일요일")
WEEKDAYS_EN = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
MONTHS_EN = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)
_NEAR_DAYS_KO = {0: "오늘", 1: "내일", 2: "모레", -1: "어제", -2: "그저께"}
_NEAR_DAYS_EN = {0: "today", 1: "tomorrow", -1: "yesterday"}
_THIS_YEAR_DAYS = 300
"""Days from which a date is told with its year."""
_FINAL_L = 8
"""Index of ㄹ among the final consonants."""


def weekday(day: datetime, language: str) -> str:
    """Name of the day of the week."""
    return (WEEKDAYS_KO if language == "ko" else WEEKDAYS_EN)[day.weekday()]


def spoken_date(day: datetime, language: str) -> str:
    """A date without its year, as it is spoken: ``11월 22일 일요일``, ``Sunday, November 22``."""
    if language == "ko":
        return f"{day.month}월 {day.day}일 {weekday(day, language)}"
    return f"{weekday(day, language)}, {MONTHS_EN[day.month - 1]} {day.day}"


def written_date(day: datetime, language: str) -> str:
    """A date with its year: ``2026년 11월 22일 일요일``, ``Sunday, November 22, 2026``."""
    date = spoken_date(day, language)
    return f"{day.year}년 {date}" if language == "ko" else f"{date}, {day.year}"


def spoken_time(moment: datetime, language: str) -> str:
    """A time as it is spoken: ``오후 3시 5분``, ``낮 12시``, ``3:05 PM``, ``noon``."""
    hour = moment.hour % 12 or 12
    if language == "ko":
        half = {0: "밤", 12: "낮"}.get(moment.hour, "오전" if moment.hour < 12 else "오후")
        return f"{half} {hour}시" + (f" {moment.minute}분" if moment.minute else "")
    if moment.minute == 0 and moment.hour in (0, 12):
        return "noon" if moment.hour else "midnight"
    return f"{hour}:{moment.minute:02} {'AM' if moment.hour < 12 else 'PM'}"


def spoken_moment(moment: datetime, now: datetime, language: str) -> str:
    """A day and time as seen from ``now``: ``내일 오전 7시``, ``tomorrow at 7:00 AM``, ``12월 3일 목요일 오후 5시``."""
    days = (moment.date() - now.date()).days
    named = (_NEAR_DAYS_KO if language == "ko" else _NEAR_DAYS_EN).get(days)
    day = named or spoken_date(moment, language)
    if abs(days) > _THIS_YEAR_DAYS:
        day = written_date(moment, language)
    if language == "ko":
        return f"{day} {spoken_time(moment, language)}"
    return f"{day if named else f'on {day}'} at {spoken_time(moment, language)}"


def spoken_duration(seconds: float, language: str) -> str:
    """A duration, rounded to whole seconds: ``1시간 30분``, ``1 hour and 30 minutes``."""
    parts = _parts(seconds)
    if language == "ko":
        names = {"hour": "시간", "minute": "분", "second": "초"}
        return " ".join(f"{count}{names[unit]}" for unit, count in parts)
    return joined([f"{count} {unit}{'s' if count != 1 else ''}" for unit, count in parts], language)


def rough_duration(seconds: float, language: str) -> str:
    """A duration in its largest unit, rounded up: ``약 1시간``, ``about 30 days``."""
    unit, korean, length_s = next(each for each in _ROUGH_UNITS if seconds >= each[2] or each[2] == 1)
    count = max(1, math.ceil(seconds / length_s))
    if language == "ko":
        return f"약 {count}{korean}"
    return f"about {count} {unit}{'s' if count != 1 else ''}"


_ROUGH_UNITS = (("day", "일", 86_400), ("hour", "시간", 3_600), ("minute", "분", 60), ("second", "초", 1))


def duration_before_noun(seconds: float, language: str) -> str:
    """A duration in the form before a noun: ``5분`` (타이머), ``5 minute`` (timer)."""
    if language == "ko":
        return spoken_duration(seconds, language)
    return " ".join(f"{count} {unit}" for unit, count in _parts(seconds))


def joined(items: Sequence[str], language: str) -> str:
    """Items as a list within a sentence."""
    if language == "ko" or len(items) < 2:
        return ", ".join(items)
    return f"{', '.join(items[:-1])}{',' if len(items) > 2 else ''} and {items[-1]}"


def copula(word: str) -> str:
    """``예요`` after a Korean word that ends in a vowel, ``이에요`` after a final consonant."""
    return "이에요" if final_of(word) else "예요"


def toward(word: str) -> str:
    """``로`` after a Korean word that ends in a vowel or ㄹ, ``으로`` after another final consonant."""
    return "으로" if final_of(word) not in (0, _FINAL_L) else "로"


def _parts(seconds: float) -> list[tuple[str, int]]:
    minutes, rest = divmod(max(0, round(seconds)), 60)
    hours, minutes = divmod(minutes, 60)
    parts = [("hour", hours), ("minute", minutes), ("second", rest)]
    return [part for part in parts if part[1]] or [("second", 0)]
