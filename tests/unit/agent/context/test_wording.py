from datetime import datetime

import pytest

from assistant.agent.context.wording import (
    copula,
    duration_before_noun,
    joined,
    rough_duration,
    spoken_duration,
    spoken_time,
    toward,
)
from tests.fakes.clock import KOREA


@pytest.mark.parametrize(
    ("hour", "minute", "korean", "english"),
    [
        (0, 0, "밤 12시", "midnight"),
        (0, 5, "밤 12시 5분", "12:05 AM"),
        (9, 30, "오전 9시 30분", "9:30 AM"),
        (12, 0, "낮 12시", "noon"),
        (12, 1, "낮 12시 1분", "12:01 PM"),
        (15, 5, "오후 3시 5분", "3:05 PM"),
        (18, 0, "오후 6시", "6:00 PM"),
    ],
)
def test_times_are_said_as_people_say_them(hour: int, minute: int, korean: str, english: str) -> None:
    moment = datetime(2026, 11, 22, hour, minute, tzinfo=KOREA)
    assert (spoken_time(moment, "ko"), spoken_time(moment, "en")) == (korean, english)


@pytest.mark.parametrize(
    ("seconds", "korean", "english", "noun"),
    [
        (0, "0초", "0 seconds", "0 second"),
        (1, "1초", "1 second", "1 second"),
        (300, "5분", "5 minutes", "5 minute"),
        (5400, "1시간 30분", "1 hour and 30 minutes", "1 hour 30 minute"),
        (3661.4, "1시간 1분 1초", "1 hour, 1 minute, and 1 second", "1 hour 1 minute 1 second"),
    ],
)
def test_durations_are_said_as_people_say_them(seconds: float, korean: str, english: str, noun: str) -> None:
    assert spoken_duration(seconds, "ko") == korean
    assert spoken_duration(seconds, "en") == english
    assert duration_before_noun(seconds, "en") == noun


def test_korean_particles_follow_the_last_syllable() -> None:
    assert [copula(word) for word in ("3시", "5분", "")] == ["예요", "이에요", "예요"]
    assert [toward(word) for word in ("3분", "10초", "하루", "7일")] == ["으로", "로", "로", "로"]


def test_lists_are_joined_as_in_a_sentence() -> None:
    assert joined(["a"], "en") == "a"
    assert joined(["a", "b"], "en") == "a and b"
    assert joined(["a", "b", "c"], "en") == "a, b, and c"
    assert joined(["가", "나"], "ko") == "가, 나"


@pytest.mark.parametrize(
    ("seconds", "korean", "english"),
    [
        (0.2, "약 1초", "about 1 second"),
        (59, "약 59초", "about 59 seconds"),
        (61, "약 2분", "about 2 minutes"),
        (3600, "약 1시간", "about 1 hour"),
        (86_400 * 30, "약 30일", "about 30 days"),
    ],
)
def test_a_rough_length_of_time_is_told_in_its_largest_unit_and_never_too_short(
    seconds: float, korean: str, english: str
) -> None:
    assert (rough_duration(seconds, "ko"), rough_duration(seconds, "en")) == (korean, english)
