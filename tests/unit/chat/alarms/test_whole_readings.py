"""A request for an alarm is read only if every word of its time is: said on Sunday 22 November 2026 at 15:05."""

import re
from datetime import datetime
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.agent.context.recurrence_words import spoken_recurrence
from assistant.chat.alarms.requests import AlarmWish, alarm_request
from assistant.core.times.resolving import Problem, recurrence, resolve

SEOUL = ZoneInfo("Asia/Seoul")
NOW = datetime(2026, 11, 22, 15, 5, tzinfo=SEOUL)


def in_seoul(wall: datetime) -> datetime:
    return wall.replace(tzinfo=SEOUL)


def understood(text: str, now: datetime = NOW) -> tuple[str, str] | None:
    """When it rings and what is told; ``None`` if the request is left to the model."""
    found = alarm_request(text, "ko")
    if found is None:
        return None
    moment = resolve(found.said, now, in_seoul, waking=found.waking)
    if isinstance(moment, Problem):
        return moment.value, found.what
    repeats = recurrence(found.said, now, in_seoul, waking=found.waking) if found.said.repeats else None
    when = spoken_recurrence(repeats, moment, found.language) if repeats else f"{moment:%y-%m-%d %H:%M}"
    return when, found.what


ONCE_KO = {
    "다음 달 5일 9시에 월세 내라고 알려 줘": ("26-12-05 09:00", "월세 내기"),
    "내달 3일 오후 2시 회의 알림 맞춰 줘": ("26-12-03 14:00", "회의"),
    "이번 달 30일 9시에 알려 줘": ("26-11-30 09:00", ""),
    "이달 말일 저녁 6시에 정산하라고 알려 줘": ("26-11-30 18:00", "정산하기"),
    "다음 달 말일 9시에 알려 줘": ("26-12-31 09:00", ""),
    "다음 달 첫 번째 월요일 10시에 회의라고 알려 줘": ("26-12-07 10:00", "회의"),
    "내년 12월 24일 오후 6시에 케이크 찾으라고 알려 줘": ("27-12-24 18:00", "케이크 찾기"),
    "내년 1월 1일 0시에 알려 줘": ("27-01-01 00:00", ""),
    "올해 12월 31일 밤 11시 55분에 알려 줘": ("26-12-31 23:55", ""),
    "2/10 9시에 출국이라고 알려 줘": ("27-02-10 09:00", "출국"),
    "2027. 2. 10. 9시에 출국이라고 알려 줘": ("27-02-10 09:00", "출국"),
    "2027-02-10 09:00에 출국이라고 알려 줘": ("27-02-10 09:00", "출국"),
    "2027년 2월 10일 오전 9시에 출국이라고 알려 줘": ("27-02-10 09:00", "출국"),
    "12월 24일 목요일 9시에 알려 줘": ("26-12-24 09:00", ""),
    "12월 24일 금요일 9시에 알려 줘": ("impossible", ""),
    "2월 29일 오전 9시에 알려 줘": ("28-02-29 09:00", ""),
    "2주 뒤 화요일 3시에 병원 가라고 알려 줘": ("unclear", "병원 가기"),
    "2주 뒤 토요일 3시에 병원 가라고 알려 줘": ("26-12-05 15:00", "병원 가기"),
    "사흘 뒤 7시에 알려 줘": ("26-11-25 07:00", ""),
    "보름 뒤 오전 9시에 알려 줘": ("26-12-07 09:00", ""),
    "내일 모레 7시에 깨워 줘": ("26-11-24 07:00", ""),
    "그글피 오전 9시에 알려 줘": ("26-11-26 09:00", ""),
    "9시 5분 전에 깨워 줘": ("26-11-22 20:55", ""),
    "오후 1시 10분 전에 출발하라고 알려 줘": ("26-11-23 12:50", "출발하기"),
    "오늘 밤 12시 10분 전에 자라고 알려 줘": ("26-11-22 23:50", "자기"),
    "3시쯤에 전화하라고 알려 줘": ("26-11-23 03:00", "전화하기"),
    "내일아침7시반에깨워줘": ("26-11-23 07:30", ""),
    "알람 내일 7시로 맞춰 줘": ("26-11-23 07:00", ""),
    "내일 엄마한테 5시에 전화하라고 알려 줘": ("26-11-23 17:00", "엄마한테 전화하기"),
    "5시에 저녁 준비하라고 알려 줘": ("26-11-22 17:00", "저녁 준비하기"),
    "7시에 아침 먹으라고 알려 줘": ("26-11-23 07:00", "아침 먹기"),
    "1.5시간 뒤에 빨래 널라고 알려 줘": ("26-11-22 16:35", "빨래 널기"),
    "한 시간 반 뒤에 빨래 널라고 알려 줘": ("26-11-22 16:35", "빨래 널기"),
    "지금부터 두 시간 뒤에 물 주라고 알려 줘": ("26-11-22 17:05", "물 주기"),
    "10시에 계란 30개 사라고 알려 줘": ("26-11-22 22:00", "계란 30개 사기"),
    "10시에 2번 버스 타라고 알려 줘": ("26-11-22 22:00", "2번 버스 타기"),
    "10시에 일기 쓰라고 알려 줘": ("26-11-22 22:00", "일기 쓰기"),
    "10시에 분리수거하라고 알려 줘": ("26-11-22 22:00", "분리수거하기"),
    "10시에 해물탕 끓이라고 알려 줘": ("26-11-22 22:00", "해물탕 끓이기"),
    "10시에 시장 가라고 알려 줘": ("26-11-22 22:00", "시장 가기"),
    "10시에 다음 회의 준비하라고 알려 줘": ("26-11-22 22:00", "다음 회의 준비하기"),
    "내일 9시에 나 대신 회의 들어가라고 알려 줘": ("26-11-23 09:00", "나 대신 회의 들어가기"),
    "나 내일 9시에 깨워 줘": ("26-11-23 09:00", ""),
    "9시에 나한테 온 메일 확인하라고 알려 줘": ("26-11-22 21:00", "나한테 온 메일 확인하기"),
}
REPEATED_KO = {
    "매달 5일 9시에 월세 내라고 알려 줘": ("매달 5일 오전 9시", "월세 내기"),
    "매월 말일 오후 6시에 정산하라고 알려 줘": ("매달 말일 오후 6시", "정산하기"),
    "매달 마지막 금요일 오후 6시에 회식이라고 알려 줘": ("매달 마지막 금요일 오후 6시", "회식"),
    "매월 첫째 월요일 오전 10시에 회의라고 알려 줘": ("매달 첫째 월요일 오전 10시", "회의"),
    "격주 월요일 9시에 화분 돌리라고 알려 줘": ("11월 23일부터 격주 월요일 오전 9시", "화분 돌리기"),
    "2주마다 금요일 9시에 화분 돌리라고 알려 줘": ("11월 27일부터 격주 금요일 오전 9시", "화분 돌리기"),
    "3주마다 토요일 오전 9시에 알려 줘": ("11월 28일부터 3주마다 토요일 오전 9시", ""),
    "두 달마다 5일 오전 9시에 필터 갈라고 알려 줘": ("12월 5일부터 2달마다 5일 오전 9시", "필터 갈기"),
    "이틀마다 아침 8시에 화분 물 주라고 알려 줘": ("11월 23일부터 2일마다 오전 8시", "화분 물 주기"),
    "하루 걸러 아침 8시에 알려 줘": ("11월 23일부터 2일마다 오전 8시", ""),
    "매년 12월 24일 18시에 알려 줘": ("매년 12월 24일 오후 6시", ""),
    "매년 3월 1일 오전 9시에 결혼기념일이라고 알려 줘": ("매년 3월 1일 오전 9시", "결혼기념일"),
    "매주 월수금 아침 7시에 깨워 줘": ("매주 월요일, 수요일, 금요일 오전 7시", ""),
    "매주 화요일 목요일 저녁 7시 운동 알람 맞춰 줘": ("매주 화요일, 목요일 오후 7시", "운동"),
    "금요일마다 오후 5시에 퇴근 준비하라고 알려 줘": ("매주 금요일 오후 5시", "퇴근 준비하기"),
    "평일 아침 7시에 깨워 줘": ("평일 오전 7시", ""),
    "매일 아침 8시와 저녁 8시에 약 먹으라고 알려 줘": ("매일 오전 8시, 오후 8시", "약 먹기"),
    "평일 7시와 13시와 20시에 약 먹으라고 알려 줘": ("평일 오전 7시, 오후 1시, 오후 8시", "약 먹기"),
    "2시간마다 물 마시라고 알려 줘": ("2시간마다", "물 마시기"),
    "30분마다 스트레칭하라고 알려 줘": ("30분마다", "스트레칭하기"),
    "매일 밤 12시에 약 먹으라고 알려 줘": ("매일 밤 12시", "약 먹기"),
    "매일 아침 8시마다 약 먹으라고 알려 줘": ("매일 오전 8시", "약 먹기"),
    "격주 월요일 오전 9시마다 화분 돌리라고 알려 줘": ("11월 23일부터 격주 월요일 오전 9시", "화분 돌리기"),
    "매달 5일 9시마다 월세 내라고 알려 줘": ("매달 5일 오전 9시", "월세 내기"),
    "평일 저녁 7시 반마다 운동하라고 알려 줘": ("평일 오후 7시 30분", "운동하기"),
}
LEFT_KO = [
    *(
        "이번 주말 9시에 청소하라고",
        "3시 이후에 전화하라고",
        "3시 전에 전화하라고",
        "3시까지 제출하라고",
        "3시부터 회의라고",
    ),
    *(
        "내일 아침 8시와 저녁 8시에 약 먹으라고",
        "매일 8시와 밤 12시에 가라고",
        "매일 8시 9시에 가라고",
        "음력 5월 3일 9시에 제사라고",
        "추석 아침 9시에 전화하라고",
    ),
    *("공휴일 빼고 매일 7시에 일어나라고", "모레 글피 7시에 일어나라고", "월수금 7시에 일어나라고"),
    *("다음 주부터 매일 7시에 일어나라고", "12월까지 매일 7시에 일어나라고", "화요일 빼고 매일 7시에 일어나라고"),
    *("월요일부터 금요일까지 7시에 일어나라고", "월요일이나 화요일 9시에 가라고", "다음 주 7시에 일어나라고"),
    *(
        "30분 간격으로 물 마시라고",
        "7시부터 2시간마다 물 마시라고",
        "엄마 생신 9시에 전화하라고",
        "결혼기념일 저녁 6시에 꽃 사라고",
        "엄마 칠순 9시에 전화하라고",
        "수능날 아침 6시에 일어나라고",
        "밥 먹고 30분 뒤에 약 먹으라고",
        "수술하고 3일 뒤 9시에 병원 가라고",
        "1분마다 물 마시라고",
        "8시마다 물 마시라고",
        "내일 8시마다 물 마시라고",
        "월요일 9시마다 물 마시라고",
        "하루에 두 번 9시에 약 먹으라고",
        "매달 둘째 주 화요일 10시에 가라고",
    ),
    *("매달 15일하고 30일 9시에 이체하라고", "12월 초 9시에 가라고", "월말 9시에 이체하라고", "설날 9시에 세배하라고"),
    *("엄마 생일에 9시에 전화하라고", "월급날 9시에 이체하라고", "퇴근할 때 우유 사라고", "식사 30분 전에 약 먹으라고"),
    *(
        "3시 회의 10분 전에 준비하라고",
        "7시에서 8시 사이에 일어나라고",
        "내일 7~8시에 일어나라고",
        "두세 시에 일어나라고",
    ),
    *("3시나 4시에 전화하라고", "3시 말고 4시에 전화하라고", "5~10분 뒤에 확인하라고", "5분에서 10분 뒤에 확인하라고"),
    *("한 10분 뒤에 확인하라고", "두어 시간 뒤에 확인하라고", "7시에 저녁 약 먹으라고", "3시에 밤 사라고"),
    *(
        "9시에 내일 회의 준비하라고",
        "내일 회의 준비하라고 9시에",
        "3시 회의 준비하라고",
        "9시에 월요일 회의 준비하라고",
    ),
    *(
        "10시에 이번 주 보고서 쓰라고",
        "10시에 30분 운동하라고",
        "10시에 오일 교환하라고",
        "12-24 18:00에 가라고",
        "27년 2월 10일 9시에 출국이라고",
    ),
]
ONCE_EN = {
    "remind me on the 5th of next month at 9 to pay rent": ("26-12-05 09:00", "pay rent"),
    "remind me next month on the 5th at 9 to pay rent": ("26-12-05 09:00", "pay rent"),
    "remind me on December 24 at 18:00 to buy a cake": ("26-12-24 18:00", "buy a cake"),
    "remind me on the 24th of december next year at 6 pm to buy a cake": ("27-12-24 18:00", "buy a cake"),
    "remind me on december 24, 2027 at 6 pm to buy a cake": ("27-12-24 18:00", "buy a cake"),
    "remind me on 12/24 at 9 am to fly": ("26-12-24 09:00", "fly"),
    "remind me on 2027-02-10 at 9 am to fly": ("27-02-10 09:00", "fly"),
    "remind me on the last friday of the month at 3 pm to submit it": ("26-11-27 15:00", "submit it"),
    "remind me on the first friday of the month at 3 pm to submit it": ("26-12-04 15:00", "submit it"),
    "remind me on the second tuesday of next month at 10 am to pay": ("26-12-08 10:00", "pay"),
    "remind me on the last day of next month at 9 am to pay": ("26-12-31 09:00", "pay"),
    "remind me on the first of the month at 9 am to pay": ("26-12-01 09:00", "pay"),
    "wake me on friday after next at 9 am": ("26-12-04 09:00", ""),
    "wake me next friday at 9 am": ("26-11-27 09:00", ""),
    "remind me in a fortnight at 9 am to renew": ("26-12-06 09:00", "renew"),
    "remind me two weeks from today at 9 am to renew": ("26-12-06 09:00", "renew"),
    "remind me in two weeks on tuesday at 9 am to renew": ("unclear", "renew"),
    "remind me in two weeks on saturday at 9 am to renew": ("26-12-05 09:00", "renew"),
    "wake me half an hour before 9": ("26-11-22 20:30", ""),
    "wake me at quarter past six": ("26-11-22 18:15", ""),
    "wake me at a quarter to seven tomorrow": ("26-11-23 06:45", ""),
    "remind me 10 minutes before noon to cook": ("26-11-23 11:50", "cook"),
    "remind me at noon on friday to eat": ("26-11-27 12:00", "eat"),
    "remind me in 1.5 hours to check": ("26-11-22 16:35", "check"),
    "remind me in two and a half hours to check": ("26-11-22 17:35", "check"),
    "remind me in 1,500 seconds to check": ("26-11-22 15:30", "check"),
    "remind me in 1½ hours to check": ("26-11-22 16:35", "check"),
    "remind me in three quarters of an hour to check": ("26-11-22 15:50", "check"),
    "remind me on friday to call mum at 5": ("26-11-27 17:00", "call mum"),
    "at 9 tomorrow, remind me to call mum": ("26-11-23 09:00", "call mum"),
    "remind me tomorrow at 9 to buy 3 eggs": ("26-11-23 09:00", "buy 3 eggs"),
    "remind me tomorrow at 9 to take bus 7": ("26-11-23 09:00", "take bus 7"),
    "remind me at 9 to march in the parade": ("26-11-22 21:00", "march in the parade"),
    "remind me at 9 on may 3rd to vote": ("27-05-03 09:00", "vote"),
    "wake me up in the morning at 7": ("26-11-23 07:00", ""),
    "Remind me, tomorrow at 5, to call Mum.": ("26-11-23 17:00", "call Mum"),
    "wake me at 25:00": ("impossible", ""),
}
REPEATED_EN = {
    "wake me every weekday at 6:45": ("every weekday at 6:45 AM", ""),
    "remind me every other monday at 9 am to water plants": (
        "every other Monday at 9:00 AM, starting on November 23",
        "water plants",
    ),
    "remind me every two weeks on friday at 9 am to water plants": (
        "every other Friday at 9:00 AM, starting on November 27",
        "water plants",
    ),
    "remind me fortnightly on monday at 9 am to water plants": (
        "every other Monday at 9:00 AM, starting on November 23",
        "water plants",
    ),
    "remind me on the 1st of every month at 9 am to pay": ("every month on the 1st at 9:00 AM", "pay"),
    "remind me monthly on the 5th at 9 am to pay": ("every month on the 5th at 9:00 AM", "pay"),
    "remind me on the last day of every month at 9 am to pay": ("every month on the last day at 9:00 AM", "pay"),
    "remind me on the last friday of every month at 3 pm to pay": ("every month on the last Friday at 3:00 PM", "pay"),
    "remind me yearly on march 3 at 9 am to renew": ("every year on March 3 at 9:00 AM", "renew"),
    "remind me every december 24 at 6 pm to buy a cake": ("every year on December 24 at 6:00 PM", "buy a cake"),
    "remind me every three days at 9 am to water plants": (
        "every 3 days at 9:00 AM, starting on November 23",
        "water plants",
    ),
    "remind me every day at 9 am and at 9 pm to take pills": ("every day at 9:00 AM and 9:00 PM", "take pills"),
    "Remind me to water the plants every Saturday morning at 9.": ("every Saturday at 9:00 AM", "water the plants"),
    "remind me every 2 hours to stand up": ("every 2 hours", "stand up"),
    "remind me every half hour to stretch": ("every 30 minutes", "stretch"),
    "set a weekly reminder on monday at 9 am to stretch": ("every Monday at 9:00 AM", "stretch"),
    "set a monthly reminder on the 5th at 9 am to pay": ("every month on the 5th at 9:00 AM", "pay"),
    "remind me daily at 9 pm to take my pills": ("every day at 9:00 PM", "take my pills"),
}
LEFT_EN = [
    *("on friday week at 9", "biweekly on monday at 9", "this weekend at 9", "on saturday or sunday at 9"),
    *(
        "before 5",
        "after 5",
        "by 5",
        "by friday at 5",
        "between 5 and 6",
        "from 5 to 6",
        "until 5",
        "at 5 or 6",
        "at 8 and 9",
    ),
    *(
        "tomorrow at 9 am and 9 pm",
        "every day at 9 am and 9:30 pm",
        "twice a day at 9",
        "every morning and evening at 8",
        "every hour from 9 to 5",
        "every minute",
    ),
    *(
        "every day at 7 until friday",
        "every day except friday at 7",
        "every day at 7 starting tomorrow",
        "every 15th at 9",
    ),
    *(
        "on the 15th and 30th of every month at 9",
        "at the end of the month at 9",
        "on christmas at 9",
        "on mum's birthday at 9",
    ),
    *("the day before christmas at 9", "at lunch", "after lunch", "half an hour before sunrise", "on 2/10 at 9"),
    *(
        "in 5-10 minutes",
        "in 5 to 10 minutes",
        "in five or ten minutes",
        "in about ten minutes",
        "in a couple of hours",
    ),
    *("a week from friday at 9", "two weeks from tomorrow at 9", "10 minutes before the 3 o'clock meeting", "07:30:00"),
    *(
        "on the second tuesday at 9",
        "at 9 in the morning and evening",
        "at 7.5",
        "at 9 every quarter",
        "once a week at 9",
    ),
]
WHOLE = {**ONCE_KO, **REPEATED_KO, **ONCE_EN, **REPEATED_EN}
NOT_THE_TIME_OF_THE_REQUEST = [
    "remind me to book a table for 2",
    "set a recurring alarm for 7 am",
    "7시에 반복 알람 맞춰 줘",
    "remind me at 6 to book a table for 2",
    "remind me to prepare for the 5 pm meeting with bob",
    "remind me at 9 to prepare for the monday meeting",
    "remind me at 9 to prepare for monday's meeting",
    "remind me at 9 to put the bins out in the morning",
    "remind me at 9 to call mum tomorrow",
    "remind me at 3 about the 4 pm meeting",
    "remind me on monday at 9 to prepare for tuesday",
    "remind me at 9 to meet on the 5th floor",
]


@pytest.mark.parametrize(("text", "wanted"), WHOLE.items())
def test_a_time_is_read_as_a_whole(text: str, wanted: tuple[str, str]) -> None:
    assert understood(text) == wanted


@pytest.mark.parametrize(
    "text",
    [
        *(f"{each} 알려 줘" for each in LEFT_KO),
        *(f"remind me {each} to call mum" for each in LEFT_EN),
        *NOT_THE_TIME_OF_THE_REQUEST,
    ],
)
def test_a_time_that_is_not_read_as_a_whole_is_left_to_the_model(text: str) -> None:
    assert understood(text) is None


@pytest.mark.parametrize(
    "text", ["wake me next friday at 9 am", "다음 금요일 9시에 깨워 줘", "wake me on friday after next at 9"]
)
def test_a_day_that_people_count_in_two_ways_is_asked_for(text: str) -> None:
    wednesday = datetime(2026, 11, 25, 15, 5, tzinfo=SEOUL)
    assert understood(text, wednesday) == ("unclear", "")


DAYS = {
    "ko": (
        "",
        "내일",
        "모레",
        "다음 달 5일",
        "매달 말일",
        "격주 월요일",
        "매일",
        "12월 24일",
        "다음 주 화요일",
        "사흘 뒤",
        "금요일마다",
    ),
    "en": (
        "",
        "tomorrow",
        "on friday",
        "on the 5th of next month",
        "every weekday",
        "every other monday",
        "on december 24",
    ),
}
HOURS = {
    "ko": ("9시에", "오전 9시 반에", "저녁 8시에", "18:30에", "정오에", "9시 10분 전에", "새벽 네 시에"),
    "en": ("at 9", "at 9:30 am", "at half past six", "at 18:30", "at noon", "10 minutes before 9"),
}
THINGS = {
    "ko": (
        "약 먹으라고",
        "엄마한테 전화하라고",
        "회의라고",
        "창문 열라고",
        "우유 사 오라고",
        "출국이라고",
        "분리수거하라고",
    ),
    "en": ("take my pills", "call mum", "open the window", "buy 3 eggs", "check the oven"),
}
TIME_WORDS = {
    "ko": (
        *(
            "오늘",
            "내일",
            "모레",
            "글피",
            "다음 주",
            "이번 주말에",
            "다음 달",
            "내년에",
            "매주",
            "격주로",
            "월요일에",
            "화요일마다",
        ),
        *(
            "3시에",
            "세 시까지",
            "10분 뒤에",
            "5분 전에",
            "이후에",
            "3일",
            "5일에",
            "12월에",
            "말일에",
            "추석에",
            "음력",
            "아침에",
            "밤에",
        ),
        *(
            "저녁마다",
            "오후",
            "정오에",
            "30분",
            "한 시간",
            "두 번씩",
            "공휴일 빼고",
            "사흘 동안",
            "주말마다",
            "평일에",
            "2027년",
            "8:30",
        ),
    ),
    "en": (
        *(
            "today",
            "tomorrow",
            "tonight",
            "on friday",
            "next week",
            "this weekend",
            "every day",
            "each week",
            "at 5",
            "by 6",
        ),
        *(
            "until noon",
            "before lunch",
            "after 3 pm",
            "in 10 minutes",
            "for an hour",
            "on the 5th",
            "in december",
            "next year",
        ),
        *(
            "twice",
            "daily",
            "biweekly",
            "in the morning",
            "at night",
            "8:30",
            "except sundays",
            "monthly",
            "midnight",
            "6 pm",
        ),
    ),
}
_LEFT_IN_WORDS = re.compile(
    r"\d+\s*(?:시|분|일|월|주|달|년)|[월화수목금토일]요일|오늘|내일|모레|글피|매일|매주|매달|격주|다음 [주달]"
    r"|이번 주|주말|평일|아침|저녁|밤|오후|정오|공휴일|음력|추석|말일|내년|동안|마다|이후|한 시간|번씩|\d:\d"
    r"|\b(?:today|tomorrow|tonight|\w+day|week|every|each|noon|before|after|until|minutes|hour|5th|december|year|twice|daily"
    r"|biweekly|monthly|morning|night|midnight|pm|weekend|sundays|at 5|by 6)\b",
    re.IGNORECASE,
)


@st.composite
def requests(draw: st.DrawFn) -> tuple[str, bool]:
    """A request, and whether a word of time was put somewhere into it beside a whole time."""
    language = draw(st.sampled_from(["ko", "en"]))
    day, hour = draw(st.sampled_from(DAYS[language])), draw(st.sampled_from(HOURS[language]))
    thing = draw(st.sampled_from(THINGS[language]))
    words = [day, hour, thing, "알려 줘"] if language == "ko" else ["remind me", day, hour, "to", thing]
    added = draw(st.none() | st.sampled_from(TIME_WORDS[language]))
    if added is not None:
        words.insert(draw(st.integers(0, len(words))), added)
    return " ".join(filter(None, words)), added is not None


@given(requests())
def test_no_alarm_is_set_when_a_word_of_time_remains(request: tuple[str, bool]) -> None:
    text, disturbed = request
    found = alarm_request(text, "ko")
    if not disturbed:
        assert found is not None, text
    if found is not None and found.wish is AlarmWish.SET:
        assert not _LEFT_IN_WORDS.search(found.what), text
